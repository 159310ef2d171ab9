package record

import (
	"context"
	"errors"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/measure/hostloop"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/results"
)

// largeCopy is the number of bytes with which the rates of copies are measured.
const largeCopy = 100_000_000

// host measures the host's cost of launches, answers and copies.
func (p *Plan) host(ctx context.Context, dev device.Device) (bad int, err error) {
	list, err := HostCosts(ctx, dev, max(p.Repeats, 3))
	if err != nil {
		return bad, err
	}
	for _, r := range list {
		p.logf("host: %s: %.4g %s", r.Name, r.Median, r.Unit)
	}
	return bad, p.write("host.json", list)
}

// HostCosts measures, with the device's clock, the host's cost of launches, answers and copies: short operations many
// times, long ones repeats times.
func HostCosts(ctx context.Context, dev device.Device, repeats int) (list []results.Micro, err error) {
	h := hostCosts{ctx: ctx, dev: dev}
	if err := h.open(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	if err := h.operations(repeats); err != nil {
		return nil, err
	}
	if err := h.loops(); err != nil {
		return nil, err
	}
	runs, err := hostloop.Rows(ctx, dev)
	return append(h.list, runs...), err
}

// short is how often a short operation is measured, and loops how many host loops are.
const short, loops = 1000, 100

// hostCosts measures the host's costs.
type hostCosts struct {
	ctx               context.Context
	dev               device.Device
	empty, copy       *device.Kernel
	word, some, large device.Buffer
	one               []uint32
	bytes             []byte
	list              []results.Micro
}

func (h *hostCosts) open() error {
	c, err := catalog.Kernels()
	if err != nil {
		return err
	}
	if h.empty, err = c.Kernel(h.ctx, "internal/kernels/micro.Empty", nil); err != nil {
		return err
	}
	if h.copy, err = c.Kernel(h.ctx, "internal/kernels/micro.Copy", nil); err != nil {
		return err
	}
	if h.word, err = h.dev.Alloc("word", device.U32, 1); err != nil {
		return err
	}
	if h.some, err = h.dev.Alloc("words", device.U32, 1024); err != nil {
		return err
	}
	if h.large, err = h.dev.Alloc("bytes", device.U8, largeCopy); err != nil {
		return err
	}
	h.one, h.bytes = make([]uint32, 1), make([]byte, largeCopy)
	for i := range h.bytes {
		h.bytes[i] = byte(i) // a page that has never been written is not allocated
	}
	return nil
}

func (h *hostCosts) close() error {
	return errors.Join(h.dev.Free(h.word), h.dev.Free(h.some), h.dev.Free(h.large))
}

// add adds a row with the median of values.
func (h *hostCosts) add(name, unit string, values []float64) {
	slices.Sort(values)
	h.list = append(h.list, results.Micro{Group: "host", Name: name, Unit: unit, Median: values[len(values)/2],
		Min: values[0], Max: values[len(values)-1], Runs: len(values)})
}

// operations measures single operations, each of them again and again: what they need is in the caches of the host.
func (h *hostCosts) operations(repeats int) error {
	l := device.Launch{Kernel: h.empty, Grid: 1, Block: 32}
	together := l
	together.Cooperative = true
	answer := device.Answer{Buffer: h.word, To: h.one, Clear: true}
	rate := func(seconds float64) float64 { return largeCopy / seconds / 1e9 }
	us := func(seconds float64) float64 { return seconds * 1e6 }
	for _, row := range []struct {
		name, unit string
		times      int
		value      func(seconds float64) float64
		do         func() error
	}{
		{"launch of an empty kernel and an answer of 4 bytes", "us", short, us, func() error {
			_, err := device.LaunchRead(h.ctx, h.dev, l, answer)
			return err
		}},
		{"the same by a write, a launch and a read", "us", short, us, func() error {
			_, err := device.LaunchThenRead(h.ctx, h.dev, l, answer)
			return err
		}},
		{"cooperative launch of an empty kernel and an answer of 4 bytes", "us", short, us, func() error {
			_, err := device.LaunchRead(h.ctx, h.dev, together, answer)
			return err
		}},
		{"launch of an empty kernel", "us", short, us, func() error {
			_, err := h.dev.Launch(h.ctx, l)
			return err
		}},
		{"write of 4 bytes", "us", short, us, func() error { return h.dev.Write(h.word, h.one) }},
		{"read of 4 bytes", "us", short, us, func() error { return h.dev.Read(h.word, h.one) }},
		{"write of 100 MB", "GB/s", repeats, rate, func() error { return h.dev.Write(h.large, h.bytes) }},
		{"read of 100 MB", "GB/s", repeats, rate, func() error { return h.dev.Read(h.large, h.bytes) }},
	} {
		var values []float64
		for i := range row.times + 1 {
			start := h.dev.Now()
			if err := row.do(); err != nil {
				return err
			}
			if i > 0 { // the first one is a warm-up
				values = append(values, row.value(h.dev.Now()-start))
			}
		}
		h.add(row.name, row.unit, values)
	}
	return h.beyond()
}

// beyond measures what a launch with an answer takes beyond the time that it reports, for kernels that do nothing and a little.
func (h *hostCosts) beyond() error {
	answer := device.Answer{Buffer: h.word, To: h.one, Clear: true}
	for _, row := range []struct {
		name string
		l    device.Launch
	}{
		{"an empty kernel", device.Launch{Kernel: h.empty, Grid: 1, Block: 32}},
		{"a kernel that copies 1 KB", device.Launch{Kernel: h.copy, Grid: 1, Block: 128, Args: []any{h.some.Slice(512, 768), h.some.Slice(0, 256)}}},
	} {
		var rest, kernel []float64
		for i := range short + 1 {
			start := h.dev.Now()
			r, err := device.LaunchRead(h.ctx, h.dev, row.l, answer)
			if err != nil {
				return err
			}
			if i > 0 {
				rest, kernel = append(rest, (h.dev.Now()-start-r.Seconds)*1e6), append(kernel, r.Seconds*1e6)
			}
		}
		h.add("launch of "+row.name+" and an answer, less the kernel", "us", rest)
		h.add("launch of "+row.name+" and an answer, the kernel", "us", kernel)
	}
	return nil
}

// loopBytes and loopSteps are what a host loop places on the device, and how many launches it makes.
const loopBytes, loopSteps = 1 << 20, 8

// loops measures what a launch and its answer take beyond the time of the kernel in a host loop like that of a scheme: buffers are
// allocated and written, a first kernel initializes, and another one is launched until its answer says that it was the last time.
// The first launches take longer, since what they need is no longer in the caches of the host.
func (h *hostCosts) loops() error {
	steps := make([][]float64, loopSteps)
	host := make([]uint32, loopBytes/4)
	for range loops {
		if err := h.loop(steps, host); err != nil {
			return err
		}
	}
	for i, name := range []string{"first launch and answer of a loop, less the kernel", "second launch, the first of another kernel, less the kernel",
		"third launch, of that kernel again, less the kernel", "fourth launch, less the kernel"} {
		h.add(name, "us", steps[i])
	}
	h.add("eighth launch, less the kernel", "us", steps[loopSteps-1])
	return nil
}

func (h *hostCosts) loop(steps [][]float64, host []uint32) (err error) {
	var at [2]device.Buffer
	for i, name := range []string{"from", "to"} {
		if at[i], err = h.dev.Alloc(name, device.U32, loopBytes/4); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, h.dev.Free(at[i])) }()
		for j := range host {
			host[j] = uint32(i)
		}
		if err := h.dev.Write(at[i], host); err != nil {
			return err
		}
	}
	first := device.Launch{Kernel: h.empty, Grid: 1, Block: 128}
	next := device.Launch{Kernel: h.copy, Grid: 1, Block: 128, Args: []any{at[1].Slice(0, 128), at[0].Slice(0, 128)}}
	for i := range steps {
		l := next
		if i == 0 {
			l = first
		}
		start := h.dev.Now()
		r, err := device.LaunchRead(h.ctx, h.dev, l, device.Answer{Buffer: h.word, To: h.one, Clear: true})
		if err != nil {
			return err
		}
		steps[i] = append(steps[i], (h.dev.Now()-start-r.Seconds)*1e6)
	}
	return nil
}
