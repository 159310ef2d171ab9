package trend

import (
	"context"
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/experiments/second/plain"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// Plain is a device that runs plain.Pull where a host program launches bsp.Pull, and counts the changed vertices itself.
type Plain struct {
	device.Device
	Seconds  float64 // of the kernels of package plain
	Launches int     // of them
	compiler *compile.Compiler
	changed  map[int]device.Buffer // by length
}

// New returns a Plain on a device.
func New(d device.Device) *Plain {
	return &Plain{Device: d, compiler: compile.New(scheduler.Sources, kernels.Sources, plain.Sources), changed: map[int]device.Buffer{}}
}

// Launch runs a kernel.
func (p *Plain) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	rest, ok := strings.CutPrefix(l.Kernel.Name, "bsp.Pull[")
	if !ok {
		return p.Device.Launch(ctx, l)
	}
	count := l.Args[len(l.Args)-1].(device.Buffer)
	values := l.Args[len(l.Args)-2].(device.Buffer)
	flags, err := p.flags(values.Len)
	if err != nil {
		return nil, err
	}
	l.Args = append(append([]any{}, l.Args[:len(l.Args)-1]...), flags)
	report, err := p.run(ctx, "plain.Pull["+rest, l)
	if err != nil {
		return nil, err
	}
	changed, err := p.sum(flags)
	if err != nil {
		return nil, err
	}
	have := make([]uint32, 1)
	if err := p.Read(count, have); err != nil {
		return nil, err
	}
	return report, p.Write(count, []uint32{have[0] + changed})
}

// run launches a kernel of package plain.
func (p *Plain) run(ctx context.Context, entry string, l device.Launch) (*device.Report, error) {
	k, err := p.compiler.Kernel(ctx, entry, nil)
	if err != nil {
		return nil, err
	}
	l.Kernel = k
	report, err := p.Device.Launch(ctx, l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", entry, err)
	}
	p.Seconds += report.Seconds
	p.Launches++
	return report, nil
}

// flags returns a buffer of n words.
func (p *Plain) flags(n int) (device.Buffer, error) {
	if b, ok := p.changed[n]; ok {
		return b, nil
	}
	b, err := p.Alloc("changed", device.U32, n)
	p.changed[n] = b
	return b, err
}

// sum returns the sum of a buffer.
func (p *Plain) sum(b device.Buffer) (sum uint32, err error) {
	list := make([]uint32, b.Len)
	if err := p.Read(b, list); err != nil {
		return 0, err
	}
	for _, x := range list {
		sum += x
	}
	return sum, nil
}

// put allocates a buffer and writes it.
func put[T uint32 | float32](d device.Device, name string, kind device.Kind, list []T) (device.Buffer, error) {
	b, err := d.Alloc(name, kind, len(list))
	if err != nil {
		return b, err
	}
	return b, d.Write(b, list)
}
