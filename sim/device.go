package sim

import (
	"context"
	"fmt"
	"math"
	"slices"

	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/async"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/repeat"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
	"github.com/weft-gpu/weft/internal/function"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/observe"
	"github.com/weft-gpu/weft/sim/internal/occupancy"
	"github.com/weft-gpu/weft/sim/policy"
	"github.com/weft-gpu/weft/sim/profile"
)

// Options configures a simulation.
type Options struct {
	// Seed seeds jitter and the policies that use randomness. The same machine, seed, and sequence of allocations and
	// launches on a device always give the same cycle counts. For a single launch to do so regardless of what preceded
	// it, set device.Launch.Fresh: otherwise earlier allocations determine the addresses of buffers.
	Seed uint64
	// Budget is a limit on the cycles of a launch. One that reaches it ends with a *device.UndecidedError, at the latest
	// about a thousand active cycles after the limit. With 0, so does only one that looks like a livelock.
	Budget uint64
	// Threads is how many threads of this computer simulate a launch; with 0, one does. Cycles, counters, values and reports
	// are the same for every number. Launches with a profile, a trace, races, a schedule or jitter and launches that are made
	// together have one thread, and so has a launch while little happens in it. A group has one for each GPU at most. With a
	// negative number, as many threads simulate even the shortest launch, which is for tests.
	Threads int
	// Progress, if not nil, is called about every thousand active cycles of a launch, from the goroutine that called
	// Launch. In a group it may be another goroutine, but only one calls it at a time.
	Progress func(Progress)
	// Control, if not nil, decides in which order blocks are placed and which warp accesses memory next.
	Control policy.Control
	// Registers, if not nil, returns the number of registers per thread that ptxas allocated for a kernel, or 0 if
	// that is not known. A register count in the launch overrides it; for 0, the compiler's own estimate is used.
	Registers func(kernel string) int
	// Races, if not nil, collects the data races of the launches (see package internal/diagnosis/race). Launches then take a few
	// times as long on this machine; counters and cycles stay the same.
	Races *device.Races
	// Strict ends a launch with a *device.Fault at what PTX and CUDA leave undefined (package internal/testing/undefined lists
	// it), as the functional device does. Without it, a machine goes on as the GPU may.
	Strict bool
	// Sample, if not 0, is the relative error of the time of kernels at which only a part of the launches and blocks are
	// simulated, and the others executed functionally; see Sampled. Launches that are made together, and those with
	// device.Launch.Fresh, are simulated whole. A group, and an option that looks at everything that is simulated, is refused
	// beside it.
	Sample float64
	// Serial leaves out the capability Streams, which a real GPU lacks here: launches that are made together then run one after
	// another, and the host waits for each.
	Serial bool
	// Profile and Trace, if not nil, collect events by instruction and address, and over time. They slow the
	// simulation down; counters and cycles stay the same.
	Profile *profile.Profile
	Trace   *profile.Trace
}

// Progress describes how far a launch has progressed.
type Progress struct {
	Kernel       string
	Cycles       uint64 // of this launch
	Instructions uint64 // warp instructions, of all launches
	Blocks, Grid int    // blocks that have ended, blocks of the launch
	// Waiting counts the resident warps, and those of them that wait at a barrier, for other lanes or for a schedule, or
	// that have been found to repeat themselves since the last value in memory changed. To count takes time; nil if the
	// device cannot.
	Waiting func() (waiting, resident int)
}

// Device is a simulated GPU. It implements device.Device. It is not safe for concurrent use, but Close is.
type Device struct {
	cfg  *config.GPU
	opts Options
	mem  *simt.Memory
	m    *machine
	comp *component
	code map[*ir.Program]program

	programMemory
	*host                 // that of its group, if it is in one
	group   *Group        // nil if it is not
	before  counters      // when the launches on the machine began
	aliases *simt.Aliases // addresses of buffers since the first fresh launch; nil before one
	// kept is the memory with which the launches on the machine began, of which grids are those that may wait.
	kept  simt.Kept
	grids []*simt.Grid
	// launches counts the calls of Launch that Options.Control has been asked about.
	launches int

	functional *function.Device // works on mem; nil before the first call of LaunchFunctional
	*sampling                   // nil: everything is simulated; see Sampled
}

var (
	_ device.Device         = (*Device)(nil)
	_ device.VariableHolder = (*Device)(nil)
)

// New creates a simulated GPU with the machine cfg, which is copied. The error says which parameters are inconsistent.
func New(cfg *config.GPU, opts Options) (*Device, error) {
	d, err := newDevice(cfg, opts, simt.NewMemory(uint64(cfg.DRAM.Capacity)<<20))
	if err != nil {
		return nil, err
	}
	d.comp.engine = akita.NewSerialEngine()
	return d, nil
}

// newDevice creates a simulated GPU with a memory, and without an engine.
func newDevice(cfg *config.GPU, opts Options, mem *simt.Memory) (*Device, error) {
	c := *cfg
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m, err := newMachine(&c, opts.Seed)
	if err != nil {
		return nil, err
	}
	if opts.Profile != nil {
		m.hook().prof = observe.NewProfile(opts.Profile)
	}
	if opts.Trace != nil {
		m.hook().trace = observe.NewTrace(opts.Trace, mem.GPU())
	}
	if opts.Races != nil {
		m.hook().race = race.New(opts.Races)
	}
	m.strict, m.threads, mem.Track = opts.Strict, opts.Threads, opts.Strict
	d := &Device{
		cfg: &c, opts: opts, m: m, comp: newComponent(m), mem: mem, programMemory: programMemory{mem}, host: &host{},
		code: map[*ir.Program]program{},
	}
	if opts.Sample > 0 {
		d.sampling, err = newSampling(d)
	}
	return d, err
}

// Name returns "sim:" followed by the name of the machine, and for a GPU of a group by the number of GPUs and its own:
// "sim:h200x2#1".
func (d *Device) Name() string {
	if d.group != nil {
		return fmt.Sprintf("%s#%d", d.group.Name(), d.m.gpu)
	}
	return "sim:" + d.cfg.Name
}

// Capabilities are the capabilities of every simulated GPU. One with launch.device has device.Nested, too.
const Capabilities = device.Clock | device.Counters | device.Profile | device.Trace | device.CycleLevel | device.Page |
	device.Streams | device.Parameters | device.Budget | device.RaceDetection | device.Strict | device.Schedules

// Capabilities returns what the machine can do.
func (d *Device) Capabilities() device.Capabilities {
	if d.group != nil {
		return GroupCapabilities &^ device.Peers
	}
	c := Capabilities
	if d.opts.Serial {
		c &^= device.Streams
	}
	if d.cfg.Launch.Device > 0 {
		c |= device.Nested
	}
	return c
}

// Config returns the machine; it must not be changed.
func (d *Device) Config() *config.GPU { return d.cfg }

// Engine returns the Akita engine that runs the simulation, for package monitor.
func (d *Device) Engine() akita.Engine { return d.comp.engine }

// MemoryUsed returns how many bytes of device memory are allocated.
func (d *Device) MemoryUsed() uint64 { return d.mem.Used() }

// Alloc reserves device memory; see device.Device.
func (d *Device) Alloc(name string, elem device.Kind, n int) (device.Buffer, error) {
	defer d.mem.Begin().End()
	d.host.cold()
	return d.mem.Alloc(name, elem, n)
}

// Free frees a buffer.
func (d *Device) Free(b device.Buffer) error {
	defer d.mem.Begin().End()
	return d.mem.Free(b)
}

// Occupancy returns how many blocks of the kernel fit on an SM.
func (d *Device) Occupancy(k *device.Kernel, block int) (device.Occupancy, error) {
	defer d.mem.Begin().End()
	if d.mem.Closed() {
		return device.Occupancy{}, fmt.Errorf("occupancy on %s: %w", d.Name(), device.ErrClosed)
	}
	if k == nil || k.Code() == nil {
		return device.Occupancy{}, &device.ArgError{Kernel: "?", What: "no kernel"}
	}
	return occupancy.Of(d.cfg, k, block, d.opts.registers(k, 0), 0)
}

// Fit returns the occupancy of a launch: that of its kernel and block, with the launch's
// dynamic shared memory and registers.
func (d *Device) Fit(l device.Launch) (device.Occupancy, error) {
	defer d.mem.Begin().End()
	if d.mem.Closed() {
		return device.Occupancy{}, fmt.Errorf("occupancy on %s: %w", d.Name(), device.ErrClosed)
	}
	return occupancy.Of(d.cfg, l.Kernel, l.Shape().Threads(), d.opts.registers(l.Kernel, l.Regs), l.DynamicShared)
}

// Now returns the simulated host time in seconds: the total time of launches, copies and waiting so far.
func (d *Device) Now() float64 { return d.seconds }

// Total returns the sum over all launches so far; Seconds includes copies, launch overhead and waiting for the device.
func (d *Device) Total() *device.Report {
	if d.sampling != nil {
		c, more := d.sampling.corrected()
		r := d.total(&c, d)
		r.Seconds += more
		return r
	}
	c := d.m.snapshot()
	return d.total(&c, d)
}

// total returns a report of the counters of some GPUs, with the time of the host.
func (d *Device) total(c *counters, gpus ...*Device) *device.Report {
	queue := uint32(0)
	for _, x := range gpus {
		ever, _ := x.m.l2.words.Longest()
		queue = max(queue, ever)
	}
	r := report(d.cfg, c, &counters{}, queue)
	r.Contended = contended(gpus...)
	r.Counters = append(r.Counters, counter.Copied(c.copiedToDevice, c.copiedToHost)...)
	r.Seconds = d.seconds
	if d.pending {
		r.Seconds += d.cfg.Launch.Sync * 1e-6
	}
	return r
}

// Close frees all memory; later uses return errors. It does nothing on a GPU of a group.
func (d *Device) Close() error {
	if d.group != nil {
		return nil
	}
	d.mem.Close(func() { d.code = nil })
	return nil
}

// Launch runs a kernel to completion; see device.Device. After a fault or hang, memory keeps the contents it had when
// the error was detected. The report's Cycles are counted from the placement of the first block until the last store
// is done; Seconds adds the launch overhead.
func (d *Device) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	defer d.mem.Begin().End()
	ctx = d.mem.During(ctx)
	r, err := d.launch(ctx, l)
	if d.group == nil {
		d.synchronise(d.cfg)
	}
	return r, err
}

// launch runs a kernel to completion; the host does not wait for that.
func (d *Device) launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	job, err := d.prepare(l)
	if err != nil {
		return nil, err
	}
	if d.sampling != nil {
		return d.sampling.launch(ctx, job)
	}
	return d.execute(ctx, job)
}

// prepare checks a launch and decodes its kernel.
func (d *Device) prepare(launch device.Launch) (job, error) {
	if d.mem.Closed() {
		return job{}, fmt.Errorf("launch on %s: %w", d.Name(), device.ErrClosed)
	}
	if err := lacks(d.cfg, launch.Kernel, launch.Cluster); err != nil {
		return job{}, err
	}
	grid, err := simt.Bind(d.mem, launch, simt.Limits{Threads: d.cfg.SM.BlockThreads, Shared: d.cfg.SM.SharedBlock})
	if err != nil {
		return job{}, err
	}
	occ, err := occupancy.Of(d.cfg, launch.Kernel, grid.Threads, d.opts.registers(launch.Kernel, launch.Regs), launch.DynamicShared)
	if err != nil {
		return job{}, err
	}
	if most := occ.BlocksPerSM * occ.SMs; launch.Cooperative && grid.Blocks > most {
		return job{}, &device.ArgError{Kernel: launch.Kernel.Name, What: fmt.Sprintf(
			"a cooperative launch of %d blocks; %d fit at once (%d on each of %d SMs, limited by %s)", grid.Blocks, most, occ.BlocksPerSM, occ.SMs, occ.Limit)}
	}
	if d.group != nil {
		if err := d.group.reaches(d.m.gpu, grid); err != nil {
			return job{}, err
		}
	}
	if err := fitsCluster(d, grid, &occ); err != nil {
		return job{}, err
	}
	grid.Seed = d.opts.Seed
	code, ok := d.code[grid.Prog]
	if !ok {
		code = program{code: decode(grid.Prog, d.cfg), flow: repeat.NewFlow(grid.Prog), clusters: grid.Prog.UsesCluster()}
		code.copies, code.stores = async.Of(grid.Prog)
		d.code[grid.Prog] = code
	}
	return job{grid: grid, program: code, occ: occ, stream: launch.Stream}, nil
}

// renew replaces the machine by a new one for launches that ask for it; see device.Launch.Fresh. In a group, it replaces
// those of all GPUs, and the links. Counters keep their values.
func (d *Device) renew(jobs []job) error {
	if slices.ContainsFunc(jobs, func(j job) bool { return j.grid.Launch.Fresh }) {
		all, aliases := []*Device{d}, simt.NewAliases()
		if d.group != nil {
			all = d.group.gpus
		}
		for _, d := range all {
			m, err := newMachine(d.cfg, d.opts.Seed)
			if err != nil {
				return err
			}
			m.carry(d.m)
			d.m, d.comp.m, d.aliases = m, m, aliases
		}
		if d.group != nil {
			if err := d.group.connect(); err != nil {
				return err
			}
		}
	}
	// A kernel read from PTX may have stored addresses, which must not change.
	if slices.ContainsFunc(jobs, func(j job) bool { return j.grid.Kernel.Source != nil }) {
		d.aliases = nil
	}
	if d.aliases != nil {
		var grids []*simt.Grid
		for _, j := range jobs {
			grids = append(grids, j.grid)
		}
		d.aliases.Apply(grids...)
	}
	return nil
}

// execute runs jobs to completion and reports their combined effect.
func (d *Device) execute(ctx context.Context, jobs ...job) (*device.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.renew(jobs); err != nil {
		return nil, err
	}
	if d.group != nil {
		return d.group.execute(ctx, d, jobs)
	}
	if err := d.control(jobs); err != nil {
		return nil, err
	}
	m := d.m
	// What a second run will begin with, should these launches hang.
	d.keep(jobs)
	m.diagnosis.again = func(h *waitfor.History) error { return d.history(ctx, h) }
	m.diagnosis.try = func(c remedy.Change) remedy.Verdict { return d.try(ctx, c) }
	races := m.hooks.races()
	if races != nil {
		if err := races.Begin(grids(jobs)...); err != nil {
			return nil, err
		}
	}
	d.host.launch(&d.cfg.Launch, jobs)
	d.begin(jobs, d.seconds+float64(len(jobs))*d.overhead(&d.cfg.Launch))
	err := d.comp.run(ctx, d.opts.Progress, d.opts.Budget)
	m.together()
	if err != nil {
		m.abandon()
	}
	m.settle()
	if races != nil {
		races.End()
	}
	d.observeEnd(m.run.jobs)
	r := d.account()
	d.seconds += r.Seconds
	d.pending = true
	return r, err
}

// begin puts launches on the idle machine; for a trace, this is at a second.
func (d *Device) begin(jobs []job, at float64) {
	m := d.m
	d.before = m.snapshot()
	m.l2.begin(m.links.group == nil)
	m.begin(jobs...)
	d.observeBegin(at)
}

// account adds the launches that were on the machine to the counters, and returns their combined effect.
func (d *Device) account() *device.Report {
	m := d.m
	n, cycles := m.run.count, m.now-m.run.start
	port, unit := m.l2.busiest()
	m.stats.Busy.L2Most += uint64(port)
	m.stats.Busy.AtomicsMost += uint64(unit)
	if p := m.run.partial(); p != nil {
		cycles += p.settle(m, port, unit)
	}
	m.stats.Launches += uint64(n)
	// Some counters are of a launch as a whole, and follow from its cycles.
	m.elapsed(cycles)
	m.stats.SMUsed += cycles * m.settleCounts()
	seconds := float64(cycles)/(d.cfg.Clock.SM*1e6) + float64(n)*d.overhead(&d.cfg.Launch)
	m.stats.seconds += seconds
	after := m.snapshot()
	_, queue := m.l2.words.Longest()
	r := report(d.cfg, &after, &d.before, queue)
	r.Seconds = seconds // bit-identical for the same launch, whatever preceded it
	return r
}

// elapsed counts the cycles of a launch.
func (m *machine) elapsed(cycles uint64) {
	m.stats.Cycles += cycles
	elapsed := cycles + uint64(math.Round(m.cfg.Launch.Window*m.cfg.Clock.SM))
	m.stats.Elapsed += elapsed
	m.stats.Nanoseconds += uint64(math.Round(float64(elapsed) * 1e3 / m.cfg.Clock.SM))
}

// registers returns the registers per thread of k: the launch's value if set, otherwise the recorded one, otherwise 0
// for the compiler's estimate.
func (o *Options) registers(k *device.Kernel, override int) int {
	if override != 0 || o.Registers == nil {
		return override
	}
	return o.Registers(k.Name)
}
