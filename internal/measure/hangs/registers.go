package hangs

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
)

// A simulated machine takes the number of registers of a thread from the launch. A real GPU takes
// it from the code, so a scenario needs code that uses as many: barrier.Held, which keeps a number of
// values alive across the barrier.

const (
	heldKernel = "internal/kernels/barrier.Held"
	// mostHeld is the largest number of values that barrier.Held keeps.
	mostHeld = 192
	// unit is the number of registers per thread by which a GPU allocates them.
	unit = 8
	// builds is how many kernels are built in search of one with the right number.
	builds = 8
)

// keep returns barrier.Held with as many values alive that the driver allocates as many registers
// as the launch asks for, or with none if the kernel needs more than that by itself.
func (r *Runner) keep(ctx context.Context, dev device.Device, l device.Launch) (k *device.Kernel, occ device.Occupancy, err error) {
	want, live := l.Regs, max(l.Regs-unit*5, 0)
	seen := map[int]bool{}
	for range builds {
		seen[live] = true
		if k, err = r.Kernels.Kernel(ctx, heldKernel, map[string]any{"live": uint32(live)}); err != nil {
			return nil, occ, err
		}
		if occ, err = dev.Occupancy(k, l.Block); err != nil {
			return nil, occ, err
		}
		if (occ.Regs+unit-1)/unit == (want+unit-1)/unit && occ.Regs <= want || live == 0 && occ.Regs > want {
			return k, occ, nil
		}
		next := min(max(live+want-occ.Regs, 0), mostHeld)
		if seen[next] { // between two steps of the compiler
			next += 1 - 2*min(max(occ.Regs-want, 0), 1)
		}
		if next < 0 || next > mostHeld || seen[next] {
			break
		}
		live = next
	}
	return nil, occ, fmt.Errorf("no kernel has %d registers per thread on %s: with %d values kept alive it has %d", want, dev.Name(), live, occ.Regs)
}

// heldArguments returns the arguments of barrier.Held, from those of barrier.Meet: without stay,
// and with the values and their sums.
func heldArguments(m *memory, l layout, meet []any) []any {
	values := make([]uint32, mostHeld*l.threads)
	for i := range values {
		values[i] = uint32(i)
	}
	return []any{
		meet[0], meet[1], meet[3], meet[4],
		m.words("values", len(values), values...), m.words("sums", l.grid*l.threads),
	}
}
