package difftest

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compile"
)

// Way is one way to run compiled kernels.
type Way struct {
	Name     string
	Compiler *compile.Compiler
	Device   device.Device
}

// Run runs an entry point on the data.
func (w Way) Run(entry string, grid, block int, d *Data) error {
	k, err := w.Compiler.Kernel(entry, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", w.Name, err)
	}
	if err := On(w.Device, k, grid, block, d); err != nil {
		return fmt.Errorf("%s: %w", w.Name, err)
	}
	return nil
}

// Agree runs an entry point in every way on the data of a seed, and compares
// what it wrote with want, or where that is nil with what the first way wrote.
func Agree(ways []Way, entry string, grid, block int, seed uint64, want *Data) error {
	for _, w := range ways {
		d := NewData(seed, grid*block)
		if err := w.Run(entry, grid, block, d); err != nil {
			return err
		}
		if want == nil {
			want = d
		} else if s := Diff(want, d); s != "" {
			return fmt.Errorf("%s: %s: %s", w.Name, entry, s)
		}
	}
	return nil
}
