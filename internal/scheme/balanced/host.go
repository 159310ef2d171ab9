//go:build !kernel

package balanced

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// The values of the parameter balance.
const (
	search  = "search"
	buckets = "buckets"
)

// New returns the scheme.
func New() scheduler.Scheme {
	block := scheduler.BlockParam()
	block.Default = "256"
	return scheduler.Scheme{
		Name:    "balanced",
		Doc:     "bulk-synchronous, arcs of the frontier divided evenly among all threads: load-balancing search, or buckets of degrees",
		Sources: []gpu.Package{Sources},
		Params: []scheduler.Param{
			{Name: "balance", Type: scheduler.WordParam, Words: []string{search, buckets}, Default: search,
				Doc: "search: prefix sums of the degrees, and as many arcs for each thread; buckets: a launch for the vertices of a thread, of a warp and of a block each"},
			block,
			{Name: "collect", Type: scheduler.BoolParam, Default: "false",
				Doc: "a kernel looks at all vertices for the next frontier, as in the paper's PageRank; false: updates add to it"},
			scheduler.MaxIterationsParam(),
		},
		Quantities: scheduler.FrontierQuantities(),
		Takes:      takes,
		Kernels:    kernels,
		Run:        run,
	}
}

// takes accepts all that can be pushed.
func takes(a scheduler.Type, p scheduler.Values) error {
	err := a.Pushes()
	if err == nil && p.Bool("collect") && !collects(a) {
		err = &scheduler.ParamError{Scheme: "balanced", Param: "collect", Err: fmt.Errorf("%s does not collect in its value what it has to send, as PageRank does", a.Name)}
	}
	return err
}

// collects reports whether Collect finds the active vertices.
func collects(a scheduler.Type) bool { return a.OwnTake() && !a.Phased }

// entry returns the entry point of a kernel of this package.
func entry(name, what string, a scheduler.Type) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("balanced.%s[%s, %s]", name, a.Name, a.Value), What: what}
}

func gatherEntry(a scheduler.Type) scheduler.EntryPoint {
	return entry("Gather", "what the frontier sends, with prefix sums of its degrees", a)
}

func expandEntry(a scheduler.Type) scheduler.EntryPoint {
	return entry("Expand", "the updates of all arcs of the frontier", a)
}

func collectEntry(a scheduler.Type) scheduler.EntryPoint {
	return entry("Collect", "the next frontier, from all vertices", a)
}

// bucketEntry returns the kernel for one of the three buckets.
func bucketEntry(a scheduler.Type, bucket int) scheduler.EntryPoint {
	return scheduler.EntryPoint{Name: fmt.Sprintf("balanced.Bucket[%s, %s, %s]", a.Name, scheduler.BucketMappings[bucket], a.Value), What: "the updates of the vertices of a bucket"}
}

// kernels returns all kernels for an algorithm.
func kernels(a scheduler.Type) []scheduler.EntryPoint {
	list := []scheduler.EntryPoint{expandEntry(a), gatherEntry(a), scheduler.SplitKernel()}
	for i := range scheduler.BucketMappings {
		list = append(list, bucketEntry(a, i))
	}
	if collects(a) {
		list = append(list, collectEntry(a))
	}
	return append(append(list, scheduler.InitKernel(a)), scheduler.PhaseKernels(a)...)
}

// run launches the kernels of an iteration until the frontier is empty.
func run(ctx context.Context, j scheduler.Job) (*scheduler.Outcome, error) {
	if err := takes(j.Algorithm, j.Params); err != nil {
		return nil, err
	}
	b := &balanced{job: j}
	if err := b.compile(ctx); err != nil {
		return nil, err
	}
	return scheduler.RunRounds(ctx, j, func(l *scheduler.FrontierLoop) scheduler.RoundFunc {
		b.FrontierLoop = l
		err := b.place(ctx)
		return func(r scheduler.Round) (active, iterations int, _ error) {
			if err != nil {
				return 0, 0, err
			}
			active, err := b.round(ctx, r)
			return active, 1, err
		}
	})
}

// balanced is a run.
type balanced struct {
	*scheduler.FrontierLoop
	job                     scheduler.Job
	gather, expand, collect *device.Kernel
	bucket                  [3]*device.Kernel
	work                    WorkArg
	totals                  device.Buffer // Total and Next, which change places
	split                   *scheduler.Splitter
	counted                 [1]uint32
	most                    int // the largest degree
}

// WorkArg is a Work as a launch argument.
type WorkArg struct {
	Vertex, Degree, First, Sum, Sent, Total, Next device.Buffer
}

func (b *balanced) buckets() bool { return b.job.Params.Word("balance") == buckets }

// compile compiles the kernels that the parameters need.
func (b *balanced) compile(ctx context.Context) error {
	a := b.job.Algorithm
	wanted := map[**device.Kernel]scheduler.EntryPoint{&b.gather: gatherEntry(a), &b.expand: expandEntry(a)}
	if b.buckets() {
		wanted = map[**device.Kernel]scheduler.EntryPoint{}
		for i := range b.bucket {
			wanted[&b.bucket[i]] = bucketEntry(a, i)
		}
	}
	if b.job.Params.Bool("collect") {
		wanted[&b.collect] = collectEntry(a)
	}
	var errs []error
	for k, e := range wanted {
		var err error
		*k, err = b.job.Kernels.Kernel(ctx, e.Name, nil)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// place allocates what the iterations share.
func (b *balanced) place(ctx context.Context) (err error) {
	graphs := []*graph.CSR{b.Graph}
	if b.Algorithm.Reverses() {
		turned, err := b.Graph.Transpose(ctx)
		if err != nil {
			return err
		}
		graphs = append(graphs, turned)
	}
	if b.buckets() {
		b.split, err = scheduler.NewSplitter(ctx, b.Loop, b.Block, graphs...)
		return err
	}
	for _, g := range graphs {
		for v := range uint32(g.Vertices()) {
			b.most = max(b.most, g.Degree(v))
		}
	}
	m, n := b.Memory, b.Vertices()
	kind, _ := device.KindOfType(b.Algorithm.Value)
	b.work = WorkArg{Vertex: m.Alloc("work.Vertex", device.U32, n), Degree: m.Alloc("work.Degree", device.U32, n), First: m.Alloc("work.First", device.U32, n),
		Sum: m.Alloc("work.Sum", device.U32, n), Sent: m.Alloc("work.Sent", kind, n)}
	if b.totals = m.Alloc("work.Total", device.U64, 2); m.Err() != nil {
		return m.Err()
	}
	return b.Device.Write(b.totals, []uint64{0, 0})
}

// round runs one iteration. The host waits once, for the size of the next frontier.
func (b *balanced) round(ctx context.Context, r scheduler.Round) (active int, err error) {
	launches, err := b.launches(r)
	if err != nil {
		return 0, err
	}
	reports, err := b.LaunchAllRead(ctx, launches, device.Answer{Buffer: b.Count, To: b.counted[:]})
	for i, rep := range reports {
		s := scheduler.Step{Iteration: r.Iteration}
		if err == nil && i == len(launches)-1 {
			s.Numbers = []scheduler.Number{{Name: "frontier", Value: float64(r.In.Count)}, {Name: "next", Value: float64(b.counted[0])}}
		}
		b.Record(launches[i].Kernel, rep, s)
	}
	return int(b.counted[0]), err
}

// launches returns the launches of an iteration. Grids are for the most work that the frontier
// can have, since the host does not wait to know it.
func (b *balanced) launches(r scheduler.Round) (list []device.Launch, err error) {
	add := func(k *device.Kernel, team scheduler.Team, teams, shared int, args ...any) {
		d := device.Launch{Kernel: k, Block: b.Block, DynamicShared: shared, Args: append([]any{b.Instance.Arg}, args...)}
		if err == nil {
			d.Grid, err = b.Grid(k, b.Block, min(team, scheduler.Team(b.Block)), teams)
		}
		list = append(list, d)
	}
	n, odd := int(r.In.Count), r.Iteration%2
	enqueue := b.collect == nil
	if b.buckets() {
		var d device.Launch
		if d, err = b.split.Launch(b.Loop, b.Block, r.Graph.Row, r.In, odd, r.Out.Count); err != nil {
			return nil, err
		}
		list = append(list, d)
		for i, k := range b.bucket {
			if most := min(n, b.split.Most[i]); most > 0 {
				add(k, scheduler.BucketTeams[i], most, 0, r.Graph, b.Values, b.split.Lists[i], b.split.Count(odd, i), r.In.Phase, enqueue, r.Out)
			}
		}
	} else {
		work := b.work
		work.Total, work.Next = b.totals.Slice(odd, odd+1), b.totals.Slice(1-odd, 2-odd)
		arcs := min(n*b.most, int(b.Graph.Arcs()))
		add(b.gather, scheduler.OneThread, n, 0, r.Graph, b.Values, r.In, work, r.Out.Count)
		add(b.expand, scheduler.OneThread, (arcs+perThread-1)/perThread, 4*perThread*b.Block, r.Graph, b.Values, work, r.In.Phase, enqueue, r.Out)
	}
	if b.collect != nil {
		add(b.collect, scheduler.OneThread, b.Vertices(), 0, b.Values, r.Out)
	}
	return list, err
}
