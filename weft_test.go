package weft_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	pprof "github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
)

func open(t *testing.T, name string, o weft.Options) *weft.Device {
	t.Helper()
	d, err := weft.Open(t.Context(), name, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	return d
}

func kernel(t *testing.T, name string) *device.Kernel {
	t.Helper()
	p, err := weft.Load("testdata/mykernels")
	require.NoError(t, err)
	k, err := p.Kernel(t.Context(), name, nil)
	require.NoError(t, err)
	return k
}

func upload[T any](t *testing.T, d *weft.Device, name string, data []T) weft.Buffer[T] {
	t.Helper()
	b, err := weft.Upload(d, name, data)
	require.NoError(t, err)
	return b
}

func values[T any](t *testing.T, b weft.Buffer[T]) []T {
	t.Helper()
	out, err := b.Values()
	require.NoError(t, err)
	return out
}

func TestOpenErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		o    weft.Options
		want string
	}{
		{"tiny", weft.Options{}, `weft.Open("tiny"): unknown device "tiny"; did you mean sim:tiny? `},
		{"func", weft.Options{Profile: true}, `weft.Open("func"): Options.Profile: device func does not show where its time goes; name a simulated machine by its name, such as sim:h200`},
		{"func", weft.Options{Trace: true}, `weft.Open("func"): Options.Trace: device func `},
		{"sim:tiny", weft.Options{Check: true}, `weft.Open("sim:tiny"): Options.Check: device sim:tiny always checks, and detects hangs itself; name a real GPU by its name hw or hw:1`},
		{"sim:tiny", weft.Options{Deadline: 1}, `weft.Open("sim:tiny"): Options.Deadline: device sim:tiny always checks, and detects hangs itself; name a real GPU by its name hw or hw:1`},
		{"sim:tiny", weft.Options{Unwritten: true}, `weft.Open("sim:tiny"): Options.Unwritten: `},
		{"hw", weft.Options{Budget: 1}, `weft.Open("hw"): Options.Budget: device hw does not support a budget; end a kernel there by Options.Deadline, such as 5s`},
		{"sim:tiny", weft.Options{Set: []string{"sm.count"}}, `weft.Open("sim:tiny"): Options.Set: "sm.count" is not PARAMETER=VALUE; write PARAMETER=VALUE,..., such as sm.count=16,l2.latency=200`},
		{"sim:tiny", weft.Options{Set: []string{"sm.count=0"}}, `weft.Open("sim:tiny"): Options.Set: `},
		{"sim:./none.yaml", weft.Options{}, `weft.Open("sim:./none.yaml"): machine ./none.yaml: no such file or directory`},
	} {
		_, err := weft.Open(t.Context(), c.name, c.o)
		require.Error(t, err)
		assert.True(t, strings.HasPrefix(err.Error(), c.want), "%s\nwant %s", err, c.want)
		assert.NotContains(t, err.Error(), "--")
	}
}

func TestMachineFile(t *testing.T) {
	file := t.TempDir() + "/mine.yaml"
	require.NoError(t, os.WriteFile(file, []byte("base: tiny\nvalues: {sm.count: 5}\n"), 0o600))
	d := open(t, "sim:"+file, weft.Options{})
	occ, err := d.Occupancy(kernel(t, "Scale"), 32)
	require.NoError(t, err)
	assert.Equal(t, 5, occ.SMs)
}

func TestStructsAndArrays(t *testing.T) {
	type point struct {
		X, Y float32
		ID   uint32
	}
	type cloud struct {
		Points weft.Buffer[point]
		moved  [2]weft.Buffer[uint32]
		_      [0]int
		Step   float32
	}
	for _, name := range []string{"func", "sim:tiny"} {
		d := open(t, name, weft.Options{})
		points := upload(t, d, "points", []point{{1, 2, 7}, {3, 4, 8}})
		assert.Equal(t, 2, points.Len())
		assert.Equal(t, 24, points.Raw().Bytes())
		c := cloud{points, [2]weft.Buffer[uint32]{upload(t, d, "ids", []uint32{0, 0}), upload(t, d, "times", []uint32{0, 5})}, [0]int{}, 10}
		rep, err := d.Launch(t.Context(), weft.Launch{Kernel: kernel(t, "Move"), Grid: 1, Block: 32, Args: []any{c}})
		require.NoError(t, err)
		assert.Equal(t, 1, rep.Launches)
		assert.Equal(t, []point{{11, 2, 7}, {13, 4, 8}}, values(t, points))
		assert.Equal(t, []uint32{7, 8}, values(t, c.moved[0]))
		assert.Equal(t, []uint32{1, 6}, values(t, c.moved[1]))

		rows := upload(t, d, "rows", [][4]uint16{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 9, 9, 9}})
		assert.Equal(t, 3, rows.Len())
		_, err = d.Launch(t.Context(), weft.Launch{Kernel: kernel(t, "Turn"), Grid: 1, Block: 32, Args: []any{rows.Slice(1, 2)}})
		require.NoError(t, err)
		assert.Equal(t, [][4]uint16{{1, 2, 3, 4}, {7, 8, 5, 6}, {9, 9, 9, 9}}, values(t, rows))
	}
}

func TestBufferErrors(t *testing.T) {
	d := open(t, "func", weft.Options{})
	x, err := weft.Alloc[uint32](d, "x", 3)
	require.NoError(t, err)
	assert.EqualError(t, x.Write([]uint32{1}), "write to x: 1 elements of uint32 to a buffer of 3; use Slice for a part")
	assert.EqualError(t, x.Read(make([]uint32, 4)), "read of x: 3 elements of uint32 to a slice of 4; use Slice for a part")
	require.NoError(t, x.Slice(1, 2).Write([]uint32{7}))
	assert.PanicsWithValue(t, "device: slice [2:4] of buffer x with 3 elements", func() { x.Slice(2, 4) })
	require.NoError(t, x.Free())
	assert.EqualError(t, x.Write([]uint32{1, 2, 3}), "write: buffer x was freed")

	_, err = weft.Alloc[string](d, "names", 3)
	assert.EqualError(t, err, "alloc names: elements of type string cannot be in device memory; use numbers, bools, and structs and arrays of these")
	_, err = weft.Alloc[struct{}](d, "nothing", 3)
	assert.EqualError(t, err, "alloc nothing: elements of type struct {} have no size")
	_, err = weft.Alloc[uint32](d, "x", -1)
	assert.EqualError(t, err, "alloc x: -1 elements")
	var zero weft.Buffer[uint32]
	const none = "a zero weft.Buffer has no memory; make one by weft.Alloc or weft.Upload"
	assert.EqualError(t, zero.Write(nil), none)
	assert.EqualError(t, zero.Read(nil), none)
	assert.EqualError(t, zero.Free(), none)

	_, err = d.Launch(t.Context(), weft.Launch{Kernel: kernel(t, "Scale"), Grid: 1, Block: 32, Args: []any{upload(t, d, "x", []uint32{1}), float32(1)}})
	var arg *device.ArgError
	require.ErrorAs(t, err, &arg)
	assert.Contains(t, err.Error(), "argument 1 (x []float32): x has elements of float32: buffer x has uint32")
	for want, args := range map[string][]any{
		"argument 1 (x []float32): x is a slice: want a buffer, got []float32; weft.Upload, or Alloc and Write, copies it to the device": {[]float32{1}, float32(1)},
		"argument 2 (by float32): by: want float32, got buffer by":                                                                       {upload(t, d, "x", []float32{1}), upload(t, d, "by", []float32{1})},
		"argument 2 (by float32) is missing: the kernel takes (x []float32, by float32)":                                                 {upload(t, d, "x", []float32{1})},
	} {
		_, err = d.Launch(t.Context(), weft.Launch{Kernel: kernel(t, "Scale"), Grid: 1, Block: 32, Args: args})
		assert.ErrorContains(t, err, want)
	}
	_, err = d.Launch(t.Context(), weft.Launch{Grid: 1, Block: 32})
	assert.EqualError(t, err, "weft.Device.Launch: Launch.Kernel is nil; Package.Kernel compiles one")
	_, err = d.Launch(t.Context(), weft.Launch{Kernel: kernel(t, "Move"), Grid: 1, Block: 32, Args: []any{struct {
		P weft.Buffer[[3]uint32]
		M [2]weft.Buffer[uint32]
	}{}}})
	assert.ErrorContains(t, err, "argument 1 (c mykernels.Cloud): it has no value for c.Step")
}

func TestLoadErrors(t *testing.T) {
	_, err := weft.Load("testdata/none")
	assert.EqualError(t, err, `weft.Load: there is no directory "testdata/none"; write one with Go files, such as ./mykernels`)
	p, err := weft.Load("./testdata/broken")
	require.NoError(t, err)
	_, err = p.Kernel(t.Context(), "Spawn", nil)
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), "testdata/broken/broken.go:7:2: "), err)
	p, err = weft.Load("testdata/mykernels")
	require.NoError(t, err)
	_, err = p.Kernel(t.Context(), "Scales", nil)
	assert.EqualError(t, err, "no kernel testdata/mykernels.Scales; there are Move, Scale, Turn")
	_, err = p.Kernel(t.Context(), "mykernels.Scale", nil)
	assert.EqualError(t, err, `kernel "mykernels.Scale" of package testdata/mykernels: write its name alone: "Scale"`)
	_, err = p.Kernel(t.Context(), "Add", nil)
	assert.ErrorContains(t, err, "testdata/mykernels/mykernels.go:14:6: testdata/mykernels.Add is generic; name an instantiation, as in testdata/mykernels.Add[T]")
}

func TestLoadFS(t *testing.T) {
	helper := fstest.MapFS{"h.go": {Data: []byte("package helper\n\nfunc Twice(x uint32) uint32 { return 2 * x }\n")}}
	user := fstest.MapFS{"k.go": {Data: []byte("package user\n\nimport (\n\t\"example.com/helper\"\n\t\"github.com/weft-gpu/weft/gpu\"\n)\n\nfunc Double(t gpu.Thread, x []uint32) { x[t.Global()] = helper.Twice(x[t.Global()]) }\n")}}
	p, err := weft.LoadFS("example.com/user", user)
	require.NoError(t, err)
	_, err = weft.LoadFS("example.com/helper", helper)
	require.NoError(t, err)
	k, err := p.Kernel(t.Context(), "Double", nil)
	require.NoError(t, err)
	d := open(t, "func", weft.Options{})
	x := upload(t, d, "x", make([]uint32, 32))
	_, err = d.Launch(t.Context(), weft.Launch{Kernel: k, Grid: 1, Block: 32, Args: []any{x}})
	require.NoError(t, err)

	_, err = weft.LoadFS("example.com/user", user)
	require.NoError(t, err, "the same again")
	_, err = weft.LoadFS("example.com/user", helper)
	assert.EqualError(t, err, "weft.LoadFS: there is another package example.com/user")
	_, err = weft.LoadFS("./user", user)
	assert.EqualError(t, err, `weft.LoadFS: "./user" is not an import path; write one such as example.com/mine/kernels`)
}

func TestPTX(t *testing.T) {
	text, err := weft.PTX(kernel(t, "Scale"), "sm_90")
	require.NoError(t, err)
	assert.Contains(t, text, ".target sm_90")
	assert.Contains(t, text, "mul.rn.f32")
	_, err = weft.PTX(kernel(t, "Scale"), "gfx90")
	assert.EqualError(t, err, `weft.PTX: "gfx90" is not a supported architecture; write sm_70 or later, such as sm_90`)
	_, err = weft.PTX(&device.Kernel{Name: "mine"}, "")
	assert.EqualError(t, err, "weft.PTX: the kernel was not compiled by weft, so there is no PTX of it")
	text, err = weft.PTX(kernel(t, "Scale"), "")
	require.NoError(t, err)
	assert.Contains(t, text, ".target sm_70")
}

// scaled is a device on which Scale ran.
func scaled(t *testing.T, name string, o weft.Options) *weft.Device {
	d := open(t, name, o)
	_, err := d.Launch(t.Context(), weft.Launch{Kernel: kernel(t, "Scale"), Grid: 4, Block: 64, Args: []any{upload(t, d, "x", make([]float32, 1000)), float32(2)}})
	require.NoError(t, err)
	return d
}

func TestReports(t *testing.T) {
	d := scaled(t, "sim:tiny", weft.Options{Profile: true, Trace: true, Seed: 3})
	var text, prof, trace bytes.Buffer
	require.NoError(t, d.Explain(&text))
	assert.Regexp(t, `(?s)^\nkernel +mykernels\.Scale\n +1 launch, 100% of the GPU time\nlaunched +64 threads per block, 4 blocks, .*\noccupancy .*\nstalls .*\nof peak .*\nbound by `, text.String())
	text.Reset()
	require.NoError(t, d.Annotate(&text))
	assert.True(t, strings.HasPrefix(text.String(), "device  sim:tiny\n"), text.String())
	assert.Contains(t, text.String(), "x[i] *= by")
	assert.Contains(t, text.String(), "1 launch")
	require.NoError(t, d.WriteProfile(&prof))
	p, err := pprof.Parse(&prof)
	require.NoError(t, err)
	lines := map[int64]bool{}
	for _, s := range p.Sample {
		for _, l := range s.Location[0].Line {
			lines[l.Line] = true
		}
	}
	assert.True(t, lines[9], "x[i] *= by is line 9")
	require.NoError(t, d.WriteTrace(&trace))
	var out struct {
		About  map[string]string `json:"otherData"`
		Events []struct {
			Name string `json:"name"`
		} `json:"traceEvents"`
	}
	require.NoError(t, json.Unmarshal(trace.Bytes(), &out))
	assert.Equal(t, map[string]string{"device": "sim:tiny", "seed": "3"}, out.About)
	assert.True(t, slices.ContainsFunc(out.Events, func(e struct {
		Name string `json:"name"`
	}) bool {
		return e.Name == "mykernels.Scale"
	}))
}

func TestReportErrors(t *testing.T) {
	d := scaled(t, "func", weft.Options{})
	var text bytes.Buffer
	require.NoError(t, d.Explain(&text))
	assert.Contains(t, text.String(), "1 launch, 100% of the warp instructions")
	assert.EqualError(t, open(t, "func", weft.Options{}).Explain(&text), "weft.Device.Explain: device func has launched nothing")
	assert.EqualError(t, d.Annotate(nil), "weft.Device.Annotate: device func does not show where its time goes; open a simulated machine, such as sim:h200, with Options.Profile")
	d = scaled(t, "sim:tiny", weft.Options{})
	assert.EqualError(t, d.WriteProfile(nil), "weft.Device.WriteProfile: nothing was noted; open device sim:tiny with Options.Profile")
	assert.EqualError(t, d.WriteTrace(nil), "weft.Device.WriteTrace: nothing was noted; open device sim:tiny with Options.Trace")
	d = open(t, "sim:tiny", weft.Options{Profile: true})
	assert.EqualError(t, d.Annotate(nil), "weft.Device.Annotate: device sim:tiny has launched nothing")
}

func TestLaunchAll(t *testing.T) {
	d := open(t, "sim:tiny", weft.Options{})
	x, y := upload(t, d, "x", []float32{1}), upload(t, d, "y", []float32{2})
	ls := []weft.Launch{
		{Kernel: kernel(t, "Scale"), Grid: 1, Block: 32, Args: []any{x, float32(2)}},
		{Kernel: kernel(t, "Scale"), Grid: 1, Block: 32, Stream: 1, Args: []any{y, float32(5)}},
	}
	reps, err := d.LaunchAll(t.Context(), ls)
	require.NoError(t, err)
	assert.Len(t, reps, 2)
	assert.Equal(t, []float32{2, 10}, append(values(t, x), values(t, y)...))
	assert.IsType(t, weft.Buffer[float32]{}, ls[0].Args[0], "the caller's arguments stay as they are")
	var _ device.Concurrent = d
	_, err = open(t, "func", weft.Options{}).LaunchAll(t.Context(), ls)
	assert.EqualError(t, err, "device func cannot run launches concurrently")
}

func TestLaunchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := open(t, "func", weft.Options{})
	_, err := d.Launch(ctx, weft.Launch{Kernel: kernel(t, "Scale"), Grid: 1, Block: 32, Args: []any{upload(t, d, "x", []float32{1}), float32(2)}})
	require.ErrorIs(t, err, context.Canceled)
}

// asked is a context that calls back when it is asked for its error.
type asked struct {
	context.Context
	back func()
}

func (a asked) Err() error {
	a.back()
	return a.Context.Err()
}

// TestCloseInLaunch closes devices from a callback of a launch, through all that wraps them.
func TestCloseInLaunch(t *testing.T) {
	k := kernel(t, "Scale")
	for _, name := range []string{"func", "funcx2", "sim:tiny", "sim:tinyx2"} {
		for _, alone := range []bool{false, true} {
			d := open(t, name, weft.Options{Race: true})
			x := upload(t, d, "x", make([]float32, 1<<16))
			ctx := asked{t.Context(), func() { assert.NoError(t, d.Close()) }}
			l := weft.Launch{Kernel: k, Grid: 256, Block: 256, Args: []any{x.Raw(), float32(2)}}
			var err error
			if alone {
				_, err = device.Alone(d.Device).Run(ctx, []device.Command{{Launch: &l}})
			} else {
				_, err = d.Launch(ctx, l)
			}
			require.ErrorIs(t, err, device.ErrClosed, name)
			_, err = x.Values()
			require.EqualError(t, err, "read: buffer x: the device is closed")
			_, err = weft.Alloc[int32](d, "y", 1)
			require.ErrorIs(t, err, device.ErrClosed)
		}
	}
}

// A group opens by name or by Options.GPUs, and Run uses all of it.
func TestGroup(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "grid:width=8", graph.LoadOptions{})
	require.NoError(t, err)
	for _, c := range []struct {
		name string
		gpus int
	}{{"funcx2", 0}, {"func", 2}} {
		dev, err := weft.Open(t.Context(), c.name, weft.Options{GPUs: c.gpus})
		require.NoError(t, err)
		group, ok := device.AsGroup(dev.Device)
		require.True(t, ok)
		require.Equal(t, 2, group.GPUs())
		require.Equal(t, "funcx2", dev.Name())
		res, err := weft.Run(t.Context(), dev, weft.Request{Algorithm: "bfs", Scheduler: "multi", Graph: g, Verify: true})
		require.NoError(t, err)
		require.True(t, res.Verified)
		require.NotNil(t, res.Communication)
		require.Positive(t, group.GPU(1).Total().Launches)
		_, err = weft.Run(t.Context(), dev, weft.Request{Algorithm: "bfs", Scheduler: "warp", Graph: g})
		require.EqualError(t, err, "scheduler warp uses one GPU, and funcx2 is a group of 2; schedulers that run bfs on all of them: atos, bitmap, multi, near-far")
		require.NoError(t, dev.Close())
	}
	for _, c := range []struct {
		name string
		gpus int
		want string
	}{
		{"func", 17, `weft.Open("func"): Options.GPUs: 17 GPUs; a group has 1 to 16`},
		{"funcx2", 3, `weft.Open("funcx2"): Options.GPUs: 3 GPUs, but funcx2 has 2; leave Options.GPUs out`},
	} {
		_, err := weft.Open(t.Context(), c.name, weft.Options{GPUs: c.gpus})
		require.EqualError(t, err, c.want)
	}
}

// TestRacesSayWhatWasTried checks that a race that the library finds says of its cure that it is a rule, and why it was not
// tried out.
func TestRacesSayWhatWasTried(t *testing.T) {
	p, err := weft.LoadFS("example.com/racy", fstest.MapFS{"racy.go": {Data: []byte(`package racy

import "github.com/weft-gpu/weft/gpu"

func Sum(t gpu.Thread, x []uint32) { x[0] += t.Idx() }
`)}})
	require.NoError(t, err)
	k, err := p.Kernel(t.Context(), "Sum", nil)
	require.NoError(t, err)
	d := open(t, "func", weft.Options{Race: true})
	_, err = d.Launch(t.Context(), weft.Launch{Kernel: k, Grid: 1, Block: 64, Args: []any{upload(t, d, "x", []uint32{0})}})
	require.NoError(t, err)
	races := d.Races()
	require.NotEmpty(t, races)
	for _, r := range races {
		assert.Zero(t, r.Checked)
		assert.NotEmpty(t, r.Fix)
		assert.Equal(t, "the program would have to run again, which a Device cannot do", r.Untried)
		assert.Contains(t, r.String(), "\n\twhat orders such accesses (not tried: the program would have to run again, which a Device cannot do): "+r.Fix)
	}
}
