package sim

import (
	"context"
	"fmt"
	"math"
	"slices"

	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/internal/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/occupancy"
	"github.com/weft-gpu/weft/sim/profile"
)

// Options are what a simulation has beside its machine.
type Options struct {
	// Seed decides what the machine leaves open (a policy with randomness).
	// Machine, seed and the allocations and launches of a device in their order give the
	// same cycle counts, always. A launch alone does if it asks for that by
	// device.Launch.Fresh: earlier allocations decide where a buffer lies.
	Seed uint64
	// Budget ends a launch that takes as many cycles with a *device.UndecidedError, a
	// little later where it is in the middle of something; 0 is no limit.
	Budget uint64
	// Progress is called every few thousand cycles of a launch, from the
	// goroutine of Launch; nil for none.
	Progress func(Progress)
	// Registers is how many registers ptxas gave a thread of a kernel, where
	// that was recorded, and 0 where it was not; nil is 0 for all. A launch
	// that says itself overrides it, and our estimate stands in for 0.
	Registers func(kernel string) int
	// Profile and Trace, where not nil, collect what happens by instruction and
	// address, and over time. They take time; counters and cycles stay the same.
	Profile *profile.Profile
	Trace   *profile.Trace
}

// Progress says how far a launch is.
type Progress struct {
	Kernel       string
	Cycles       uint64 // of this launch
	Instructions uint64 // warp instructions, of all launches
	Blocks, Grid int    // blocks that ended, blocks in all
}

// Device is a simulated GPU.
type Device struct {
	cfg  *config.GPU
	opts Options
	mem  *simt.Memory
	m    *machine
	comp *component
	code map[*ir.Program][]decoded

	seconds float64       // simulated, in all
	copies  float64       // seconds of them that copies took
	pending bool          // a kernel was launched since the host last looked
	aliases *simt.Aliases // where buffers lie since a launch that was to be fresh; nil before one
	closed  bool
}

var _ device.Device = (*Device)(nil)

// New makes a GPU with the machine cfg, which is copied. The error says which
// parameters do not fit together.
func New(cfg *config.GPU, opts Options) (*Device, error) {
	c := *cfg
	if err := c.Validate(); err != nil {
		return nil, err
	}
	m, err := newMachine(&c, opts.Seed)
	if err != nil {
		return nil, err
	}
	m.prof, m.trace, m.sampleAt = opts.Profile, opts.Trace, never
	return &Device{
		cfg: &c, opts: opts, m: m, comp: newComponent(m),
		mem:  simt.NewMemory(uint64(c.DRAM.Capacity) << 20),
		code: map[*ir.Program][]decoded{},
	}, nil
}

// Name is "sim:" and the name of the machine.
func (d *Device) Name() string { return "sim:" + d.cfg.Name }

// Capabilities of a simulated GPU.
const Capabilities = device.Clock | device.Counters | device.Profile | device.Trace | device.CycleLevel | device.Page |
	device.Streams | device.Parameters | device.Budget

// Capabilities are the constant of that name.
func (d *Device) Capabilities() device.Capabilities { return Capabilities }

// Config is the machine; it must not be changed.
func (d *Device) Config() *config.GPU { return d.cfg }

// Engine is the Akita engine that runs the simulation, for package monitor.
func (d *Device) Engine() akita.Engine { return d.comp.engine }

// Memory is the device's memory, for an executor that takes turns with it.
func (d *Device) Memory() *simt.Memory { return d.mem }

// Alloc reserves device memory; see device.Device.
func (d *Device) Alloc(name string, elem ir.Kind, n int) (device.Buffer, error) {
	return d.mem.Alloc(name, elem, n)
}

// Free gives a buffer back.
func (d *Device) Free(b device.Buffer) error { return d.mem.Free(b) }

// Write copies src to b, and accounts the time of the copy.
func (d *Device) Write(b device.Buffer, src any) error {
	if err := d.mem.Write(b, src); err != nil {
		return err
	}
	d.copied(b.Bytes())
	d.m.stats.copiedToDevice += uint64(b.Bytes())
	d.observeCopy(b, false)
	return nil
}

// Read copies b to dst, and accounts the time of waiting for kernels and of
// the copy.
func (d *Device) Read(b device.Buffer, dst any) error {
	if err := d.mem.Read(b, dst); err != nil {
		return err
	}
	d.copied(b.Bytes())
	d.m.stats.copiedToHost += uint64(b.Bytes())
	d.observeCopy(b, true)
	return nil
}

// copied accounts a copy: the host first learns that its kernels ended.
func (d *Device) copied(bytes int) {
	d.synchronise()
	s := d.cfg.Copy.Latency*1e-6 + float64(bytes)/(d.cfg.Copy.Rate*1e9)
	d.copies += s
	d.seconds += s
}

func (d *Device) synchronise() {
	if d.pending {
		d.pending = false
		d.seconds += d.cfg.Launch.Sync * 1e-6
	}
}

// Occupancy says how many blocks of the kernel fit an SM.
func (d *Device) Occupancy(k *device.Kernel, block int) (device.Occupancy, error) {
	if d.closed {
		return device.Occupancy{}, fmt.Errorf("occupancy on %s: the device is closed", d.Name())
	}
	if k == nil || k.Program == nil {
		return device.Occupancy{}, &device.ArgError{Kernel: "?", What: "no kernel"}
	}
	return occupancy.Of(d.cfg, k, block, d.registers(k, 0), 0)
}

// Now is the simulated host's time: what launches, copies and waiting took so far.
func (d *Device) Now() float64 { return d.seconds }

// Total is the sum over all launches so far; Seconds includes copies, launch
// costs and waiting for the device.
func (d *Device) Total() *device.Report {
	c := d.m.snapshot()
	r := report(d.cfg, &c, &counters{})
	r.Counters = append(r.Counters, device.CopyCounters(c.copiedToDevice, c.copiedToHost)...)
	r.Seconds = d.seconds
	if d.pending {
		r.Seconds += d.cfg.Launch.Sync * 1e-6
	}
	return r
}

// Close frees everything; later uses are errors.
func (d *Device) Close() error {
	d.closed = true
	d.mem.Close()
	d.code = nil
	return nil
}

// Launch runs a kernel to its end; see device.Device. A fault or hang leaves
// memory as it was when it was noticed. The report's Cycles are from the first
// block's placement until the last store is done; Seconds adds the launch.
func (d *Device) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	j, err := d.prepare(l)
	if err != nil {
		return nil, err
	}
	return d.execute(ctx, j)
}

// prepare checks a launch.
func (d *Device) prepare(l device.Launch) (job, error) {
	if d.closed {
		return job{}, fmt.Errorf("launch on %s: the device is closed", d.Name())
	}
	g, err := simt.Bind(d.mem, l, simt.Limits{Threads: d.cfg.SM.BlockThreads, Shared: d.cfg.SM.SharedBlock})
	if err != nil {
		return job{}, err
	}
	occ, err := occupancy.Of(d.cfg, l.Kernel, g.Threads, d.registers(l.Kernel, l.Regs), l.DynamicShared)
	if err != nil {
		return job{}, err
	}
	if most := occ.BlocksPerSM * occ.SMs; l.Cooperative && g.Blocks > most {
		return job{}, &device.ArgError{Kernel: l.Kernel.Name, What: fmt.Sprintf(
			"a cooperative launch of %d blocks; %d fit at once (%d on each of %d SMs, limited by %s)", g.Blocks, most, occ.BlocksPerSM, occ.SMs, occ.Limit)}
	}
	code, ok := d.code[g.Prog]
	if !ok {
		code = decode(g.Prog, d.cfg)
		d.code[g.Prog] = code
	}
	return job{grid: g, code: code, occ: occ, stream: l.Stream}, nil
}

// renew puts a new machine in place of the one that has run, for launches that ask
// for it; see device.Launch.Fresh. What was counted stays counted.
func (d *Device) renew(jobs []job) error {
	if slices.ContainsFunc(jobs, func(j job) bool { return j.grid.Launch.Fresh }) {
		m, err := newMachine(d.cfg, d.opts.Seed)
		if err != nil {
			return err
		}
		m.carry(d.m)
		d.m, d.comp.m, d.aliases = m, m, simt.NewAliases()
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

// execute runs jobs to their end and reports what they did together.
func (d *Device) execute(ctx context.Context, jobs ...job) (*device.Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.renew(jobs); err != nil {
		return nil, err
	}
	m := d.m
	before := m.snapshot()
	m.begin(jobs...)
	d.observeBegin()
	err := d.comp.run(ctx, d.opts.Progress, d.opts.Budget)
	cycles := m.now - m.run.start
	if err != nil {
		m.abandon()
	}
	d.observeEnd()
	n := len(jobs)
	m.stats.Launches += uint64(n)
	m.stats.Cycles += cycles
	elapsed := cycles + uint64(math.Round(d.cfg.Launch.Window*d.cfg.Clock.SM))
	m.stats.Elapsed += elapsed
	m.stats.Nanoseconds += uint64(math.Round(float64(elapsed) * 1e3 / d.cfg.Clock.SM))
	seconds := float64(cycles)/(d.cfg.Clock.SM*1e6) + float64(n)*d.cfg.Launch.Kernel*1e-6
	m.stats.seconds += seconds
	d.pending = true
	after := m.snapshot()
	d.seconds += seconds
	r := report(d.cfg, &after, &before)
	r.Seconds = seconds // to the last bit the same for the same launch, whatever was before
	return r, err
}

// registers is what a thread of k takes: what the launch says, else what was
// recorded, else 0 for our estimate.
func (d *Device) registers(k *device.Kernel, override int) int {
	if override != 0 || d.opts.Registers == nil {
		return override
	}
	return d.opts.Registers(k.Name)
}
