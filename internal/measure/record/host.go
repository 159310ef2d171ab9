package record

import (
	"context"
	"errors"
	"slices"

	"github.com/weft-gpu/weft/device"
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
func HostCosts(ctx context.Context, dev device.Device, repeats int) ([]results.Micro, error) {
	c, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	k, err := c.Kernel(ctx, "internal/kernels/micro.Empty", nil)
	if err != nil {
		return nil, err
	}
	word, err := dev.Alloc("word", device.U32, 1)
	if err != nil {
		return nil, err
	}
	large, err := dev.Alloc("bytes", device.U8, largeCopy)
	if err != nil {
		return nil, errors.Join(err, dev.Free(word))
	}
	one, bytes := make([]uint32, 1), make([]byte, largeCopy)
	for i := range bytes {
		bytes[i] = byte(i) // a page that has never been written is not allocated
	}
	l := device.Launch{Kernel: k, Grid: 1, Block: 32}
	answer := device.Answer{Buffer: word, To: one, Clear: true}
	const short = 1000
	rate := func(seconds float64) float64 { return largeCopy / seconds / 1e9 }
	us := func(seconds float64) float64 { return seconds * 1e6 }
	var list []results.Micro
	for _, row := range []struct {
		name, unit string
		times      int
		value      func(seconds float64) float64
		do         func() error
	}{
		{"launch of an empty kernel and an answer of 4 bytes", "us", short, us, func() error {
			_, err := device.LaunchRead(ctx, dev, l, answer)
			return err
		}},
		{"the same by a write, a launch and a read", "us", short, us, func() error {
			_, err := device.LaunchThenRead(ctx, dev, l, answer)
			return err
		}},
		{"launch of an empty kernel", "us", short, us, func() error {
			_, err := dev.Launch(ctx, l)
			return err
		}},
		{"write of 4 bytes", "us", short, us, func() error { return dev.Write(word, one) }},
		{"read of 4 bytes", "us", short, us, func() error { return dev.Read(word, one) }},
		{"write of 100 MB", "GB/s", repeats, rate, func() error { return dev.Write(large, bytes) }},
		{"read of 100 MB", "GB/s", repeats, rate, func() error { return dev.Read(large, bytes) }},
	} {
		var values []float64
		for i := range row.times + 1 {
			start := dev.Now()
			if err = row.do(); err != nil {
				return nil, errors.Join(err, dev.Free(word), dev.Free(large))
			}
			if i > 0 { // the first one is a warm-up
				values = append(values, row.value(dev.Now()-start))
			}
		}
		slices.Sort(values)
		list = append(list, results.Micro{Group: "host", Name: row.name, Unit: row.unit, Median: values[len(values)/2],
			Min: values[0], Max: values[len(values)-1], Runs: len(values)})
	}
	return list, errors.Join(dev.Free(word), dev.Free(large))
}
