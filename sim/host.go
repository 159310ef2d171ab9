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
	warm map[*ir.Kernel]bool
}

var _ device.HostSimulator = (*Device)(nil)

// HostStep lets the time pass that a step of a scheme's host loop takes. A group's loops have link.loop.
func (d *Device) HostStep() {
	if d.group == nil {
		d.host.seconds += d.cfg.Launch.Step * 1e-6
	}
}

// cold notes that memory was allocated.
func (h *host) cold() { clear(h.warm) }

// launch lets the time pass by which launches take longer that are the first ones.
func (h *host) launch(c *config.Launch, jobs []job) {
	for _, j := range jobs {
		k := j.grid.Kernel
		if h.warm[k] {
			continue
		}
		if len(h.warm) == 0 {
			h.seconds += c.Cold * 1e-6
		}
		h.seconds += c.First * 1e-6
		if h.warm == nil {
			h.warm = map[*ir.Kernel]bool{}
		}
		h.warm[k] = true
	}
}

// synchronise lets the time pass until the host knows that its kernels have ended.
func (h *host) synchronise(c *config.GPU) {
	if h.pending {
		h.pending = false
		h.seconds += c.Launch.Sync * 1e-6
	}
}

// copied accounts for a copy, before which the host waits for its kernels, and returns the seconds of the copy alone.
func (h *host) copied(c *config.GPU, bytes int) (took float64) {
	h.synchronise(c)
	took = c.Copy.Latency*1e-6 + float64(bytes)/(c.Copy.Rate*1e9)
	h.seconds += took
	return took
}
