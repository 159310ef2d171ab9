package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/outside/kernels"
	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/hw"
)

// machine is the machine file of this module.
const machine = "sim:./machine.yaml"

// asCommand makes the test binary the command line.
const asCommand = "OUTSIDE_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	if err := weft.Extend(extensions); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// need ends the test if there is an error.
func need(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a device; nil if it is a GPU that is not there.
func open(t *testing.T, name string, o weft.Options) *weft.Device {
	t.Helper()
	d, err := weft.Open(t.Context(), name, o)
	if hw.IsMissing(err) {
		t.Logf("%s: %v", name, err)
		return nil
	}
	need(t, err)
	t.Cleanup(func() { need(t, d.Close()) })
	return d
}

// load compiles a kernel of package kernels. Its device code imports package group, which
// is found as the go command finds it.
func load(t *testing.T, name string) *device.Kernel {
	t.Helper()
	p, err := weft.Load("./kernels")
	need(t, err)
	k, err := p.Kernel(t.Context(), name, nil)
	need(t, err)
	return k
}

func upload[T any](t *testing.T, d *weft.Device, name string, data []T) weft.Buffer[T] {
	t.Helper()
	b, err := weft.Upload(d, name, data)
	need(t, err)
	return b
}

// matmul runs MatMul and compares what it computed.
func matmul(t *testing.T, d *weft.Device) *weft.Report {
	const n, blocks = 40, (40 + kernels.Tile - 1) / kernels.Tile
	a, b := make([]float32, n*n), make([]float32, n*n)
	for i := range a {
		a[i], b[i] = float32(i%17)/3, float32(i%11)/7
	}
	c := upload(t, d, "c", make([]float32, n*n))
	rep, err := d.Launch(t.Context(), weft.Launch{Kernel: load(t, "MatMul"), Grid: blocks, GridY: blocks, Block: kernels.Tile, BlockY: kernels.Tile,
		Args: []any{upload(t, d, "a", a), upload(t, d, "b", b), c, n}})
	need(t, err)
	got, err := c.Values()
	need(t, err)
	if !slices.Equal(got, kernels.Product(a, b, n)) {
		t.Errorf("%s: the product is wrong", d.Name())
	}
	return rep
}

func TestKernels(t *testing.T) {
	for _, name := range []string{"func", machine, "hw"} {
		d := open(t, name, weft.Options{})
		if d == nil {
			continue
		}
		rep := matmul(t, d)
		if n, ok := rep.Counter("smsp__inst_executed.sum"); name != "hw" && (!ok || n == 0) {
			t.Errorf("%s: %v instructions", name, n)
		}

		data := make([]uint8, 5000)
		want := make([]uint32, kernels.Bins)
		for i := range data {
			data[i] = uint8(i * i)
			want[data[i]]++
		}
		bins := upload(t, d, "bins", make([]uint32, kernels.Bins))
		_, err := d.Launch(t.Context(), weft.Launch{Kernel: load(t, "Histogram"), Grid: 4, Block: 128, Args: []any{upload(t, d, "data", data), bins}})
		need(t, err)
		if got, err := bins.Values(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: the histogram is wrong (%v)", name, err)
		}

		x := make([]uint32, 5000)
		for i := range x {
			x[i] = uint32(i)
		}
		for _, block := range []int{128, 1, 31, 48, 33, 100, 1023} {
			total := upload(t, d, "total", []uint32{0})
			_, err = d.Launch(t.Context(), weft.Launch{Kernel: load(t, "Sum[uint32]"), Grid: 4, Block: block, Args: []any{upload(t, d, "x", x), total}})
			need(t, err)
			if got, err := total.Values(); err != nil || got[0] != 4999*5000/2 {
				t.Errorf("%s: the sum is %v (%v) with blocks of %d threads", name, got, err, block)
			}
		}
	}
}

// TestProfile annotates a kernel, and finds its source in a profile by go tool pprof -list.
func TestProfile(t *testing.T) {
	d := open(t, machine, weft.Options{Profile: true, Trace: true})
	matmul(t, d)
	var text, trace bytes.Buffer
	need(t, d.Annotate(&text))
	need(t, d.WriteTrace(&trace))
	if !strings.Contains(text.String(), "sum = gpu.FMA(as[y][i], bs[i][x], sum)") {
		t.Errorf("no source in\n%s", text.String())
	}
	if !strings.Contains(trace.String(), "MatMul") {
		t.Error("no kernel in the trace")
	}
	file := filepath.Join(t.TempDir(), "matmul.pb.gz")
	f, err := os.Create(file)
	need(t, err)
	need(t, d.WriteProfile(f))
	need(t, f.Close())
	list, err := exec.Command("go", "tool", "pprof", "-list", "MatMul", file).CombinedOutput()
	need(t, err)
	if !strings.Contains(string(list), "sum = gpu.FMA(as[y][i], bs[i][x], sum)") {
		t.Errorf("no source in\n%s", list)
	}
}

func TestPTX(t *testing.T) {
	for name, want := range map[string]string{"MatMul": "bar.sync", "Histogram": "red.relaxed.cta.shared.add.u32", "Sum[float32]": "shfl.sync.idx"} {
		text, err := weft.PTX(load(t, name), "sm_90")
		need(t, err)
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the PTX of %s", want, name)
		}
	}
}

// TestAlgorithm runs the algorithm under schemes that push and pull, and under the scheme
// of this module, with the policy of this module too.
func TestAlgorithm(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "rmat:scale=7,degree=8,seed=1", graph.LoadOptions{})
	need(t, err)
	source, _ := g.MaxDegreeVertex()
	for _, name := range []string{"func", machine, "hw"} {
		for _, by := range []struct{ scheduler, direction string }{{"octet", ""}, {"warp", "push"}, {"warp", "pull"}, {"block-queue", ""}} {
			o := weft.Options{}
			if name == machine {
				o.Set = []string{"l1.replacement=mru"}
			}
			d := open(t, name, o)
			if d == nil {
				continue
			}
			req := weft.Request{Algorithm: "minimax", Scheduler: by.scheduler, Graph: g, Source: source, Verify: true, Params: map[string]string{}}
			if by.direction != "" {
				req.Params["direction"] = by.direction
			}
			res, err := weft.Run(t.Context(), d, req)
			need(t, err)
			if !res.Verified {
				t.Errorf("%s by %v: %v", name, by, res.Mismatch)
			}
		}
	}
}

// TestScheme runs algorithms of Weft under the scheme of this module; PageRank is
// one that changes a vertex when it takes what the vertex sends.
func TestScheme(t *testing.T) {
	g, _, err := graph.Open(t.Context(), "rmat:scale=6,degree=8,seed=1", graph.LoadOptions{})
	need(t, err)
	for _, algorithm := range []string{"bfs", "cc", "sssp", "pagerank"} {
		res, err := weft.Run(t.Context(), open(t, "func", weft.Options{}), weft.Request{Algorithm: algorithm, Scheduler: "octet", Graph: g, Verify: true})
		need(t, err)
		if !res.Verified {
			t.Errorf("%s: %v", algorithm, res.Mismatch)
		}
	}
}

// TestCommand: the command line has what is linked in.
func TestCommand(t *testing.T) {
	for args, want := range map[string]string{
		"version":         "example.com/outside",
		"list algorithms": "minimax",
		"list schedulers": "octet",
		"run minimax --scheduler octet --device " + machine + " --set l1.replacement=mru --graph grid:width=8": "verified against the CPU reference",
		"annotate bfs --scheduler octet --device sim:tiny --graph grid:width=8":                                "scheduler.SendUpdate(alg, edge, src, &values[edge.Dst]",
		"compare minimax --scheduler octet --device sim:tiny --with func --graph grid:width=8":                 "minimax",
		"ptx minimax --scheduler octet": ".entry",
	} {
		out, err := invoke(args)
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
	}
}

// TestReadme runs the commands of the README that are this command line's.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	need(t, err)
	ran := 0
	for line := range strings.Lines(string(text)) {
		args, ok := strings.CutPrefix(strings.TrimSpace(line), "go run . ")
		if !ok {
			continue
		}
		ran++
		if out, err := invoke(args); err != nil {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
	}
	if ran < 5 {
		t.Errorf("%d commands", ran)
	}
}

// invoke runs this command line.
func invoke(args string) (out []byte, err error) {
	cmd := exec.Command(os.Args[0], strings.Fields(args)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd.CombinedOutput()
}
