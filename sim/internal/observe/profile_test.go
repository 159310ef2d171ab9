package observe

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/profile"
)

// program has three instructions: one in the kernel, and two inlined at its line 3, the second of them through two
// calls.
func program() *ir.Program {
	return &ir.Program{
		Name: "k.Kernel",
		Pos: []ir.PosInfo{{},
			{File: "k/k.go", Line: 2, Func: "Kernel"},
			{File: "k/k.go", Line: 3, Func: "Kernel"},
			{File: "k/sub.go", Line: 7, Func: "add", Parent: 2},
			{File: "k/sub.go", Line: 9, Func: "add", Parent: 2},
			{File: "k/deep.go", Line: 1, Func: "T.deep", Parent: 4},
		},
		Code: []ir.Inst{{Pos: 1}, {Pos: 3}, {Pos: 5}},
	}
}

// TestKernel checks that the record of a kernel has the source positions of its program.
func TestKernel(t *testing.T) {
	into := &profile.Profile{}
	p := NewProfile(into)
	p.Prepare(1, 0)
	p.Begin("k.Kernel", program(), 1, 32, 0).End(100)
	require.Len(t, into.Kernels, 1)
	k := into.Kernels[0]
	assert.Equal(t, "k.Kernel", k.Name)
	assert.EqualValues(t, 100, k.Cycles)
	assert.Equal(t, profile.Position{File: "k/deep.go", Line: 1, Func: "T.deep", Parent: 4}, k.Position(2))
	assert.Len(t, k.Chain(2), 3)
}

// TestTableIsExact checks that all addresses are tracked while there is room.
func TestTableIsExact(t *testing.T) {
	tb := newTable(100)
	want := map[uint64]uint64{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		key, n := r.Uint64N(100), 1+r.IntN(4)
		a, i := tb.find(key)
		a.Ops += uint64(n)
		tb.grew(i, n)
		want[key] += uint64(n)
	}
	for key, n := range want {
		a, i := tb.find(key)
		assert.Equal(t, n, a.Ops)
		assert.Zero(t, a.Missed)
		assert.Equal(t, n, tb.weight[i])
	}
}

// TestTableKeepsTheHeavy checks that an address with more operations than the total divided by the number of places is
// tracked, and that the number of missed operations is bounded.
func TestTableKeepsTheHeavy(t *testing.T) {
	const places = 16
	tb := newTable(places)
	r := rand.New(rand.NewPCG(1, 2))
	true_, total := map[uint64]uint64{}, uint64(0)
	for i := range 20_000 {
		key := 1000 + r.Uint64N(5000)
		if i%4 == 0 {
			key = r.Uint64N(3)
		}
		a, at := tb.find(key)
		a.Ops++
		tb.grew(at, 1)
		true_[key]++
		total++
	}
	for key, n := range true_ {
		if n <= total/places {
			continue
		}
		i, ok := tb.index[key]
		require.True(t, ok, "%d with %d operations", key, n)
		a := tb.entries[i]
		assert.LessOrEqual(t, a.Ops, n)
		assert.GreaterOrEqual(t, a.Ops+a.Missed, n)
		assert.LessOrEqual(t, a.Missed, total/places)
	}
	assert.Len(t, tb.index, places)
}

// TestQueues has waits counted by hand: three operations that take 10 ticks each.
func TestQueues(t *testing.T) {
	into := profile.New(0)
	p := NewProfile(into)
	p.Prepare(1, 0)
	r := p.Begin("k.Kernel", program(), 1, 32, 0)
	to := Target{Space: profile.Global, Name: "x", ElemSize: 4, ID: 1}
	r.GlobalAtomics(0, to, 8, 1, 0, 0, 10)    // being served until 10
	r.GlobalAtomics(1, to, 8, 2, 5, 10, 10)   // two more, until 30
	r.GlobalAtomics(0, to, 8, 1, 10, 30, 10)  // the first is done: three
	r.GlobalAtomics(0, to, 12, 1, 10, 40, 10) // at another address
	r.GlobalAtomics(0, to, 8, 1, 100, 100, 10)
	r.End(1)
	a := into.Addresses(1)
	require.Len(t, a, 1)
	assert.Equal(t, 2, a[0].Index)
	assert.EqualValues(t, 5, a[0].Ops)
	assert.EqualValues(t, 3, a[0].Queue)
	assert.EqualValues(t, 50, a[0].Serial)
	assert.EqualValues(t, 0+(5+15)+20+0, a[0].Waited)
	assert.Equal(t, 1, a[0].PC, "the instruction at which the queue reached three first")
	assert.Zero(t, a[0].Kernel)
	b := into.Buffers()
	require.Len(t, b, 1)
	assert.EqualValues(t, 6, b[0].Ops)
	assert.EqualValues(t, 3, b[0].Queue)
	assert.EqualValues(t, 70, b[0].Waited)

	p.Prepare(1, 0)
	r = p.Begin("k.Kernel", program(), 1, 32, 0)
	r.GlobalAtomics(0, to, 8, 1, 1, 1, 10)
	r.End(1)
	assert.EqualValues(t, 6, into.Addresses(1)[0].Ops, "over all launches")
	assert.EqualValues(t, 3, into.Addresses(1)[0].Queue)
}

func TestDegrees(t *testing.T) {
	var d profile.Degrees
	for _, n := range []int{1, 1, 4, 2} {
		note(&d, n)
	}
	assert.Equal(t, profile.Degrees{Ops: 8, Highest: 4, Count: []uint64{0, 2, 1, 0, 1}}, d)
}

func TestManyLaunches(t *testing.T) {
	into := profile.New(1)
	p := NewProfile(into)
	prog := program()
	for range profile.MaxLaunches + 3 {
		r := p.Begin("k.Kernel", prog, 1, 32, 0)
		r.GlobalDegree(0, 1)
		r.End(2)
	}
	require.Len(t, into.Launches, profile.MaxLaunches)
	last := into.Launches[profile.MaxLaunches-1]
	assert.Equal(t, 3, last.Merged)
	assert.EqualValues(t, 8, last.Cycles)
	assert.EqualValues(t, 4, last.Global.Ops)
	assert.Equal(t, profile.MaxLaunches+3, into.Kernels[0].Launches)
}

// BenchmarkGlobalAtomics measures the cost of an operation on one of many addresses, most of which are not tracked
// yet.
func BenchmarkGlobalAtomics(b *testing.B) {
	p := NewProfile(profile.New(0))
	p.Prepare(1, 0)
	r := p.Begin("k.Kernel", program(), 1, 32, 0)
	to := Target{Space: profile.Global, Name: "x", ElemSize: 4, ID: 1}
	b.ReportAllocs()
	now := uint64(0)
	for b.Loop() {
		now += 16
		r.GlobalAtomics(0, to, int(now*2654435761%(1<<20))&^3, 1, now, now, 64)
	}
}
