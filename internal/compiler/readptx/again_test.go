package readptx_test

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/ptx"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
	"github.com/weft-gpu/weft/scheduler"
)

// reread launches kernels as they are after they were printed as PTX and read again.
type reread struct {
	device.Wrapper
	t       *testing.T
	kernels map[*device.Kernel]*device.Kernel
}

func again(t *testing.T, k *ir.Kernel) *ir.Kernel {
	text, err := ptx.Module(ptx.Options{Target: "sm_90"}, k)
	require.NoError(t, err)
	m, err := readptx.Read(k.Name+".ptx", []byte(text))
	require.NoError(t, err, text)
	out, err := m.Kernel(ir.Symbol(k.Name))
	require.NoError(t, err, text)
	return out
}

func (d *reread) launch(l device.Launch) device.Launch {
	if d.kernels[l.Kernel] == nil {
		d.kernels[l.Kernel] = again(d.t, ir.Compiled(l.Kernel)).ForHost()
	}
	code := ir.Compiled(l.Kernel)
	var args []any
	next := 0
	for _, p := range code.Params {
		if p.Bound {
			continue
		}
		rest := flatten(&args, code.Program.Leaves, p.Leaves, reflect.ValueOf(l.Args[next]))
		require.Empty(d.t, rest)
		next++
	}
	// The machine may know the registers of a kernel by its name, and the kernel that was read has another one.
	known, err := device.Fit(d.Device, l)
	require.NoError(d.t, err)
	l.Kernel, l.Args, l.Regs = d.kernels[l.Kernel], args, known.Regs
	return l
}

// flatten appends the values of leaves, as arguments for parameters that are passed as bytes.
func flatten(args *[]any, leaves []ir.Leaf, list []int, v reflect.Value) []int {
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.IsValid() && v.Type() != reflect.TypeFor[device.Buffer]() {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).Name != "_" {
					list = flatten(args, leaves, list, v.Field(i))
				}
			}
			return list
		case reflect.Array:
			for i := range v.Len() {
				list = flatten(args, leaves, list, v.Index(i))
			}
			return list
		}
	}
	leaf := leaves[list[0]]
	switch leaf.Role {
	case ir.Base, ir.Pointer:
		buf := device.Buffer{}
		if v.IsValid() {
			buf = v.Interface().(device.Buffer)
		}
		*args = append(*args, buf)
		if leaf.Role == ir.Pointer || len(list) < 2 {
			return list[1:]
		}
		*args = append(*args, uint64(buf.Bytes()/max(leaf.Size, 1)))
		return list[2:]
	}
	switch k := leaf.Kind; {
	case v.Kind() == reflect.Bool:
		n := uint32(0)
		if v.Bool() {
			n = 1
		}
		*args = append(*args, n)
	case k.Float():
		*args = append(*args, v.Interface())
	case k.Bits() == 64 && v.CanInt():
		*args = append(*args, v.Int())
	case k.Bits() == 64:
		*args = append(*args, v.Uint())
	case v.CanInt():
		*args = append(*args, int32(v.Int()))
	default:
		*args = append(*args, uint32(v.Uint()))
	}
	return list[1:]
}

func (d *reread) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	return d.Wrapper.Launch(ctx, d.launch(l))
}

func (d *reread) LaunchRead(ctx context.Context, l device.Launch, a device.Answer) (*device.Report, error) {
	return d.Wrapper.LaunchRead(ctx, d.launch(l), a)
}

func (d *reread) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	var list []device.Launch
	for _, l := range ls {
		list = append(list, d.launch(l))
	}
	return d.Wrapper.LaunchAll(ctx, list)
}

func open(t testing.TB, name string) device.Device {
	spec, err := devices.New(name, devices.Options{})
	require.NoError(t, err)
	dev, err := spec.Open(t.Context(), devices.Watch{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

// TestReread runs algorithms under every scheme with their kernels printed as PTX and read again: the answers are
// right, and a simulated machine needs nearly as many cycles as for the kernels themselves.
func TestReread(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "uniform:n=300,degree=6", graph.LoadOptions{Symmetrize: true})
	require.NoError(t, err)
	source, _ := g.MaxDegreeVertex()
	for _, e := range catalog.Entries() {
		if e.Algorithm.Name != "bfs" {
			continue
		}
		t.Run(e.Name(), func(t *testing.T) {
			run := func(dev device.Device) *catalog.Result {
				res, err := catalog.Run(t.Context(), dev, catalog.Request{Algorithm: e.Algorithm.Name, Scheduler: e.Scheduler.Name, Graph: g, Source: source, Verify: true})
				require.NoError(t, err)
				require.NoError(t, res.Mismatch)
				return res
			}
			plain := run(open(t, "sim:h200"))
			other := run(&reread{device.Wrapper{Device: open(t, "sim:h200")}, t, map[*device.Kernel]*device.Kernel{}})
			assert.InEpsilon(t, float64(plain.Report.Cycles), float64(other.Report.Cycles), 0.05)
		})
	}
}

// TestRereadKernels prints kernels, reads them again and compares what they do to memory and with other threads. Three
// things differ: PTX has shuffles of 32 bits only, so that one of 64 bits is two; a kernel that is optimised twice may
// have fewer branches, for which it has selections; and all shared memory is one variable, so that more words are loaded at once.
func TestRereadKernels(t *testing.T) {
	c := compile.New(catalog.Sources()...)
	micros, err := c.Entries("internal/kernels/micro")
	require.NoError(t, err)
	var all []scheduler.EntryPoint
	for _, e := range catalog.EntryPoints() {
		if strings.Contains(e.Name, "BFS") || strings.Contains(e.Name, "Paths") {
			all = append(all, e)
		}
	}
	for _, name := range micros {
		e := scheduler.EntryPoint{Name: name}
		if strings.HasPrefix(filepath.Base(name), "micro.AtomicThroughput") {
			e.Bind = map[string]any{"pattern": uint32(3)}
		}
		all = append(all, e)
	}
	require.Greater(t, len(all), 50)
	for _, e := range all {
		k, err := c.Kernel(t.Context(), e.Name, e.Bind)
		require.NoError(t, err)
		before := ir.Compiled(k)
		after := again(t, before)
		count := func(p *ir.Program) map[string]int {
			ops := map[string]int{}
			for i := range p.Code {
				in := &p.Code[i]
				switch in.Op.Action() {
				case ir.ActLoad, ir.ActStore, ir.ActAtomic, ir.ActFence, ir.ActBarrier, ir.ActNamed, ir.ActWarp, ir.ActClock, ir.ActSleep:
					n := 1
					if in.Op >= ir.OpShfl && in.Op <= ir.OpShflXor && in.K.Bits() == 64 {
						n = 2
					}
					if in.Op == ir.OpLoad {
						n = int(in.Mem.Vec)
					}
					ops[in.Op.String()] += n
				}
			}
			return ops
		}
		require.Equal(t, count(before.Program), count(after.Program), e.Name)
	}
}

// TestRereadRemoteMBarriers prints arrivals at mbarriers of other blocks of a cluster as PTX has them, without a result and with the
// scope of the cluster, and runs what was read again.
func TestRereadRemoteMBarriers(t *testing.T) {
	k, err := compile.New(testkernels.Sources).Kernel(t.Context(), "testkernels.ClusterOwn", nil)
	require.NoError(t, err)
	text, err := ptx.Module(ptx.Options{Target: "sm_90"}, ir.Compiled(k))
	require.NoError(t, err)
	for _, want := range []string{
		"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%td1], 1;", "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%td1], 512;",
		"mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _, [%td1], 512;",
		"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%td1], 512;", "mbarrier.try_wait.parity.acquire.cluster.b64 %q1, ",
	} {
		require.Contains(t, text, want)
	}
	dev := &reread{device.Wrapper{Device: open(t, "func")}, t, map[*device.Kernel]*device.Kernel{}}
	in, err := dev.Alloc("in", device.U32, 128)
	require.NoError(t, err)
	numbers := make([]uint32, 128)
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	require.NoError(t, dev.Write(in, numbers))
	out, err := dev.Alloc("out", device.U32, 128)
	require.NoError(t, err)
	for _, what := range []uint32{9, 10, 11} {
		require.NoError(t, dev.Write(out, make([]uint32, 128)))
		_, err = dev.Launch(t.Context(), device.Launch{Kernel: k, Grid: 4, Block: 32, Cluster: 2, Args: []any{what, in, out}})
		require.NoError(t, err)
		got := make([]uint32, 128)
		require.NoError(t, dev.Read(out, got))
		for i := range got {
			require.Equal(t, uint32(4*(i%32)), got[i])
		}
	}
}

// TestRereadClusterCopies prints copies to other blocks of a cluster as PTX has them, and runs what was read again.
func TestRereadClusterCopies(t *testing.T) {
	dev := &reread{device.Wrapper{Device: open(t, "func")}, t, map[*device.Kernel]*device.Kernel{}}
	run := func(kernel string, wants []string, out device.Buffer, args ...any) []uint32 {
		k, err := compile.New(testkernels.Sources).Kernel(t.Context(), "testkernels."+kernel, nil)
		require.NoError(t, err)
		text, err := ptx.Module(ptx.Options{Target: "sm_90"}, ir.Compiled(k))
		require.NoError(t, err)
		for _, want := range wants {
			require.Contains(t, text, want)
		}
		require.NoError(t, dev.Write(out, make([]uint32, out.Len)))
		_, err = dev.Launch(t.Context(), device.Launch{Kernel: k, Grid: 4, Block: 32, Cluster: 2, Args: append(args, out)})
		require.NoError(t, err)
		got := make([]uint32, out.Len)
		require.NoError(t, dev.Read(out, got))
		return got
	}
	alloc := func(name string, n int) device.Buffer {
		b, err := dev.Alloc(name, device.U32, n)
		require.NoError(t, err)
		return b
	}
	const n = 64
	got := run("SendRing", []string{
		"cvta.to.shared::cluster.u64 %td1, ", "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%td1], [%td3], ",
	}, alloc("out", 4*n), uint32(n), uint32(1))
	for i, x := range got { // what the other block had, and the rank of this one
		block := i / n
		require.Equal(t, uint32(100*(block^1)+i%n+block%2), x)
	}
	words, data := alloc("words", 3*n), make([]uint32, 3*n)
	for i := range data {
		data[i] = uint32(i + 5)
	}
	require.NoError(t, dev.Write(words, data))
	got = run("MulticastRounds", []string{"complete_tx::bytes.multicast::cluster [", "cvt.u16.u32 %h1, %t1;", "], %h1;"}, alloc("out", 4*n), words, uint32(n), uint32(3), uint32(2))
	for i, x := range got { // the second block of each cluster alone
		want := data[i%n] + data[n+i%n] + data[2*n+i%n]
		if i/n%2 == 0 {
			want = 0
		}
		require.Equal(t, want, x)
	}
}
