//go:build !kernel

package wolf

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// conflictArg is Conflict as a launch argument.
type conflictArg struct{ Highest, Slots device.Buffer }

// slotsOf returns the quantity of a class of degrees of conflict.
func slotsOf(class int) scheduler.Quantity {
	from := 1 << class
	what := fmt.Sprintf("%d to %d updates meet", from, 2*from-1)
	switch class {
	case 0:
		what = "one update comes alone"
	case Degrees - 1:
		what = fmt.Sprintf("%d updates or more meet", from)
	}
	return scheduler.Quantity{Name: fmt.Sprintf("conflict-%d", from), Unit: "slot", Doc: "with conflicts=true: destinations of an edge block at which " + what}
}

// conflictQuantities returns the quantities of the kernel Conflicts.
func conflictQuantities() []scheduler.Quantity {
	list := []scheduler.Quantity{{Name: "conflict", Unit: "update", Doc: "with conflicts=true: most updates that meet at one destination of an edge block (figure 5.4)"}}
	for class := range Degrees {
		list = append(list, slotsOf(class))
	}
	return list
}

// countConflicts launches Conflicts for iteration i. The step is marked as one that prepares
// the run, so that it is not part of kernel times.
func (l *loop) countConflicts(ctx context.Context, i int) error {
	var counted [1 + Degrees]uint32
	found := conflictArg{Highest: l.conflict.Slice(0, 1), Slots: l.conflict.Slice(1, 1+Degrees)}
	rep, err := l.LaunchRead(ctx, device.Launch{Kernel: l.conflicts, Grid: l.grid, Block: l.block, DynamicShared: l.slots * device.U32.Bytes(),
		Args: []any{l.Instance.Arg, l.graph, l.edges, l.blocks, l.Values, l.taken, l.activity(i), found}},
		device.Answer{Buffer: l.conflict, To: counted[:], Clear: true})
	numbers := []scheduler.Number{{Name: "conflict", Value: float64(counted[0])}}
	for class := range Degrees {
		numbers = append(numbers, scheduler.Number{Name: slotsOf(class).Name, Value: float64(counted[1+class])})
	}
	l.Record(l.conflicts, rep, scheduler.Step{Iteration: i, Setup: true, Numbers: numbers})
	return err
}
