package hw

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/ptx"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// codeKey identifies a built variant of a kernel.
type codeKey struct {
	kernel   *device.Kernel
	readOnly bool   // with the read-only path
	cluster  [3]int // blocks of one, along x, y, z
}

// code is a kernel loaded in the child.
type code struct {
	info worker.FuncInfo
	// room is how many blocks fit on an SM, by threads per block and dynamic shared memory.
	room map[[2]int]int
}

// Launch runs a kernel to completion and measures its time on the GPU.
func (d *Device) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	return d.Time(ctx, l, 1)
}

// Time launches a kernel repeat times back to back; the report's Seconds are the total time of all launches.
func (d *Device) Time(ctx context.Context, l device.Launch, repeat int) (*device.Report, error) {
	defer d.calls.Begin().End()
	ctx = d.calls.During(ctx)
	d.stages.asked(&l)
	return d.launch(ctx, l, repeat, answer{})
}

// launch runs a kernel, and fetches its answer if one is requested.
func (d *Device) launch(ctx context.Context, l device.Launch, repeat int, ask answer) (*device.Report, error) {
	g, c, err := d.prepare(ctx, l)
	if err != nil {
		if ctx.Err() != nil { // it was ended while the driver built the kernel: nothing has run
			return &device.Report{Counters: []device.Counter{counter.Reported("gpu__time_duration.sum", 0)}}, err
		}
		return nil, err
	}
	uses := g
	if native(l.Kernel) {
		uses = nil
	}
	if err := d.settleFor(uses); err != nil {
		return nil, err
	}
	d.child.Ready()
	d.stages.prepared()
	call := d.child.Launch()
	d.describe(call, g, c)
	call.Repeat, call.Answer, call.AnswerBytes, call.ClearBefore, call.ClearAfter = repeat, ask.addr, ask.bytes, ask.clearBefore, ask.clearAfter
	hostDeadline := d.opts.Deadline
	if d.opts.Watchdog {
		hostDeadline += time.Second
	}
	d.marks = d.marks%(1<<31-1) + 1
	call.Mark = d.marks
	d.child.For(d.gpu)
	call.Staged = d.stages != nil
	d.stages.sent()
	d.child.Send(worker.OpLaunch)
	var seen bool
	var f *worker.Failure
	if d.info.Answers && !call.Checked {
		seen, f, err = d.child.AwaitAnswer(ctx, hostDeadline, call.Mark, ask.bytes/4)
		err = d.child.explain(err)
	} else {
		f, err = d.child.wait(ctx, hostDeadline)
	}
	d.stages.seen()
	if err := d.outcome("launch of "+l.Kernel.Name)(f, err); err != nil {
		return d.report(l, c, 0, 0), d.explain(l, err)
	}
	var seconds float64
	if seen {
		seconds = worker.Without(float64(d.child.Marked(d.answer[:ask.bytes]))/1e9, d.info.AnswerOverhead)
	} else {
		seconds = call.Seconds
		copy(d.answer[:ask.bytes], d.child.Answer())
		if call.Faulted {
			err = d.fault(g, call.Fault[:])
		}
	}
	d.known = d.Now()
	d.fetched(ask)
	rep := d.report(l, c, seconds, max(repeat, 1))
	d.staged(seconds)
	return rep, err
}

// prepare binds a launch and builds its kernel. The grid is valid until the next launch is prepared.
func (d *Device) prepare(ctx context.Context, l device.Launch) (*simt.Grid, *code, error) {
	if r := d.readied; r.token != 0 && r.token == l.Prepared {
		return r.grid, r.code, nil
	}
	d.readied = readied{}
	if native(l.Kernel) {
		return d.prepareNative(ctx, l)
	}
	g, err := d.binder.Bind(d.mem, l, simt.Limits{Shared: d.info.SharedPerBlock})
	if err != nil {
		return nil, nil, err
	}
	if err := d.clustered(g); err != nil {
		return nil, nil, err
	}
	if len(d.gpus) > 1 {
		if err := device.CheckAccess(d.group, d.gpu, l); err != nil {
			return nil, nil, err
		}
	}
	c, err := d.load(ctx, l.Kernel, !d.opts.NoReadOnlyPath && !d.overlap(g), g.ClusterDim())
	if err != nil {
		return nil, nil, err
	}
	if err := d.admit(g, c); err != nil {
		return nil, nil, err
	}
	if n := parameters(g.Prog); n > worker.MaxParams {
		return nil, nil, &device.ArgError{Kernel: l.Kernel.Name, What: fmt.Sprintf("%d parameters; a GPU takes %d here", n, worker.MaxParams)}
	}
	return g, c, d.encode(ctx, g)
}

// clustered rejects a launch with clusters on a GPU that has none.
func (d *Device) clustered(g *simt.Grid) error {
	if g.Cluster > 1 && d.info.Major < 9 {
		return &device.ArgError{Kernel: g.Kernel.Name, What: fmt.Sprintf("clusters need compute capability 9.0; %s has %d.%d", d.name, d.info.Major, d.info.Minor)}
	}
	return nil
}

// admit rejects a launch for whose blocks there is no room.
func (d *Device) admit(g *simt.Grid, c *code) error {
	if g.Threads > c.info.MaxThreads {
		return &device.ArgError{Kernel: g.Kernel.Name, What: fmt.Sprintf("a block of %d threads; with %d registers per thread, a block can have at most %d", g.Threads, c.info.Registers, c.info.MaxThreads)}
	}
	if g.Launch.Cooperative {
		if err := d.fits(g, c); err != nil {
			return err
		}
	}
	d.noteRoom(g, c)
	return nil
}

// describe describes a prepared launch to the child.
func (d *Device) describe(call *worker.LaunchCall, g *simt.Grid, c *code) {
	call.Func, call.Grid, call.Block, call.DynamicShared, call.Cooperative = c.info.Number, g.Shape.Grid, g.Shape.Block, g.Launch.DynamicShared, g.Launch.Cooperative
	call.Checked, call.DeadlineNS = d.opts.Check || d.opts.Watchdog, 0
	if d.opts.Watchdog {
		call.DeadlineNS = uint64(d.opts.Deadline)
	}
	call.Bytes, call.NParams, call.Cluster = 0, 0, [3]int{}
	if g.Prog == nil {
		call.Checked, call.DeadlineNS = false, 0 // as they stand, they have neither
		// Else their text has the size of a cluster.
		if g.Kernel.OnlyCluster == 0 {
			call.Cluster = g.ClusterDim()
		}
		call.Bytes = d.raw(call)
		return
	}
	if len(g.Tensors) > 0 {
		words := make([]uint64, parameters(g.Prog))
		d.params(g, words)
		call.Bytes = d.withTensors(call, words)
		return
	}
	call.NParams = parameters(g.Prog)
	d.params(g, call.Params[:call.NParams])
}

// explain adds the kernel's name to an error that ended the child.
func (d *Device) explain(l device.Launch, err error) error {
	var f *failureError
	switch {
	case errors.Is(err, worker.ErrLate):
		return &device.HangError{Kernel: l.Kernel.Name, What: fmt.Sprintf("it exceeded its deadline of %v on %s and was killed", d.opts.Deadline, d.name) + d.roomOf(l)}
	case errors.As(err, &f) && f.Sticky:
		return &device.Fault{Kernel: l.Kernel.Name, What: f.Text, Block: -1, Thread: -1}
	}
	return err
}

// parameters returns how many leaves the code on the GPU takes: all except the tables of constants, which come last
// and are part of the module.
func parameters(p *ir.Program) int {
	n := len(p.Leaves)
	for n > 0 && p.Leaves[n-1].Table != nil {
		n--
	}
	return n
}

// params writes the values of the first leaves to p, with addresses on the GPU.
func (d *Device) params(g *simt.Grid, p []uint64) {
	copy(p, g.Leaves)
	for i, leaf := range g.Prog.Leaves[:len(p)] {
		if leaf.Role != ir.Base && leaf.Role != ir.Pointer || p[i] == 0 {
			continue
		}
		p[i] = d.onGPU(p[i])
	}
}

// onGPU returns the address on the GPU of an address of an allocation; others stay as they are.
func (d *Device) onGPU(addr uint64) uint64 {
	if a, off := d.mem.Lookup(addr); a != nil {
		return d.addr[a.ID] + uint64(off)
	}
	return addr
}

// overlap reports whether a buffer that the launch may write overlaps one that it only reads.
func (d *Device) overlap(g *simt.Grid) bool {
	only, ok := d.roots[g.Prog]
	if !ok {
		only = g.Prog.ReadOnly()
		d.roots[g.Prog] = only
	}
	for i := range g.Roots {
		a := &g.Roots[i]
		if !only[i] || a.Space != ir.Global {
			continue
		}
		for j := range g.Roots {
			b := &g.Roots[j]
			if b.Space == ir.Global && !only[j] && a.Lo < b.Lo+b.Bytes && b.Lo < a.Lo+a.Bytes {
				return true
			}
		}
	}
	return false
}

// alone is a launch without clusters, or with clusters of a block.
var alone = [3]int{1, 1, 1}

// load builds a kernel once.
func (d *Device) load(ctx context.Context, k *device.Kernel, readOnly bool, cluster [3]int) (*code, error) {
	key := codeKey{k, readOnly, cluster}
	if native(k) {
		return d.loadNative(ctx, k)
	}
	if c := d.code[key]; c != nil {
		return c, nil
	}
	defer d.aside(time.Now())
	c := &code{room: map[[2]int]int{}}
	args := worker.LoadArgs{Entry: ir.Symbol(k.Name), WideCluster: cluster[0]*cluster[1]*cluster[2] > 8}
	if b, ok := d.opts.Substitute[k.Name]; ok {
		args.PTX, args.Entry = string(b.Code), b.Entry
	} else {
		compiled := ir.Compiled(k)
		if compiled == nil {
			return nil, &device.ArgError{Kernel: k.Name, What: "no kernel"}
		}
		text, err := ptx.Module(ptx.Options{
			Target: fmt.Sprintf("sm_%d%d", d.info.Major, d.info.Minor),
			Check:  d.opts.Check, Watchdog: d.opts.Watchdog, NonCoherent: readOnly, Peers: len(d.gpus) > 1, Cluster: cluster,
		}, compiled)
		if err != nil {
			return nil, err
		}
		args.PTX, args.Offsets = text, tensorOffsets(compiled.Program, parameters(compiled.Program))
	}
	if err := d.ask(ctx, "build of "+k.Name, worker.OpLoad, args, &c.info); err != nil {
		return nil, err
	}
	d.code[key] = c
	return c, nil
}

// Occupancy returns the driver's occupancy calculation.
func (d *Device) Occupancy(k *device.Kernel, block int) (device.Occupancy, error) {
	defer d.calls.Begin().End()
	return d.occupancy(k, block, 0)
}

// Fit returns the driver's occupancy calculation for a launch, with its dynamic shared memory.
func (d *Device) Fit(l device.Launch) (device.Occupancy, error) {
	defer d.calls.Begin().End()
	return d.occupancy(l.Kernel, l.Shape().Threads(), l.DynamicShared)
}

func (d *Device) occupancy(k *device.Kernel, block, dynamicShared int) (device.Occupancy, error) {
	if block < 1 || block > simt.MaxThreads {
		return device.Occupancy{}, &device.ArgError{Kernel: k.Name, What: fmt.Sprintf("a block of %d threads; it may have 1 to %d", block, simt.MaxThreads)}
	}
	c, err := d.load(context.Background(), k, !d.opts.NoReadOnlyPath, alone)
	if err != nil {
		return device.Occupancy{}, err
	}
	n, err := d.blocksPerSM(c, block, dynamicShared)
	warps := (block + simt.Lanes - 1) / simt.Lanes
	shared := c.info.Shared + dynamicShared
	return device.Occupancy{BlocksPerSM: n, WarpsPerSM: n * warps, MaxWarps: d.info.ThreadsPerSM / simt.Lanes, SMs: d.info.SMs,
		Limit: "the driver's calculation", Regs: c.info.Registers, RegsPerSM: d.info.RegistersPerSM, Shared: shared, SharedFree: sharedFree(Info(d.info), n, shared)}, err
}

// sharedFree returns how many bytes of shared memory each of the given number of blocks on an SM may have in addition
// to what it uses. The driver allocates shared memory in units of at most 256 bytes.
func sharedFree(info Info, blocks, used int) int {
	const unit = 256
	if blocks == 0 {
		return 0
	}
	return max(0, min(info.SharedPerBlock, info.SharedPerSM/blocks/unit*unit-info.ReservedShared)-used)
}

// report returns a launch's report and adds it to the total.
func (d *Device) report(l device.Launch, c *code, seconds float64, launches int) *device.Report {
	r := &device.Report{Launches: launches, Seconds: seconds, Counters: []device.Counter{
		counter.Reported("gpu__time_duration.sum", seconds*1e9),
		counter.Reported("launch__registers_per_thread", float64(c.info.Registers)),
		counter.Reported("launch__shared_mem_per_block_static", float64(c.info.Shared)),
		counter.Reported("launch__local_mem_per_thread", float64(c.info.Local)),
	}}
	d.total.Launches += launches
	d.total.Seconds += seconds
	if len(d.total.Counters) == 0 {
		d.total.Counters = []device.Counter{counter.Reported(r.Counters[0].Name, 0)}
	}
	d.total.Counters[0].Value += r.Counters[0].Value
	return r
}

// fault converts the fault record of checked code to an error.
func (d *Device) fault(g *simt.Grid, w []uint64) error {
	if w[2] >= uint64(len(g.Prog.Code)) {
		return fmt.Errorf("launch of %s: the fault record %v is invalid", g.Kernel.Name, w)
	}
	in := &g.Prog.Code[w[2]]
	to := simt.Destination(in) // what is wrong with the destination of a copy is that of a store
	if in.Op.Action() == ir.ActBulk {
		to = simt.Source(in)
	}
	// The record counts blocks along x first, whatever their clusters.
	wide, high := g.Shape.Grid[0], g.Shape.Grid[1]
	block := int(w[3])
	at := simt.Place{Block: g.Shape.Number([3]int{block % wide, block / wide % high, block / wide / high}), Thread: int(w[4])}
	switch w[1] {
	case ptx.FaultDivide:
		return g.DivideFault(in, at)
	case ptx.FaultTrap:
		return g.TrapFault(in, at)
	case ptx.FaultAlign:
		return g.AlignFault(in, at, w[5], &g.Roots[in.Root], in.Mem.Bytes())
	case ptx.FaultBounds:
		return g.RangeFault(in, at, w[5], &g.Roots[in.Root])
	case ptx.FaultToAlign:
		return g.AlignFault(&to, at, w[5], &g.Roots[in.To], in.Mem.Bytes())
	case ptx.FaultToBounds:
		return g.RangeFault(&to, at, w[5], &g.Roots[in.To])
	case ptx.FaultBulkSize:
		return g.BulkSizeFault(in, at, w[5])
	case ptx.FaultBox:
		return g.BoxFault(in, at, int(w[5]>>32), int32(w[5]))
	case ptx.FaultBoxAlign:
		return g.BoxAlignFault(in, at, w[5])
	}
	return &device.HangError{Kernel: g.Kernel.Name, What: fmt.Sprintf("threads still looped after %v", d.opts.Deadline) + d.roomOf(g.Launch), Waiting: []device.Wait{{
		At: g.At(in), Why: "loops here (the first thread to look at the clock)",
		Block: at.Block, Warp: at.Thread / simt.Lanes, Threads: 1 << (at.Thread % simt.Lanes), Shape: g.Shape}}}
}
