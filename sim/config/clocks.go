package config

import (
	"math"
	"reflect"
)

// l2Cycle is the unit of times in the L2's clock domain.
const l2Cycle = "L2 cycle"

// TicksPerCycle is the resolution, in ticks per SM cycle, with which the simulator reserves resources that are busy
// for fractions of a cycle. Rates are rounded to ticks, latencies to whole cycles.
const TicksPerCycle = 64

// InSMCycles returns a copy of the machine as the simulator uses it, with the times of the L2's clock domain (unit "L2
// cycle") converted to cycles of clock.sm. A latency that is not 0 stays at least one cycle.
func (g *GPU) InSMCycles() *GPU {
	c := *g
	c.Clock.L2 = g.Clock.SM
	if g.Clock.L2 == g.Clock.SM {
		return &c
	}
	ratio := g.Clock.SM / g.Clock.L2
	all := reflect.ValueOf(&c).Elem()
	for _, p := range table() {
		if p.Unit != l2Cycle {
			continue
		}
		switch f := all.FieldByIndex(p.field); p.kind {
		case reflect.Int:
			if f.Int() > 0 {
				f.SetInt(max(1, int64(math.Round(float64(f.Int())*ratio))))
			}
		case reflect.Float64:
			f.SetFloat(f.Float() * ratio)
		}
	}
	// Rounding must not break rules that Validate checks.
	c.L2.Spread = min(c.L2.Spread, 2*c.L2.Latency-1)
	c.L2.Far = min(c.L2.Far, c.L2.Latency-c.L2.Spread/2+c.Xbar.Reply)
	return &c
}

// DRAMTiming is the timing of device memory in cycles of clock.sm.
type DRAMTiming struct {
	Burst    float64 // time for which a burst occupies its channel, including the loss given by dram.efficiency
	Latency  int
	RowMiss  int
	RowCycle int
}

// DRAMTiming converts the bandwidth and the times of device memory to cycles of clock.sm.
func (g *GPU) DRAMTiming() DRAMTiming {
	d := &g.DRAM
	cycles := func(ns float64) int { return int(math.Round(ns * g.Clock.SM / 1e3)) }
	burst := float64(d.Channels*d.Burst) / (d.Bandwidth * 1e9) * (g.Clock.SM * 1e6)
	return DRAMTiming{
		Burst:   burst / d.Efficiency,
		Latency: max(1, cycles(d.Latency)), RowMiss: cycles(d.RowMiss), RowCycle: cycles(d.RowCycle),
	}
}

// checkRates rejects rates that are too high for clock.sm: a resource that is busy for less than half a tick would not
// be busy at all.
func (g *GPU) checkRates(check func(ok bool, rule string, of ...string)) {
	c := g.InSMCycles()
	some := func(cycles float64) bool { return math.Round(cycles*TicksPerCycle) > 0 }
	for _, r := range []struct {
		path   string
		cycles float64
	}{
		{"xbar.send_flit", c.Xbar.SendFlit}, {"xbar.recv_flit", c.Xbar.RecvFlit}, {"l2.sector", c.L2.Sector},
		{"atomic.step", c.Atomic.Step}, {"atomic.replay", c.Atomic.Replay}, {"atomic.load", c.Atomic.Load},
	} {
		check(some(r.cycles), "%s at %s is less than 1/64 of a cycle at %s", r.path, "clock.l2", "clock.sm")
	}
	check(some(g.DRAMTiming().Burst), "%s over %s is less than 1/64 of a cycle at %s for a burst", "dram.bandwidth", "dram.channels", "clock.sm")
}
