package cuda

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// This file launches a kernel that does nothing beside those of the program. On a real GPU the time of every launch has a part
// that is the same in one process and another one in the next; a launch of nothing is that part.

// emptyModule is read and built as the program's own modules are, so that its launches take the same way.
const emptyModule = `.version 7.0
.target sm_70
.address_size 64
.visible .entry weft_empty()
{
	ret;
}
`

// emptyEach is how often the empty kernel is launched before the program's kernels and after them: as often as one with a first launch
// that does not count and three others. mostShapes limits the shapes of launches of a program that launches in ever new ones.
const (
	emptyEach  = 3
	mostShapes = 16
)

// LaunchCost is what launches of an empty kernel took in a process of the program.
type LaunchCost struct {
	// Overhead is what was taken off each measured time of the process, in seconds; it is negative if something was added. Simulated
	// times have none.
	Overhead float64 `json:"overhead_seconds,omitempty"`
	// Empty has launches of one block first, and then those of the shapes in which the program has launched its kernels.
	Empty []EmptyTime `json:"empty_kernel"`
}

// EmptyTime has the seconds of each launch of the empty kernel in a shape, before the first kernel of the program and after its last.
type EmptyTime struct {
	Grid   [3]int    `json:"grid"`
	Block  [3]int    `json:"block"`
	Before []float64 `json:"seconds_before,omitempty"`
	After  []float64 `json:"seconds_after,omitempty"`
}

// oneBlock is the shape of launches that are nothing but a launch.
var oneBlock = EmptyTime{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}}

// emptyKernel launches the empty kernel on the GPU of the program's first launch.
type emptyKernel struct {
	gpu    uint32
	kernel *device.Kernel
	cost   LaunchCost
}

// emptyBefore launches the empty kernel before the first launch of the program; later launches note their shapes alone.
func (s *session) emptyBefore(ctx context.Context, ws []*work) error {
	if !s.program.LaunchCost {
		return nil
	}
	if s.empty == nil {
		e, err := s.newEmpty(ws[0].gpu)
		if err == nil {
			_, err = s.emptyLaunches(ctx, e, oneBlock, 1) // the first launch of a kernel takes a GPU longer
		}
		t := oneBlock
		if err == nil {
			t.Before, err = s.emptyLaunches(ctx, e, t, emptyEach)
		}
		if err != nil {
			return fmt.Errorf("launch of the empty kernel: %w", err)
		}
		e.cost.Empty = []EmptyTime{t}
		s.empty = e
	}
	for _, w := range ws {
		s.empty.note(w.launch)
	}
	return nil
}

// newEmpty builds the empty kernel.
func (s *session) newEmpty(gpu uint32) (*emptyKernel, error) {
	m, err := readptx.Read("the empty kernel", []byte(emptyModule))
	if err != nil {
		return nil, err
	}
	f, err := s.built(&module{Module: m}, m.Entries[0])
	if err != nil {
		return nil, err
	}
	e := &emptyKernel{gpu: gpu, kernel: f.kernel}
	if d := s.real(int(gpu)); d != nil {
		e.cost.Overhead = d.Info().Overhead()
	}
	return e, nil
}

// note keeps the shape of a launch of the program.
func (e *emptyKernel) note(l *device.Launch) {
	shape := l.Shape()
	known := func(t EmptyTime) bool { return t.Grid == shape.Grid && t.Block == shape.Block }
	if len(e.cost.Empty) <= mostShapes && !slices.ContainsFunc(e.cost.Empty, known) {
		e.cost.Empty = append(e.cost.Empty, EmptyTime{Grid: shape.Grid, Block: shape.Block})
	}
}

// emptyAfter launches the empty kernel after the last launch of the program, in all shapes.
func (s *session) emptyAfter() error {
	if s.empty == nil {
		return nil
	}
	for i := range s.empty.cost.Empty {
		t := &s.empty.cost.Empty[i]
		var err error
		if t.After, err = s.emptyLaunches(s.ctx, s.empty, *t, emptyEach); err != nil {
			return fmt.Errorf("launch of the empty kernel: %w", err)
		}
	}
	return nil
}

// emptyLaunches launches the empty kernel n times in a shape, and returns what each took.
func (s *session) emptyLaunches(ctx context.Context, e *emptyKernel, t EmptyTime, n int) (seconds []float64, err error) {
	l := device.Launch{Kernel: e.kernel, Grid: t.Grid[0], GridY: t.Grid[1], GridZ: t.Grid[2], Block: t.Block[0], BlockY: t.Block[1], BlockZ: t.Block[2]}
	for range n {
		r, err := s.gpus[e.gpu].Launch(ctx, l)
		if err != nil {
			return nil, err
		}
		seconds = append(seconds, r.Seconds)
	}
	return seconds, nil
}
