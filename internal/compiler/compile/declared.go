package compile

import (
	"context"
	"go/types"
)

// Types returns the type-checked form of a package, for inspecting its
// declarations: which types an algorithm package has and what they implement.
func (c *Compiler) Types(qualifier string) (*types.Package, error) {
	c.lock()
	defer c.unlock()
	p, err := c.open(context.Background(), qualifier)
	if err != nil {
		return nil, err
	}
	return p.types, nil
}

// Signature is the Go type of a kernel, which is named as for Kernel. Its first
// parameter is gpu.Thread; the others are what a launch gives values for.
func (c *Compiler) Signature(ctx context.Context, kernel string) (sig *types.Signature, err error) {
	err = c.cancellable(ctx, func() error {
		e, err := c.find(ctx, kernel)
		if err == nil {
			sig = e.fn.Signature
		}
		return err
	})
	return sig, err
}
