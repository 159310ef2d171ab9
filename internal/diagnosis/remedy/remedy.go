package remedy

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Change is a change of a launch.
type Change struct {
	What string // "without the assignment at a.go:7"
	// Program returns the changed program; nil leaves it as it is. It does not change its argument.
	Program func(p *ir.Program) (*ir.Program, error)
	// Launch changes grid, block, arguments and the like; nil leaves them as they are.
	Launch func(l *device.Launch)
}

// Run runs a launch from the memory that the first run began with. wrong says what is still wrong with it, such as
// "hang"; "" if nothing is. The error says why that is not known.
type Run func(ctx context.Context, l device.Launch) (wrong string, err error)

// Verdict is what became of a change.
type Verdict struct {
	Helps bool   // with the change, nothing is wrong any more
	Wrong string // what is
	// Err says why it is not known: the change does not fit the program, or a budget ended the launch.
	Err error
}

// Try applies a change and runs the changed launch.
func Try(ctx context.Context, l device.Launch, c Change, run Run) Verdict {
	changed, err := Apply(l, c)
	if err != nil {
		return Verdict{Err: err}
	}
	wrong, err := run(ctx, changed)
	return Verdict{Helps: err == nil && wrong == "", Wrong: wrong, Err: err}
}

// Ends is what a Run returns for the error of a launch that is to end: the kind of a hang is what is wrong.
func Ends(err error) (wrong string, unknown error) {
	var hang *device.HangError
	if errors.As(err, &hang) {
		return hang.Kind.String(), nil
	}
	return "", err
}

// Again is how a launch ended that was to end as the first one, by a hang or by its budget: nil if it did.
func Again(err error) error {
	var hang *device.HangError
	var undecided *device.UndecidedError
	switch {
	case errors.As(err, &hang), errors.As(err, &undecided):
		return nil
	case err == nil:
		return errors.New("the launch was run again to see it, and ended")
	}
	return err
}

// Apply returns the changed launch. Its kernel is a new one if the program changes.
func Apply(l device.Launch, c Change) (device.Launch, error) {
	if c.Launch != nil {
		c.Launch(&l)
	}
	if c.Program == nil {
		return l, nil
	}
	k := ir.Compiled(l.Kernel)
	if k == nil || k.Program == nil {
		return l, errors.New("the kernel has no program to change")
	}
	p, err := c.Program(k.Program)
	if err != nil {
		return l, fmt.Errorf("%s: %w", c.What, err)
	}
	changed := *k
	changed.Program = p
	l.Kernel = changed.ForHost()
	return l, nil
}
