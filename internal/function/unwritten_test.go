package function

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

const unwrittenSource = `package unwritten

import "github.com/weft-gpu/weft/gpu"

// Copy reads a word of from for each of to.
func Copy(t gpu.Thread, to, from []uint32) {
	if t.Idx() < gpu.Len(to) {
		to[t.Idx()] = from[t.Idx()]
	}
}

// Chosen reads through a pointer that each lane chooses.
func Chosen(t gpu.Thread, a, b, to []uint32) {
	p := &a[t.Idx()]
	if t.Idx()%2 == 0 {
		p = &b[t.Idx()]
	}
	to[t.Idx()] = *p
}

// Fill writes n words.
func Fill(t gpu.Thread, to []uint32, n uint32) {
	if t.Idx() < n {
		to[t.Idx()] = t.Idx()
	}
}

// Count adds to a word.
func Count(t gpu.Thread, to []uint32) { gpu.AtomicAdd(&to[3], 1) }

// Swap exchanges a word.
func Swap(t gpu.Thread, to []uint32) { gpu.AtomicExch(&to[3], 5) }

// Wide reads four words at once.
func Wide(t gpu.Thread, from, to []uint32) {
	x := gpu.Load4(from, 4)
	to[0] = x[0] + x[3]
}

// Shared exchanges and adds in shared memory.
func Shared(t gpu.Thread, exchange bool) {
	q := gpu.Shared[[4]uint32](t)
	if exchange {
		gpu.AtomicExch(&q[1], 1)
	}
	gpu.AtomicAdd(&q[1], 1)
}

// Row reads four words of shared memory, which one instruction loads.
func Row(t gpu.Thread, at uint32, to []uint32) {
	q := gpu.Shared[[34]uint32](t)
	if t.Idx() < 30 {
		q[t.Idx()] = 1
	}
	t.Sync()
	sum := uint32(0)
	for i := range uint32(4) {
		sum += q[at*4+i]
	}
	to[t.Idx()] = sum
}
`

func unwrittenKernel(t *testing.T, name string) *device.Kernel {
	c := sources(t)
	c.Mount("github.com/weft-gpu/weft/unwritten", fstest.MapFS{"unwritten.go": {Data: []byte(unwrittenSource)}})
	k, err := c.Kernel(t.Context(), "unwritten."+name, nil)
	require.NoError(t, err)
	return k
}

// blank returns a buffer that has not been written.
func blank(t *testing.T, d *Device, name string, n int) device.Buffer {
	b, err := d.Alloc(name, device.U32, n)
	require.NoError(t, err)
	return b
}

func TestReadOfUnwrittenMemory(t *testing.T) {
	type buffers func(d *Device) []any
	for _, c := range []struct {
		name, kernel, want string
		args               buffers
	}{
		{"a plain load", "Copy", "element 0 of from is read, but neither the host nor a thread has written it (block 0, thread 0)",
			func(d *Device) []any { return []any{blank(t, d, "to", 8), blank(t, d, "f", 8)} }},
		{"behind what the host wrote", "Copy", "element 4 of from is read", func(d *Device) []any {
			f := blank(t, d, "f", 8)
			require.NoError(t, d.Write(f.Slice(0, 4), make([]uint32, 4)))
			return []any{blank(t, d, "to", 8), f}
		}},
		{"a part of a buffer", "Copy", "element 1 of from is read", func(d *Device) []any {
			f := blank(t, d, "f", 80)
			require.NoError(t, d.Write(f.Slice(60, 66), make([]uint32, 6)))
			return []any{blank(t, d, "to", 8), f.Slice(65, 80)}
		}},
		{"behind what a kernel wrote", "Copy", "element 5 of from is read", func(d *Device) []any {
			f := blank(t, d, "f", 8)
			require.NoError(t, launch(d, unwrittenKernel(t, "Fill"), 1, 32, f, uint32(5)))
			return []any{blank(t, d, "to", 8), f}
		}},
		{"through a pointer that lanes choose", "Chosen", "element 1 of f is read", func(d *Device) []any {
			return []any{blank(t, d, "f", 32), words(t, d, "g", 32), blank(t, d, "to", 32)}
		}},
		{"an atomic", "Count", "element 3 of to is read", func(d *Device) []any { return []any{blank(t, d, "f", 8)} }},
		{"four words", "Wide", "element 6 of from is read", func(d *Device) []any {
			f := blank(t, d, "f", 8)
			require.NoError(t, d.Write(f.Slice(0, 6), make([]uint32, 6)))
			return []any{f, blank(t, d, "to", 8)}
		}},
		{"shared memory", "Shared", "element 1 of shared q is read, but no thread of the block has written it",
			func(*Device) []any { return []any{false} }},
		{"a row of shared memory", "Row", "element 30 of shared q is read, but no thread of the block has written it",
			func(d *Device) []any { return []any{uint32(7), words(t, d, "to", 32)} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := New(Options{})
			args := c.args(d)
			err := launch(d, unwrittenKernel(t, c.kernel), 1, 32, args...)
			var f *device.Fault
			require.ErrorAs(t, err, &f)
			assert.Contains(t, err.Error(), c.want)
			assert.Contains(t, f.At[0].File, "unwritten/unwritten.go")

			free := New(Options{AllowUnwritten: true})
			assert.NoError(t, launch(free, unwrittenKernel(t, c.kernel), 1, 32, c.args(free)...), "it can be turned off")
		})
	}
}

// A row that lies in part behind a variable is out of its range, also if one instruction loads it.
func TestRowBehindVariable(t *testing.T) {
	d := New(Options{})
	err := launch(d, unwrittenKernel(t, "Row"), 1, 32, uint32(8), words(t, d, "to", 32))
	require.ErrorContains(t, err, "indices 32 to 35 out of range of q with length 34 (block 0, thread 0)")
}

// Memory can be read after a copy, a store or an exchange has written it, also
// if only a part was written.
func TestReadOfWrittenMemory(t *testing.T) {
	d := New(Options{})
	f := blank(t, d, "f", 70)
	require.NoError(t, launch(d, unwrittenKernel(t, "Fill"), 1, 96, f, uint32(66)))
	require.NoError(t, launch(d, unwrittenKernel(t, "Copy"), 1, 96, blank(t, d, "to", 66), f))
	require.NoError(t, d.Write(f.Slice(66, 70), make([]uint32, 4)))
	require.NoError(t, launch(d, unwrittenKernel(t, "Copy"), 1, 96, blank(t, d, "to", 70), f))
	require.NoError(t, launch(d, unwrittenKernel(t, "Shared"), 1, 32, true))

	g := blank(t, d, "g", 8)
	require.NoError(t, launch(d, unwrittenKernel(t, "Swap"), 1, 32, g))
	require.NoError(t, launch(d, unwrittenKernel(t, "Count"), 1, 32, g), "an exchange wrote it")

	// A new buffer is unwritten, even if another one has been freed before.
	require.NoError(t, d.Free(f))
	assert.Error(t, launch(d, unwrittenKernel(t, "Copy"), 1, 32, blank(t, d, "to", 1), blank(t, d, "f", 70)))
}
