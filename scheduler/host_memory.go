//go:build !kernel

package scheduler

import (
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
)

// MaxArcs is the largest number of arcs of a graph on a device: row offsets have 32 bits
// there, and a team may step past the end of a row by less than a block.
const MaxArcs = 1<<32 - 1<<11

// Memory allocates the buffers of a run and frees them all at its end. After the first
// failure, which Err returns, its methods do nothing.
type Memory struct {
	dev     device.Device
	buffers []device.Buffer
	err     error
}

// NewMemory returns a Memory that allocates on dev.
func NewMemory(dev device.Device) *Memory { return &Memory{dev: dev} }

// Err returns the first failure.
func (m *Memory) Err() error { return m.err }

// Bytes returns the size of all buffers.
func (m *Memory) Bytes() (n uint64) {
	for _, b := range m.buffers {
		n += uint64(b.Bytes())
	}
	return n
}

// Alloc allocates n elements, and at least one.
func (m *Memory) Alloc(name string, elem device.Kind, n int) device.Buffer {
	if m.err != nil {
		return device.Buffer{}
	}
	b, err := m.dev.Alloc(name, elem, max(n, 1))
	if err != nil {
		m.err = fmt.Errorf("allocating %s: %w", name, err)
		return device.Buffer{}
	}
	m.buffers = append(m.buffers, b)
	return b
}

// Copy allocates a buffer and writes values to it.
func (m *Memory) Copy(name string, values []uint32) device.Buffer {
	b := m.Alloc(name, device.U32, len(values))
	if m.err == nil && len(values) > 0 {
		m.err = m.dev.Write(b, values)
	}
	return b
}

// Graph copies g to the device.
func (m *Memory) Graph(g *graph.CSR) GraphArg {
	arg := GraphArg{Row: m.Rows("g.Row", g), Col: m.Copy("g.Col", g.Col)}
	arg.Weight = m.Copy("g.Weight", g.Weight)
	return arg
}

// Rows copies the row offsets of g to the device as 32-bit numbers.
func (m *Memory) Rows(name string, g *graph.CSR) device.Buffer {
	if m.err == nil && uint64(g.Arcs()) > MaxArcs {
		m.err = fmt.Errorf("graph %s has %d arcs; kernels take row offsets of 32 bits, for at most %d arcs; only the host (\"weft graph\", CPU references) takes more", g.Name, g.Arcs(), uint64(MaxArcs))
	}
	if m.err != nil {
		return device.Buffer{}
	}
	rows, err := g.Device32()
	if err != nil {
		m.err = err
		return device.Buffer{}
	}
	return m.Copy(name, rows)
}

// Free frees all buffers.
func (m *Memory) Free() error {
	var errs []error
	for _, b := range m.buffers {
		errs = append(errs, m.dev.Free(b))
	}
	m.buffers = nil
	return errors.Join(errs...)
}

// GraphArg is a Graph as a launch argument.
type GraphArg struct{ Row, Col, Weight device.Buffer }

// FrontierArg is a Frontier as a launch argument.
type FrontierArg struct {
	Vertices device.Buffer
	Count    uint32
	Phase    uint32
}

// QueueArg is a Queue as a launch argument.
type QueueArg struct {
	Vertices, Count, Stamp device.Buffer
	Iteration              uint32
}
