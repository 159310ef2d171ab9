package amd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	_ "github.com/mattn/go-sqlite3" // MGPUSim writes its metrics with it
	akita "github.com/sarchlab/akita/v4/sim"
	"github.com/sarchlab/akita/v4/simulation"
	"github.com/sarchlab/akita/v4/tracing"
	"github.com/sarchlab/mgpusim/v4/amd/driver"
	"github.com/sarchlab/mgpusim/v4/amd/insts"
	"github.com/sarchlab/mgpusim/v4/amd/samples/runner/timingconfig"
	"github.com/sarchlab/mgpusim/v4/amd/sampling"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/second/llvm"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/internal/function"
)

// Device runs kernels on MGPUSim. It is not safe for concurrent use.
type Device struct {
	mem        *simt.Memory // the addresses; the bytes are in MGPUSim
	dir        string
	simulation *simulation.Simulation
	driver     *driver.Driver
	context    *driver.Context
	queue      *driver.CommandQueue
	idle       *driver.CommandQueue // always empty
	kernels    *tracing.BusyTimeTracer
	built      map[*ir.Func]*insts.KernelCodeObject
	places     map[uint64]driver.Ptr // by the number of the allocation
	other      *function.Device
	total      device.Report
	// Ran counts the launches on MGPUSim by kernel. Elsewhere says of the kernels that ran on device func why.
	Ran       map[string]int
	Elsewhere map[string]string
}

var _ device.Device = (*Device)(nil)

// New opens the device.
func New() (*Device, error) {
	dir, err := os.MkdirTemp("", "weft-second-amd")
	if err != nil {
		return nil, err
	}
	d := &Device{mem: simt.NewMemory(0), dir: dir, built: map[*ir.Func]*insts.KernelCodeObject{}, places: map[uint64]driver.Ptr{}, Ran: map[string]int{}, Elsewhere: map[string]string{}}
	d.other = function.New(function.Options{Memory: d.mem})
	d.simulation = simulation.MakeBuilder().WithoutMonitoring().WithOutputFileName(filepath.Join(dir, "metrics")).Build()
	sampling.InitSampledEngine()
	timingconfig.MakeBuilder().WithSimulation(d.simulation).WithNumGPUs(1).WithGPUType("r9nano").Build()
	d.driver = d.simulation.GetComponentByName("Driver").(*driver.Driver)
	d.kernels = tracing.NewBusyTimeTracer(d.simulation.GetEngine(), func(task tracing.Task) bool { return task.What == "*driver.LaunchKernelCommand" })
	tracing.CollectTrace(d.driver, d.kernels)
	d.driver.Run()
	d.context = d.driver.Init()
	d.driver.SelectGPU(d.context, 1)
	d.queue, d.idle = d.driver.CreateCommandQueue(d.context), d.driver.CreateCommandQueue(d.context)
	return d, nil
}

// Close ends the simulation and deletes what was built.
func (d *Device) Close() error {
	d.driver.Terminate()
	d.simulation.Terminate()
	return os.RemoveAll(d.dir)
}

// Name returns "mgpusim".
func (d *Device) Name() string { return "mgpusim" }

// Capabilities returns Clock.
func (d *Device) Capabilities() device.Capabilities { return device.Clock }

// idShift is where the number of the allocation begins in an address of Weft's.
const idShift = 40

// Alloc implements device.Device.
func (d *Device) Alloc(name string, elem device.Kind, n int) (device.Buffer, error) {
	b, err := d.mem.Alloc(name, elem, n)
	if err == nil {
		d.places[b.Addr>>idShift] = d.driver.AllocateMemory(d.context, uint64(max(b.Bytes(), 4)))
	}
	return b, err
}

// Free implements device.Device.
func (d *Device) Free(b device.Buffer) error { return d.mem.Free(b) }

// real returns the address in MGPUSim.
func (d *Device) real(addr uint64) driver.Ptr {
	return d.places[addr>>idShift] + driver.Ptr(addr&(1<<idShift-1))
}

// Write implements device.Device.
func (d *Device) Write(b device.Buffer, src any) error {
	data, err := d.mem.CheckWrite(b, src)
	if err != nil || len(data) == 0 {
		return err
	}
	d.driver.EnqueueMemCopyH2D(d.queue, d.real(b.Addr), data)
	d.drain()
	return nil
}

// Read implements device.Device.
func (d *Device) Read(b device.Buffer, dst any) error {
	data, err := d.mem.CheckRead(b, dst)
	if err != nil || len(data) == 0 {
		return err
	}
	d.driver.EnqueueMemCopyD2H(d.queue, data, d.real(b.Addr))
	d.drain()
	return nil
}

// drain waits until all commands have been done. MGPUSim's own DrainCommandQueue may wait forever: its engine misses a
// signal that comes while it stops. That of an empty queue only gives the signal, here as often as it takes.
func (d *Device) drain() {
	for last := (time.Time{}); d.queue.NumCommand() > 0; time.Sleep(50 * time.Microsecond) {
		if time.Since(last) > signalEvery {
			d.driver.DrainCommandQueue(d.idle)
			last = time.Now()
		}
	}
}

const signalEvery = 20 * time.Millisecond

// kernargBytes is the room for a kernel's parameters.
const kernargBytes = 512

// kernargs is a struct, since MGPUSim looks through the fields of what it is given.
type kernargs struct{ Bytes [kernargBytes]byte }

// Launch implements device.Device. Its time is that from the launch until the driver knows of its end.
func (d *Device) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	grid, err := simt.Bind(d.mem, l, simt.Limits{Threads: 256, Blocks: simt.MaxBlocks})
	if err != nil {
		return nil, err
	}
	kernel, err := d.program(ctx, grid.Kernel)
	if refused := (*llvm.Refused)(nil); errors.As(err, &refused) {
		return d.elsewhere(ctx, l, refused)
	}
	if err != nil {
		return nil, err
	}
	args, err := d.arguments(grid)
	if err != nil {
		return nil, err
	}
	before := d.kernels.BusyTime()
	threads, block := uint32(grid.Blocks*grid.Threads), uint16(grid.Threads)
	d.driver.EnqueueLaunchKernel(d.queue, kernel, [3]uint32{threads, 1, 1}, [3]uint16{block, 1, 1}, args)
	d.drain()
	seconds := float64(d.kernels.BusyTime() - before)
	// A copy to the host empties the caches. Without one, the next launch may read there what this one has changed since.
	for i := range grid.Prog.Leaves {
		if bits := grid.Leaves[i]; grid.Prog.Leaves[i].Addr() && bits != 0 {
			d.driver.EnqueueMemCopyD2H(d.queue, make([]byte, 4), d.real(bits))
			d.drain()
			break
		}
	}
	d.Ran[l.Kernel.Name]++
	d.total.Launches++
	d.total.Seconds += seconds
	return &device.Report{Launches: 1, Seconds: seconds}, nil
}

// elsewhere runs a kernel that package llvm refuses on device func: it takes no time.
func (d *Device) elsewhere(ctx context.Context, l device.Launch, refused *llvm.Refused) (*device.Report, error) {
	d.Elsewhere[l.Kernel.Name] = refused.Op
	d.mem.Each(func(a *simt.Allocation) {
		if at, ok := d.places[uint64(a.ID)]; ok && len(a.Data) > 0 {
			d.driver.EnqueueMemCopyD2H(d.queue, a.Data, at)
			d.drain()
		}
	})
	if _, err := d.other.Launch(ctx, l); err != nil {
		return nil, err
	}
	d.mem.Each(func(a *simt.Allocation) {
		if at, ok := d.places[uint64(a.ID)]; ok && len(a.Data) > 0 {
			d.driver.EnqueueMemCopyH2D(d.queue, at, a.Data)
			d.drain()
		}
	})
	return &device.Report{Launches: 1}, nil
}

// arguments lays the leaves out as LLVM lays out the parameters of a kernel, with the size of a block and of the grid at the
// end.
func (d *Device) arguments(g *simt.Grid) (*kernargs, error) {
	if s := g.Shape; s.Grid[1]*s.Grid[2]*s.Block[1]*s.Block[2] != 1 {
		return nil, fmt.Errorf("mgpusim: a launch of several dimensions")
	}
	var data []byte
	add := func(bits uint64, bytes int) {
		for len(data)%bytes != 0 {
			data = append(data, 0)
		}
		for i := range bytes {
			data = append(data, byte(bits>>(8*i)))
		}
	}
	for i := range g.Prog.Leaves {
		leaf, bits := &g.Prog.Leaves[i], g.Leaves[i]
		if leaf.Table != nil || leaf.Variable != nil {
			return nil, fmt.Errorf("mgpusim: kernel %s has the table or variable %s", g.Kernel.Name, leaf.Name)
		}
		if leaf.Addr() && bits != 0 {
			bits = uint64(d.real(bits))
		}
		add(bits, max(leaf.Kind.Bytes(), 4))
	}
	add(uint64(g.Threads), 4)
	add(uint64(g.Blocks), 4)
	args := &kernargs{}
	if copy(args.Bytes[:], data) < len(data) {
		return nil, fmt.Errorf("mgpusim: kernel %s has %d bytes of parameters", g.Kernel.Name, len(data))
	}
	return args, nil
}

// program compiles a kernel, once. Without forcezero, MGPUSim lets a store overtake a load of the same address.
func (d *Device) program(ctx context.Context, k *ir.Kernel) (*insts.KernelCodeObject, error) {
	if o := d.built[k.Func]; o != nil {
		return o, nil
	}
	text, err := llvm.Module(llvm.GFX803, k.Func)
	if err != nil {
		return nil, err
	}
	source, out := filepath.Join(d.dir, "kernel.ll"), filepath.Join(d.dir, "kernel.hsaco")
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-mcode-object-version=4", "-nogpulib", "-O1", "-ffp-contract=off",
		"-mllvm", "-amdgpu-waitcnt-forcezero", "-Wno-override-module", source, "-o", out)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("kernel %s: clang-19: %w\n%s", k.Name, err, text[:min(len(text), 2000)])
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	o, err := object(data)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	d.built[k.Func] = o
	return o, nil
}

// Occupancy returns that of an R9 Nano's 64 compute units, each as one SM with a block of 256 threads on each of its four
// SIMDs.
func (d *Device) Occupancy(k *device.Kernel, _ int) (device.Occupancy, error) {
	return device.Occupancy{BlocksPerSM: 4, WarpsPerSM: 32, MaxWarps: 80, SMs: 64, Limit: "blocks", Regs: k.Registers, RegsPerSM: 64 << 10, Shared: k.Shared}, nil
}

// Total returns the launches and their time.
func (d *Device) Total() *device.Report { t := d.total; return &t }

// Now returns the simulated time.
func (d *Device) Now() float64 {
	return float64(d.simulation.GetEngine().(akita.TimeTeller).CurrentTime())
}
