package function

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/diagnosis/race"
	"github.com/weft-gpu/weft/internal/diagnosis/waitfor"
)

// Options configures the device; the zero value is the default.
type Options struct {
	// Slice is the number of instructions that a warp executes before the next
	// one has its turn; 0: 4096. A warp that only polls memory yields much
	// earlier.
	Slice int
	// Budget limits the warp instructions of a launch, which then fails with a
	// *device.UndecidedError; with 0, so does only one that
	// looks like a livelock.
	Budget uint64
	// AllowUnwritten lets kernels read global and shared memory that has not
	// been written. They read poison.
	AllowUnwritten bool
	// Lax lets shuffles read lanes that do not take part, which gives poison, and
	// some threads of a block go around a barrier of the others. Masks of
	// collectives must be right all the same.
	Lax bool
	// Races, if not nil, collects the data races of the launches (see package
	// race). Launches then take a few times as long.
	Races *device.Races
	// Progress, if not nil, is called from time to time during a launch, from the
	// goroutine that called Launch.
	Progress func(Progress)
	// Memory is the device's memory; nil: a new one. It lets two devices take
	// turns on the same buffers.
	Memory *simt.Memory
	// Fit returns how a launch fits the machine that this device stands in for,
	// and rejects launches that do not fit; nil: the machine of machine.go.
	Fit func(l device.Launch) (device.Occupancy, error)
}

// Progress describes how far a launch has progressed.
type Progress struct {
	Kernel       string
	Instructions uint64 // warp instructions, of all launches
	Blocks, Grid int    // blocks that have ended, blocks of the launch
	// Waiting counts the resident warps, and those of them that wait at a
	// barrier or have been found to repeat themselves.
	Waiting func() (waiting, resident int)
}

// Device is the functional device. It is not safe for concurrent use, but Close is.
type Device struct {
	opts   Options
	mem    *simt.Memory
	codes  map[*ir.Program]*code
	slots  []*slot // reused by later launches
	paused []*slot // the same, for blocks of another executor, whose memory they never use for other blocks
	counts map[string]float64
	total  device.Report
	insts  uint64         // warp instructions of all launches
	race   *race.Detector // nil without Options.Races
	// kept is the memory with which the launch began, nil if it was not kept;
	// history records what a second run does, to explain the first; else nil.
	kept    *simt.Kept
	spare   simt.Kept
	history *waitfor.History
	// The rest is set for a GPU of a group.
	name   string
	member bool   // Close does nothing: the group closes it
	remote *Group // counts what launches access on other GPUs; nil for a single device
}

var (
	_ device.Device = (*Device)(nil)
	_ device.Copier = (*Device)(nil)
	_ device.Nester = (*Device)(nil)

	_ device.VariableHolder = (*Device)(nil)
)

// New opens the device.
func New(opts Options) *Device {
	if opts.Slice <= 0 {
		opts.Slice = 4096
	}
	if opts.Memory == nil {
		opts.Memory = simt.NewMemory(memoryBytes)
		opts.Memory.Track = !opts.AllowUnwritten
	}
	d := &Device{opts: opts, mem: opts.Memory, codes: map[*ir.Program]*code{}, counts: map[string]float64{}}
	if opts.Races != nil {
		d.race = race.New(opts.Races)
	}
	return d
}

// Name returns "func" or, for a GPU of a group, "funcx2#1".
func (d *Device) Name() string { return cmp.Or(d.name, "func") }

// Capabilities are the capabilities of the functional device.
const Capabilities = device.Counters | device.Budget | device.Unwritten | device.Strict | device.RaceDetection | device.Nested

// Capabilities returns the constant Capabilities.
func (d *Device) Capabilities() device.Capabilities { return Capabilities }

// Now returns 0: this device has no time.
func (d *Device) Now() float64 { return 0 }

// Alloc implements device.Device; new buffers are poisoned.
func (d *Device) Alloc(name string, elem device.Kind, n int) (device.Buffer, error) {
	defer d.mem.Begin().End()
	return d.mem.Alloc(name, elem, n)
}

// Reserve keeps addresses for Share, before anything is allocated.
func (d *Device) Reserve() { d.mem.Reserve() }

// Share makes memory of the host memory of the device, at the same address. The host frees it after Free of the buffer.
func (d *Device) Share(name string, data []byte) (device.Buffer, error) {
	defer d.mem.Begin().End()
	return d.mem.Share(name, data)
}

// Free implements device.Device.
func (d *Device) Free(b device.Buffer) error {
	defer d.mem.Begin().End()
	return d.mem.Free(b)
}

// Write implements device.Device.
func (d *Device) Write(b device.Buffer, src any) error {
	defer d.mem.Begin().End()
	return d.mem.Write(b, src)
}

// Read implements device.Device.
func (d *Device) Read(b device.Buffer, dst any) error {
	defer d.mem.Begin().End()
	return d.mem.Read(b, dst)
}

// Variable implements device.VariableHolder.
func (d *Device) Variable(v *device.Variable) (device.Buffer, error) {
	defer d.mem.Begin().End()
	return d.mem.Variable(v)
}

// Launch implements device.Device. If there is an error, the report covers what
// was executed before it.
func (d *Device) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	defer d.mem.Begin().End()
	g, err := d.bind(l)
	if err != nil {
		return nil, err
	}
	if d.race != nil {
		if err := d.beginRaces(g); err != nil {
			return nil, err
		}
	}
	r, err := d.execute(d.mem.During(ctx), g)
	if r == nil {
		return nil, err
	}
	if d.race != nil {
		err = r.outcome(err, d.race.End())
	}
	return d.report(r), err
}

// beginRaces tells the race detector that a launch begins, for which the host waits.
func (d *Device) beginRaces(g *simt.Grid) error {
	if d.remote != nil {
		return d.race.BeginCommands(race.Launches(d.mem.GPU(), g))
	}
	return d.race.Begin(g)
}

// bind checks a launch and binds its arguments.
func (d *Device) bind(l device.Launch) (*simt.Grid, error) {
	limits := simt.Limits{Threads: simt.MaxThreads, Blocks: simt.MaxBlocks, Shared: sharedPerBlock, Local: localPerThread}
	if d.opts.Fit != nil {
		limits.Shared = math.MaxInt32 // Fit checks shared memory
	}
	g, err := simt.Bind(d.mem, l, limits)
	if err != nil {
		return nil, err
	}
	g.Poison = true
	occ, err := d.Fit(l)
	if err != nil {
		return nil, err
	}
	resident := occ.BlocksPerSM * occ.SMs
	if l.Cooperative && g.Blocks > resident {
		return nil, &device.ArgError{Kernel: l.Kernel.Name, What: fmt.Sprintf(
			"a cooperative launch of %d blocks of %d threads; at most %d fit the device at once (%d an SM, by %s)",
			g.Blocks, g.Threads, resident, occ.BlocksPerSM, occ.Limit)}
	}
	if resident < g.Cluster {
		return nil, &device.ArgError{Kernel: l.Kernel.Name, What: fmt.Sprintf(
			"a cluster of %d blocks of %d threads; at most %d fit the device at once (%d an SM, by %s)", g.Cluster, g.Threads, resident, occ.BlocksPerSM, occ.Limit)}
	}
	if _, err := d.code(g); err != nil {
		return nil, err
	}
	return g, nil
}

// execute executes a launch that bind has accepted.
func (d *Device) execute(ctx context.Context, g *simt.Grid) (*run, error) {
	occ, err := d.Fit(g.Launch)
	if err != nil {
		return nil, err
	}
	c, err := d.code(g)
	if err != nil {
		return nil, err
	}
	r := newRun(d, g, c, min(occ.BlocksPerSM*occ.SMs, g.Blocks))
	d.keep(g)
	r.ctx = ctx
	err = r.run(ctx)
	d.insts += r.insts
	if d.remote != nil {
		d.remote.accessed(d.mem.GPU(), r)
	}
	return r, err
}

// Fit returns the occupancy of a launch on the machine, with the launch's registers and dynamic shared memory.
func (d *Device) Fit(l device.Launch) (device.Occupancy, error) {
	if d.opts.Fit != nil {
		return d.opts.Fit(l)
	}
	return fit(l.Kernel, l.Shape().Threads(), l.Regs, l.DynamicShared)
}

// code decodes a program, once.
func (d *Device) code(g *simt.Grid) (*code, error) {
	if c := d.codes[g.Prog]; c != nil {
		return c, nil
	}
	c, err := decode(g.Prog)
	if err != nil {
		return nil, &device.ArgError{Kernel: g.Kernel.Name, What: err.Error()}
	}
	d.codes[g.Prog] = c
	return c, nil
}

// Occupancy implements device.Device, for the machine of machine.go.
func (d *Device) Occupancy(k *device.Kernel, block int) (device.Occupancy, error) {
	defer d.mem.Begin().End()
	if d.mem.Closed() {
		return device.Occupancy{}, fmt.Errorf("occupancy: %w", device.ErrClosed)
	}
	return d.Fit(device.Launch{Kernel: k, Block: block})
}

// Copy implements device.Copier.
func (d *Device) Copy(_ context.Context, c device.Copy) error {
	defer d.mem.Begin().End()
	return d.mem.Copy(c)
}

// Close implements device.Device. For a GPU of a group it does nothing.
func (d *Device) Close() error {
	if d.member {
		return nil
	}
	d.mem.Close(d.drop)
	return nil
}

// drop frees what launches have left for later ones.
func (d *Device) drop() {
	d.codes, d.slots, d.paused = map[*ir.Program]*code{}, nil, nil
}
