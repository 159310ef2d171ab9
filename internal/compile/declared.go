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
