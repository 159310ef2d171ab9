//go:build !kernel

package multi

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// usualBlock is the number of threads per block if the user names none.
const usualBlock = 128

// run is a run of an algorithm on a group.
type run struct {
	*scheduler.Loop
	group    device.Group
	members  []*member
	bounds   []int // of the ranges
	need     []uint32
	kind     device.Kind // of a value
	block    int
	exchange string
	overlap  bool
	count    bool // whether to count useful values
	most     int  // iterations
	mail     mail
	total    *scheduler.Communication

	// What the current iteration did so far.
	spent         scheduler.Spent
	bytes, useful uint64
}

// member is a GPU of the group with its range of vertices.
type member struct {
	index, lo, hi int
	memory        *scheduler.Memory
	instance      *scheduler.Instance
	graph         scheduler.GraphArg // the rows of the range
	rows          []uint32           // its row offsets
	outRow, need  device.Buffer
	known         device.Buffer    // the values of the range as they were last sent, if small changes are not
	values        [2]device.Buffer // an element for each vertex of the graph; a push uses the first one alone
	words         device.Buffer    // see tally
	seen, now     []uint32         // what was in words at the end of the last two runs
	inbox         inbox
}

// inbox collects what arrives at a GPU. Senders fill it one after another, with pairs or, if
// the vertices are fixed, with values alone.
type inbox struct {
	vertices device.Buffer // that are fixed
	room     device.Buffer
	filled   int // elements of room
}

// take returns the next n elements of the inbox.
func (in *inbox) take(n int) device.Buffer {
	from := in.filled
	in.filled += n
	return in.room.Slice(from, in.filled)
}

// newInbox allocates an inbox for n values.
func (r *run) newInbox(m *member, n int) inbox {
	if r.refines() {
		return inbox{room: m.memory.Alloc("inbox", device.U64, r.pair(n))}
	}
	return inbox{vertices: m.memory.Alloc("inbox.Vertices", device.U32, n), room: m.memory.Alloc("inbox", r.kind, n)}
}

// refines reports whether the kernels choose what is sent, as pairs of vertex and value.
func (r *run) refines() bool { return r.exchange == vrOffline || r.exchange == vrOnline }

// pair returns the number of words of n pairs.
func (r *run) pair(n int) int { return n * max(r.kind.Bytes()/4, 1) }

// begin checks the job, divides the graph and places it. The rows of g are those that the
// ranges have: incoming arcs for a pull. If the loop is nil, the job is invalid; otherwise the
// caller must call finish, also after an error.
func begin(ctx context.Context, j scheduler.Job, g *graph.CSR) (*run, error) {
	group := device.Alone(j.Device)
	j.Device = group
	base, err := scheduler.Begin(j)
	if err != nil {
		return nil, err
	}
	kind, _ := device.KindOfType(j.Algorithm.Value)
	r := &run{Loop: base, group: group, kind: kind, block: cmp.Or(j.Params.Int("block"), usualBlock), exchange: j.Params.Word("exchange"),
		overlap: j.Params.Bool("overlap"), count: j.Params.Bool("useful"), most: j.Params.Int("max-iterations")}
	r.bounds = scheduler.Divide(j.Params, g.Row, group.GPUs(), 1)
	if pullsToo(j.Algorithm, j.Params) {
		r.bounds = scheduler.Divide(j.Params, g.Row, group.GPUs(), gpu.WarpSize) // whole words of Mirror.Known
		r.count = false                                                          // who reads a value that a pull stores is not known
	}
	if j.Algorithm.Phased && j.Algorithm.Enters() {
		r.count = false // who reads of what a phase begins with is not known
	}
	if r.most == 0 {
		r.most = j.Graph.Vertices() + 1000
	}
	if err := r.way(ctx, j.Params.Word("transfer")); err != nil {
		return nil, err
	}
	r.total = &scheduler.Communication{Arcs: g.Arcs(), Cut: scheduler.CutArcs(g, r.bounds), Counted: r.count, Pairs: scheduler.PairUses(group.GPUs())}
	for i := range group.GPUs() {
		m := &member{index: i, lo: r.bounds[i], hi: r.bounds[i+1], memory: scheduler.NewMemory(group.GPU(i))}
		r.members = append(r.members, m)
		if err := r.place(m, g); err != nil {
			return r, fmt.Errorf("GPU %d: %w", i, err)
		}
	}
	return r, nil
}

// way prepares how values travel.
func (r *run) way(ctx context.Context, transfer string) error {
	r.mail.byHost = transfer == host
	for from := range r.group.GPUs() {
		for to := range r.group.GPUs() {
			way := r.group.Peer(from, to)
			r.mail.byHost = r.mail.byHost || transfer == auto && !way.Copy
			if transfer == store && !way.Access {
				return fmt.Errorf("transfer=store: GPU %d cannot reach the memory of GPU %d", from, to)
			}
		}
	}
	if transfer != store {
		return nil
	}
	elem := r.Algorithm.Value.String()
	if r.refines() {
		elem = "uint64"
	}
	k, err := r.kernel(ctx, storing(elem))
	r.mail.store = func(ms []message) (*device.Launch, error) {
		var src, dst [Messages]device.Buffer
		most := 0
		for i := range src {
			m := ms[0]
			if i < len(ms) {
				m = ms[i]
				most = max(most, m.src.Len)
			} else {
				m.src.Len, m.dst.Len = 0, 0
			}
			src[i], dst[i] = m.src, m.dst
		}
		grid, err := r.Grid(k, r.block, scheduler.OneThread, most)
		return &device.Launch{Kernel: k, Grid: grid, Block: r.block, Args: []any{src, dst}}, err
	}
	return err
}

// place allocates what every scheme needs on a GPU.
func (r *run) place(m *member, g *graph.CSR) (err error) {
	n := r.Vertices()
	m.outRow = m.memory.Rows("outRow", r.Graph)
	m.rows = rowsOf(g, m.lo, m.hi)
	m.graph = m.arcs(g, m.rows)
	m.values[0] = m.memory.Alloc("values", r.kind, n)
	m.now = make([]uint32, 1+2*r.group.GPUs())
	m.seen = make([]uint32, len(m.now))
	m.words = m.memory.Copy("tally", m.now)
	if err := m.memory.Err(); err != nil {
		return err
	}
	m.instance, err = r.Algorithm.New(m.memory, n, r.AlgorithmParams)
	return err
}

// arcs places the rows of the range in a graph; rows are their offsets.
func (m *member) arcs(g *graph.CSR, rows []uint32) scheduler.GraphArg {
	lo, hi := g.Row[m.lo], g.Row[m.hi]
	var weight []uint32
	if len(g.Weight) > 0 {
		weight = g.Weight[lo:hi]
	}
	return scheduler.GraphArg{Row: m.memory.Copy("g.Row", rows), Col: m.memory.Copy("g.Col", g.Col[lo:hi]), Weight: m.memory.Copy("g.Weight", weight)}
}

// The words of a tally: the number of changed vertices, and for each other GPU what was put in
// an outbox for it, and how much of that is useful. An outbox for all others counts for GPU 0 in a
// pull, and for the own GPU in a push.
func (r *run) top(gpu int) int  { return 1 + gpu }
func (r *run) used(gpu int) int { return 1 + r.group.GPUs() + gpu }

// word returns a word of a GPU's tally.
func (m *member) word(i int) device.Buffer { return m.words.Slice(i, i+1) }

// grown returns by how much a word grew in the last run.
func (m *member) grown(i int) int { return int(m.now[i] - m.seen[i]) }

// listen adds a read of the tally after everything on the GPU's default stream.
func (m *member) listen(b *scheduler.Batch) {
	copy(m.seen, m.now)
	b.Add(scheduler.Control, device.Command{GPU: m.index, Read: &device.HostCopy{Buffer: m.words, Host: m.now}})
}

// kernel returns a kernel of an entry point.
func (r *run) kernel(ctx context.Context, e scheduler.EntryPoint) (*device.Kernel, error) {
	return r.Kernels.Kernel(ctx, e.Name, e.Bind)
}

// launch adds a launch over work threads on the default stream of a GPU, and returns its
// index.
func (r *run) launch(b *scheduler.Batch, m *member, k *device.Kernel, team scheduler.Team, work int, after []int, args ...any) (int, error) {
	grid, err := r.Grid(k, r.block, team, work)
	if err != nil {
		return 0, err
	}
	return b.Add(scheduler.Compute, device.Command{GPU: m.index, After: after, Launch: &device.Launch{Kernel: k, Grid: grid, Block: r.block, Args: args}}), nil
}

// preparing is a kernel that runs on all GPUs before the first iteration. args returns its arguments on a GPU.
type preparing struct {
	kernel *device.Kernel
	args   func(m *member) []any
}

// add adds the launches of the kernel, as a kind of preparation.
func (p preparing) add(r *run, b *scheduler.Batch, w scheduler.Work) error {
	for _, m := range r.members {
		grid, err := r.Grid(p.kernel, r.block, scheduler.OneThread, r.Vertices())
		if err != nil {
			return err
		}
		b.Add(w, device.Command{GPU: m.index, Launch: &device.Launch{Kernel: p.kernel, Grid: grid, Block: r.block, Args: p.args(m)}})
	}
	return nil
}

// setup runs kernels, one after another on each GPU, before the first iteration.
func (r *run) setup(ctx context.Context, kernels ...preparing) error {
	return r.prepared(ctx, new(scheduler.Batch), kernels...)
}

// prepared runs kernels that prepare and what a batch has, and records the former.
func (r *run) prepared(ctx context.Context, rest *scheduler.Batch, kernels ...preparing) error {
	var b scheduler.Batch
	for i, p := range kernels {
		if err := p.add(r, &b, scheduler.Apart+scheduler.Work(i)); err != nil {
			return err
		}
	}
	b.Append(rest)
	err := b.Run(ctx, r.group, &r.spent)
	for i, s := range b.Apart() {
		r.Record(kernels[i].kernel, s.Report(), scheduler.Step{Setup: true})
	}
	return err
}

// init sets the values of all vertices on each GPU, with those of the replicas.
func (r *run) init(ctx context.Context) error {
	p, err := r.initial(ctx)
	if err != nil {
		return err
	}
	return r.setup(ctx, p)
}

// initial returns the kernel that sets the values of all vertices on a GPU.
func (r *run) initial(ctx context.Context) (preparing, error) {
	k, err := r.kernel(ctx, scheduler.InitKernel(r.Algorithm))
	if err != nil {
		return preparing{}, err
	}
	// Init fills a queue, which nobody reads. It is freed with everything else: to free memory takes a real GPU as long as an iteration.
	queues := make([]scheduler.QueueArg, len(r.members))
	for i, m := range r.members {
		queues[i] = scheduler.QueueArg{Vertices: m.memory.Alloc("queue", device.U32, r.Vertices()), Count: m.memory.Copy("queue.Count", []uint32{0}),
			Stamp: m.memory.Alloc("queue.Stamp", device.U32, r.Vertices())}
		if err := m.memory.Err(); err != nil {
			return preparing{}, fmt.Errorf("GPU %d: %w", m.index, err)
		}
	}
	return preparing{k, func(m *member) []any {
		q := queues[m.index]
		g := scheduler.GraphArg{Row: m.outRow, Col: q.Stamp, Weight: q.Stamp} // Init reads rows only
		return []any{m.instance.Arg, g, r.problem(), m.values[0], q}
	}}, nil
}

// turned returns the kernel that converts the values of all vertices on a GPU before the first pull, for an algorithm that needs it.
func (r *run) turned(ctx context.Context) (preparing, error) {
	k, err := r.kernel(ctx, scheduler.TurnKernel(r.Algorithm))
	return preparing{k, func(m *member) []any {
		return []any{m.instance.Arg, m.outRow, m.values[0].Slice(0, r.Vertices()), true}
	}}, err
}

// resident returns how many blocks of a kernel a GPU holds at the same time, at least one, or as many as most if that is not 0 and fewer.
func (r *run) resident(gpu int, k *device.Kernel, most int) (int, error) {
	occ, err := r.group.GPU(gpu).Occupancy(k, r.block)
	if err != nil {
		return 0, err
	}
	grid := max(occ.Resident(), 1)
	if most > 0 {
		grid = min(grid, most)
	}
	return grid, nil
}

// part returns the range of a GPU as a launch argument.
func (r *run) part(m *member) partArg {
	return partArg{Graph: m.graph, First: uint32(m.lo), OutRow: m.outRow, Need: m.need}
}

// problem returns the input besides the graph.
func (r *run) problem() scheduler.Problem {
	return scheduler.Problem{Source: r.Source, Vertices: uint32(r.Vertices())}
}

// among returns the place of another GPU among those that a GPU is not.
func among(of, other int) int {
	if other > of {
		return other - 1
	}
	return other
}

// sent counts what a GPU gets.
func (r *run) sent(from int, to receiver) {
	at := from*(len(r.members)-1) + among(from, to.gpu)
	bytes := uint64(to.dst.Bytes())
	r.total.Pairs[at].Bytes += bytes
	r.total.Pairs[at].Useful += to.useful
	r.bytes += bytes
	r.useful += to.useful
}

// record records an iteration, which is one step, however many launches it had on all GPUs. Its
// kernel is the one that does the work, and its time that in which any kernel ran.
func (r *run) record(k *device.Kernel, i, work, changed int) {
	s, total := r.spent, r.total
	numbers := []scheduler.Number{{Name: "frontier", Value: float64(work)}, {Name: "next", Value: float64(changed)},
		{Name: "sent_bytes", Value: float64(r.bytes)}, {Name: "useful_bytes", Value: float64(r.useful)},
		{Name: "compute_seconds", Value: s.Compute}, {Name: "transfer_seconds", Value: s.Transfer}, {Name: "overlap_seconds", Value: s.Overlap}}
	if s.Launches > 0 {
		total.Iterations = i
	}
	total.Compute, total.Transfer, total.Overlap = total.Compute+s.Compute, total.Transfer+s.Transfer, total.Overlap+s.Overlap
	r.spent, r.bytes, r.useful = scheduler.Spent{}, 0, 0
	r.Record(k, s.Report(), scheduler.Step{Iteration: i, Numbers: numbers})
}

// tooMany returns an error if iteration i exceeds the limit.
func (r *run) tooMany(i, active int) error {
	if i > r.most {
		return &scheduler.NotConverged{Algorithm: r.Algorithm.Name, Iterations: r.most, Active: active}
	}
	return nil
}

// finish reads the results, each vertex's from its owner, and frees all memory. values returns
// the array with the values of a GPU.
func (r *run) finish(err error, values func(m *member) device.Buffer) (*scheduler.Outcome, error) {
	var shares []scheduler.GPUShare
	for _, m := range r.members {
		shares = append(shares, scheduler.GPUShare{Memory: m.memory, Instance: m.instance, Values: values(m), Lo: m.lo, Hi: m.hi})
	}
	out, err := r.FinishShares(err, shares)
	out.Communication = r.total
	return out, err
}
