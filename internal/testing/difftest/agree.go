package difftest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/testing/difftest/corpus"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

// Way is one way to run compiled kernels.
type Way struct {
	Name     string
	Compiler *compile.Compiler
	Device   device.Device
	// Strict: here, reading memory that has not been written is an error, and
	// what PTX leaves undefined.
	Strict bool
}

// Case is a launch of an entry point on the data of a seed, and how it must
// end.
type Case struct {
	Entry       string
	Grid, Block int
	Ends        generate.Ends
	Seed        uint64
	// Shape is an equivalent shape of several dimensions with as many blocks
	// and threads; nil means one dimension.
	Shape *device.Shape
}

// CaseOf returns the case of a kernel of the corpus. The kernel's seed is also that
// of its data.
func CaseOf(k corpus.Kernel) Case {
	return Case{Entry: "corpus." + k.Name, Grid: k.Grid, Block: k.Block, Ends: generate.Ends(k.Ends), Seed: k.Seed - 1}
}

// Data returns the data before the launch.
func (c Case) Data() *Data { return NewData(c.Seed, c.Grid*c.Block) }

// run runs an entry point on the data.
func (w Way) run(c Case, d *Data) error {
	k, err := w.Compiler.Kernel(context.Background(), c.Entry, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", w.Name, err)
	}
	l := device.Launch{Kernel: k, Grid: c.Grid, Block: c.Block}
	if s := c.Shape; s != nil {
		l.Grid, l.GridY, l.GridZ, l.Block, l.BlockY, l.BlockZ = s.Grid[0], s.Grid[1], s.Grid[2], s.Block[0], s.Block[1], s.Block[2]
	}
	err = On(w.Device, l, d)
	if err = c.ended(err, w.Strict); err != nil {
		return fmt.Errorf("%s: %w", w.Name, err)
	}
	return nil
}

// errEnds is the error of a launch that did not end as it should have.
var errEnds = errors.New("it should have ended otherwise")

// ended compares the error of a launch with how it should have ended. strict
// means that reading memory that has not been written must be an error, and so
// must what PTX leaves undefined.
func (c Case) ended(err error, strict bool) error {
	want := "well"
	switch {
	case c.Ends == generate.Hang:
		want = "in a hang"
		var h *device.HangError
		var native *gpu.HangError
		if errors.As(err, &h) && strings.Contains(h.What, "barriers of different kinds") ||
			errors.As(err, &native) && strings.Contains(native.What, "barriers of different kinds") {
			return nil
		}
	case c.Ends == generate.Unwritten && strict:
		want = "in an error about memory that nobody has written"
		var f *device.Fault
		if errors.As(err, &f) && strings.Contains(f.What, "written") {
			return nil
		}
	case c.Ends == generate.Undefined && strict:
		want = "in an error about what PTX leaves undefined"
		var f *device.Fault
		var h *device.HangError
		if errors.As(err, &f) || errors.As(err, &h) && strings.Contains(h.What, "barriers of different kinds") {
			return nil
		}
	case c.Ends == generate.Undefined: // anything may happen
		return nil
	default:
		return err
	}
	if err == nil {
		return fmt.Errorf("%s ended well, not %s: %w", c.Entry, want, errEnds)
	}
	return fmt.Errorf("%s did not end %s: %w: %w", c.Entry, want, errEnds, err)
}

// Agree runs a case in every way and compares the results with want; if want is
// nil, with those of the first way. Results of cases that should end with an
// error are not compared.
func Agree(ways []Way, c Case, want *Data) error {
	for _, w := range ways {
		d := c.Data()
		if err := w.run(c, d); err != nil {
			return err
		}
		if c.Ends != generate.Well {
			continue
		}
		if want == nil {
			want = d
		} else if s := Diff(want, d); s != "" {
			return fmt.Errorf("%s: %s: %s", w.Name, c.Entry, s)
		}
	}
	return nil
}
