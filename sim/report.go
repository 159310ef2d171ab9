package sim

import (
	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/config"
)

// report returns the difference of two snapshots of the counters.
func report(cfg *config.GPU, now, before *counters) *device.Report {
	r := &device.Report{
		Launches: int(now.Launches - before.Launches),
		Cycles:   now.Cycles - before.Cycles,
		Seconds:  now.seconds - before.seconds,
	}
	c := &counter.Counted{Raw: now.Minus(&before.Raw), SMs: cfg.SM.Count, SubCores: cfg.SM.SubCores, Warps: cfg.SM.Warps,
		Slices: cfg.L2.Slices, DRAMPeak: cfg.DRAM.Bandwidth * 1e9 / (cfg.Clock.SM * 1e6)}
	all := counter.All()
	for i := range all {
		if k := &all[i]; k.Simulated() {
			r.Counters = append(r.Counters, device.Counter{Name: k.Name, Unit: k.Unit, Desc: k.Desc, Value: k.Of(c)})
		}
	}
	return r
}
