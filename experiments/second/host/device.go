package host

import (
	"cmp"
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/core/simt"
)

// Options configures a device; the zero value is the default.
type Options struct {
	// Clang is the compiler's command; "" means clang-19.
	Clang string
	// Level is the level of optimisation; "" means O1.
	Level string
	// Turns is how often threads may let others have a turn in one launch before it is given up; 0: 100 million.
	Turns uint64
	// Edit, if not nil, changes the text of a kernel before clang reads it: tests plant faults with it.
	Edit func(text string) string
}

// Device runs kernels that clang compiles. It is not safe for concurrent use.
type Device struct {
	opts     Options
	mem      *simt.Memory
	dir      string              // of built kernels
	built    map[*ir.Func]string // paths of programs
	launches int
}

var _ device.Device = (*Device)(nil)

// New opens the device. It compiles the harness; Close deletes what was built.
func New(opts Options) (*Device, error) {
	opts.Clang, opts.Level, opts.Turns = cmp.Or(opts.Clang, "clang-19"), cmp.Or(opts.Level, "O1"), cmp.Or(opts.Turns, 100_000_000)
	d := &Device{opts: opts, mem: simt.NewMemory(0), built: map[*ir.Func]string{}}
	if err := d.harness(); err != nil {
		return nil, err
	}
	return d, nil
}

// Name returns "clang".
func (d *Device) Name() string { return "clang" }

// Capabilities returns none.
func (d *Device) Capabilities() device.Capabilities { return 0 }

// Alloc implements device.Device.
func (d *Device) Alloc(name string, elem device.Kind, n int) (device.Buffer, error) {
	return d.mem.Alloc(name, elem, n)
}

// Free implements device.Device.
func (d *Device) Free(b device.Buffer) error { return d.mem.Free(b) }

// Write implements device.Device.
func (d *Device) Write(b device.Buffer, src any) error { return d.mem.Write(b, src) }

// Read implements device.Device.
func (d *Device) Read(b device.Buffer, dst any) error { return d.mem.Read(b, dst) }

// Launch implements device.Device.
func (d *Device) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	grid, err := simt.Bind(d.mem, l, simt.Limits{Threads: simt.MaxThreads, Blocks: simt.MaxBlocks})
	if err != nil {
		return nil, err
	}
	program, err := d.program(ctx, grid.Kernel)
	if err != nil {
		return nil, err
	}
	d.launches++
	if err := d.execute(ctx, program, grid); err != nil {
		return nil, fmt.Errorf("clang: kernel %s: %w", grid.Kernel.Name, err)
	}
	return &device.Report{Launches: 1}, nil
}

// Occupancy returns the occupancy of a machine of 2 SMs with 4 blocks each, whatever the kernel needs: schemes size their persistent
// grids by it, and the harness gives so many blocks turns.
func (d *Device) Occupancy(k *device.Kernel, _ int) (device.Occupancy, error) {
	return device.Occupancy{BlocksPerSM: 4, WarpsPerSM: 64, MaxWarps: 64, SMs: 2, Limit: "blocks", Regs: k.Registers, RegsPerSM: 64 << 10, Shared: k.Shared}, nil
}

// Total returns the number of launches.
func (d *Device) Total() *device.Report { return &device.Report{Launches: d.launches} }

// Now returns 0: this device has no time.
func (d *Device) Now() float64 { return 0 }
