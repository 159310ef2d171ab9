package profile

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filled has three instructions: one in the kernel, and two inlined at its line 3, the second of them through two
// calls.
func filled() *Profile {
	k := &Kernel{
		Name: "k.Kernel", Launches: 1, Cycles: 100, Insts: make([]Inst, 3), At: []int32{1, 3, 5},
		Positions: []Position{{},
			{File: "k/k.go", Line: 2, Func: "Kernel"},
			{File: "k/k.go", Line: 3, Func: "Kernel"},
			{File: "k/sub.go", Line: 7, Func: "add", Parent: 2},
			{File: "k/sub.go", Line: 9, Func: "add", Parent: 2},
			{File: "k/deep.go", Line: 1, Func: "T.deep", Parent: 4},
		},
	}
	for pc := range k.Insts {
		in := &k.Insts[pc]
		in.Issues, in.Lanes = uint64(pc+1), 32*uint64(pc+1)
		in.Stalls[0], in.Stalls[1] = 10*uint64(pc), 5
	}
	return &Profile{Kernels: []*Kernel{k}}
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
	require.NoError(t, filled().WritePprof(&out, []string{"wait", "barrier"}, 1e-6, nil))
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

// Stall reasons have names for all that an Inst has room for and the simulator knows.
func TestStallNames(t *testing.T) {
	assert.LessOrEqual(t, len(StallNames()), MaxStalls)
	assert.Contains(t, StallNames(), "long_scoreboard")
}

// TestAddresses checks the order of places and of buffers.
func TestAddresses(t *testing.T) {
	p := New(0)
	p.Atomics = []Address{{Buffer: "a", Serial: 1}, {Buffer: "b", Serial: 3}, {Buffer: "c", Serial: 2}}
	p.Requests = []Address{{Buffer: "d", Waited: 1}, {Buffer: "e", Waited: 2}}
	p.Accessed = []*Buffer{{Name: "a", Serial: 1}, {Name: "b", Space: Shared, Serial: 3}}
	names := func(list []Address) (out string) {
		for _, a := range list {
			out += a.Buffer
		}
		return out
	}
	assert.Equal(t, "bca", names(p.Addresses(0)))
	assert.Equal(t, "bc", names(p.Addresses(2)))
	assert.Equal(t, "ed", names(p.Sectors(9)))
	assert.Equal(t, "b", p.Buffers()[0].Name)
	assert.Equal(t, "shared", p.Buffers()[0].Space.String())
	assert.Equal(t, "global", p.Buffers()[1].Space.String())
	assert.Equal(t, "a", p.Atomics[0].Buffer, "what was recorded stays as it is")
}

func TestMean(t *testing.T) {
	d := Degrees{}
	assert.Zero(t, d.Mean())
	d = Degrees{Ops: 8, Highest: 4, Count: []uint64{0, 2, 1, 0, 1}}
	assert.Equal(t, 2.0, d.Mean())
}
