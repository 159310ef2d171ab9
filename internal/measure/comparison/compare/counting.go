package compare

import (
	"context"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/results"
)

// Counting is a device that keeps the counters of each launch.
type Counting struct {
	device.Device
	// Entry returns the name of a kernel's entry point, as shown by a GPU's profiler.
	Entry func(kernel string) string
	// Label is stored with the following launches.
	Label    string
	Launches []Counted
}

// Counted is one launch on a Counting device.
type Counted struct {
	Label string
	results.KernelCounters
}

// Launch implements device.Device.
func (c *Counting) Launch(ctx context.Context, l device.Launch) (*device.Report, error) {
	r, err := c.Device.Launch(ctx, l)
	c.note(l, r)
	return r, err
}

// LaunchAll implements device.Concurrent.
func (c *Counting) LaunchAll(ctx context.Context, ls []device.Launch) ([]*device.Report, error) {
	reports, err := device.LaunchAll(ctx, c.Device, ls)
	for i, r := range reports {
		c.note(ls[i], r)
	}
	return reports, err
}

// note keeps the counters of a launch; r is nil if it did not start.
func (c *Counting) note(l device.Launch, r *device.Report) {
	if r != nil {
		n := Counted{Label: c.Label, KernelCounters: results.KernelCounters{Kernel: c.Entry(l.Kernel.Name), Launches: 1, Counters: map[string]float64{}}}
		for _, x := range r.Counters {
			n.Counters[x.Name] = x.Value
		}
		c.Launches = append(c.Launches, n)
	}
}

// ByKernel combines the launches of each kernel, in the order in which the kernels first ran.
func (c *Counting) ByKernel() []results.KernelCounters {
	all := make([]results.KernelCounters, len(c.Launches))
	for i := range c.Launches {
		all[i] = c.Launches[i].KernelCounters
	}
	return merge(all)
}

// merge combines the counters of the same kernel.
func merge(all []results.KernelCounters) []results.KernelCounters {
	var list []results.KernelCounters
	parts := map[string][]map[string]float64{}
	launches := map[string]int{}
	for _, k := range all {
		if parts[k.Kernel] == nil {
			list = append(list, results.KernelCounters{Kernel: k.Kernel})
		}
		parts[k.Kernel] = append(parts[k.Kernel], k.Counters)
		launches[k.Kernel] += k.Launches
	}
	for i := range list {
		name := list[i].Kernel
		list[i].Launches, list[i].Counters = launches[name], results.Together(parts[name]...)
	}
	return list
}
