package profile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/ir"
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

func filled() *Profile {
	p := New(0)
	p.Prepare(1, 0)
	r := p.Begin("k.Kernel", program(), 1, 32, 0)
	for pc := range r.Insts {
		in := &r.Insts[pc]
		in.Issues, in.Lanes = uint64(pc+1), 32*uint64(pc+1)
		in.Stalls[0], in.Stalls[1] = 10*uint64(pc), 5
	}
	r.End(100)
	return p
}

func TestLines(t *testing.T) {
	lines := filled().Kernels[0].Lines()
	require.Len(t, lines, 3)
	assert.Equal(t, "k/deep.go", lines[0].File, "each instruction counts at its innermost line")
	assert.Equal(t, 1, lines[0].Line)
	assert.Equal(t, "T.deep", lines[0].Func)
	assert.EqualValues(t, 25, lines[0].Stalled())
	assert.EqualValues(t, 28, lines[0].Cycles())
	assert.Equal(t, "k/k.go", lines[1].File)
	assert.EqualValues(t, 5, lines[1].Stalled())
	assert.Equal(t, 7, lines[2].Line)
}

func TestCalls(t *testing.T) {
	calls := filled().Kernels[0].Calls()
	require.Len(t, calls, 2)
	assert.Equal(t, 3, calls[0].Line, "the one with most cycles first")
	assert.EqualValues(t, 40, calls[0].Stalled(), "what is inlined counts at the call")
	assert.EqualValues(t, 5, calls[0].Issues)
	require.Len(t, calls[0].Children, 2)
	c := calls[0].Children[0]
	assert.Equal(t, 9, c.Line)
	require.Len(t, c.Children, 1)
	assert.Equal(t, "T.deep", c.Children[0].Func)
	assert.Empty(t, calls[1].Children)
}

func TestPprof(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, filled().WritePprof(&out, []string{"wait", "barrier"}, 1e-6))
	got, err := profile.Parse(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	require.NoError(t, got.CheckValid())
	assert.EqualValues(t, 1000, got.DurationNanos)
	require.Len(t, got.SampleType, 2)
	sum := map[string][2]int64{}
	for _, s := range got.Sample {
		state := s.Label["state"][0]
		assert.Equal(t, []string{"k.Kernel"}, s.Label["kernel"])
		sum[state] = [2]int64{sum[state][0] + s.Value[0], sum[state][1] + s.Value[1]}
		require.Len(t, s.Location, 2)
		assert.Equal(t, "k.Kernel", s.Location[1].Line[0].Function.Name)
		if l := s.Location[0].Line; len(l) == 3 {
			assert.Equal(t, "k.T.deep", l[0].Function.Name)
			assert.Equal(t, "k.add", l[1].Function.Name)
			assert.Equal(t, "k.Kernel", l[2].Function.Name)
			assert.EqualValues(t, 3, l[2].Line)
		}
	}
	assert.Equal(t, map[string][2]int64{"selected": {6, 6}, "wait": {30, 0}, "barrier": {15, 0}}, sum)

	file := filepath.Join(t.TempDir(), "p.pb.gz")
	require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
	cmd := exec.Command("go", "tool", "pprof", "-top", file)
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	assert.Regexp(t, `(?m)^ +28 54\.90% .* k\.T\.deep \(inline\)$`, string(text))
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
	p := New(0)
	p.Prepare(1, 0)
	r := p.Begin("k.Kernel", program(), 1, 32, 0)
	to := Target{Space: ir.Global, Name: "x", ElemSize: 4, ID: 1}
	r.GlobalAtomics(0, to, 8, 1, 0, 0, 10)    // being served until 10
	r.GlobalAtomics(1, to, 8, 2, 5, 10, 10)   // two more, until 30
	r.GlobalAtomics(0, to, 8, 1, 10, 30, 10)  // the first is done: three
	r.GlobalAtomics(0, to, 12, 1, 10, 40, 10) // at another address
	r.GlobalAtomics(0, to, 8, 1, 100, 100, 10)
	a := p.Addresses(1)
	require.Len(t, a, 1)
	assert.Equal(t, 2, a[0].Index)
	assert.EqualValues(t, 5, a[0].Ops)
	assert.EqualValues(t, 3, a[0].Queue)
	assert.EqualValues(t, 50, a[0].Serial)
	assert.EqualValues(t, 0+(5+15)+20+0, a[0].Waited)
	assert.EqualValues(t, 3, a[0].Pos, "that of instruction 1, where the queue reached three first")
	b := p.Buffers()
	require.Len(t, b, 1)
	assert.EqualValues(t, 6, b[0].Ops)
	assert.EqualValues(t, 3, b[0].Queue)
	assert.EqualValues(t, 70, b[0].Waited)
	r.End(1)

	p.Prepare(1, 0)
	r = p.Begin("k.Kernel", program(), 1, 32, 0)
	r.GlobalAtomics(0, to, 8, 1, 1, 1, 10)
	assert.EqualValues(t, 6, p.Addresses(1)[0].Ops, "over all launches")
	assert.EqualValues(t, 3, p.Addresses(1)[0].Queue)
}

func TestDegrees(t *testing.T) {
	var d Degrees
	assert.Zero(t, d.Mean())
	for _, n := range []int{1, 1, 4, 2} {
		d.Note(n)
	}
	assert.Equal(t, Degrees{Ops: 8, Highest: 4, Count: []uint64{0, 2, 1, 0, 1}}, d)
	assert.Equal(t, 2.0, d.Mean())
}

func TestManyLaunches(t *testing.T) {
	p := New(1)
	prog := program()
	for range MaxLaunches + 3 {
		r := p.Begin("k.Kernel", prog, 1, 32, 0)
		r.GlobalDegree(0, 1)
		r.End(2)
	}
	require.Len(t, p.Launches, MaxLaunches)
	last := p.Launches[MaxLaunches-1]
	assert.Equal(t, 3, last.Merged)
	assert.EqualValues(t, 8, last.Cycles)
	assert.EqualValues(t, 4, last.Global.Ops)
	assert.Equal(t, MaxLaunches+3, p.Kernels[0].Launches)
}

// BenchmarkGlobalAtomics measures the cost of an operation on one of many addresses, most of which are not tracked
// yet.
func BenchmarkGlobalAtomics(b *testing.B) {
	p := New(0)
	p.Prepare(1, 0)
	r := p.Begin("k.Kernel", program(), 1, 32, 0)
	to := Target{Space: ir.Global, Name: "x", ElemSize: 4, ID: 1}
	b.ReportAllocs()
	now := uint64(0)
	for b.Loop() {
		now += 16
		r.GlobalAtomics(0, to, int(now*2654435761%(1<<20))&^3, 1, now, now, 64)
	}
}
