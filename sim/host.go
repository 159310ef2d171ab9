package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/sim/config"
)

// host is the simulated host: the processor that launches kernels and copies data. A group has one.
type host struct {
	seconds float64 // total
	pending bool    // a kernel was launched since the host last waited
	// warm are the kernels that were launched since memory was last allocated. A host loop allocates and fills its buffers
	// first, which evicts what a launch needs from the caches of the host's processor.
	warm   map[*ir.Kernel]bool
	placed int // bytes that were copied to the device since then
	work   device.HostWork
	nested bool // the launch that is executed was not made by the host, but by a kernel
}

// hostCache is results.HostCache, as a number that the parameter launch.cold explains.
const hostCache = 1 << 20

var _ device.HostSimulator = (*Device)(nil)

// HostStep lets the time pass that a step of a scheme's host loop takes. A group's loops have link.loop.
func (d *Device) HostStep() {
	if d.group == nil {
		d.host.seconds += d.cfg.Launch.Step * 1e-6
		d.host.work.Steps++
	}
}

// HostWork returns what the host has done so far. In a group, it is that of the whole group.
func (d *Device) HostWork() device.HostWork { return d.host.work }

// HostSeconds returns the time that a machine's host takes for work.
func HostSeconds(c *config.GPU, w device.HostWork) float64 {
	us := float64(w.Steps)*c.Launch.Step + float64(w.Waits)*c.Launch.Sync + float64(w.Answers)*c.Copy.Answer +
		float64(w.First)*c.Launch.First + w.Cold*c.Launch.Cold + float64(w.Copies)*c.Copy.Latency
	return us*1e-6 + float64(w.Bytes)/(c.Copy.Rate*1e9)
}

// cold notes that memory was allocated.
func (h *host) cold() { clear(h.warm) }

// launch lets the time pass by which launches take longer that are the first ones.
func (h *host) launch(c *config.Launch, jobs []job) {
	if h.nested {
		return
	}
	for _, job := range jobs {
		kernel := job.grid.Kernel
		if h.warm[kernel] {
			continue
		}
		// The first launch after an allocation finds the host's caches cold, the more so the more it has copied since.
		if len(h.warm) == 0 {
			share := min(float64(h.placed)/hostCache, 1)
			h.seconds += share * c.Cold * 1e-6
			h.work.Cold += share
			h.placed = 0
		}
		h.seconds += c.First * 1e-6
		h.work.First++
		if h.warm == nil {
			h.warm = map[*ir.Kernel]bool{}
		}
		h.warm[kernel] = true
	}
}

// overhead returns the seconds that a launch takes beyond its cycles.
func (h *host) overhead(c *config.Launch) float64 {
	if h.nested {
		return c.Device * 1e-6
	}
	return c.Kernel * 1e-6
}

// synchronise lets the time pass until the host knows that its kernels have ended.
func (h *host) synchronise(c *config.GPU) {
	if h.pending {
		h.pending = false
		h.seconds += c.Launch.Sync * 1e-6
		h.work.Waits++
	}
}

// copied accounts for a copy, before which the host waits for its kernels, and returns the seconds of the copy alone.
func (h *host) copied(c *config.GPU, bytes int) (took float64) {
	h.synchronise(c)
	h.work.Copies++
	h.work.Bytes += bytes
	took = c.Copy.Latency*1e-6 + float64(bytes)/(c.Copy.Rate*1e9)
	h.seconds += took
	return took
}
