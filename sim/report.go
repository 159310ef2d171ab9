package sim

import (
	"cmp"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/config"
)

// ContendedWords is how many of the most contended words a report of all launches names.
const ContendedWords = 10

// contended returns the most contended words of some GPUs.
func contended(gpus ...*Device) []device.ContendedWord {
	var list []device.ContendedWord
	for _, d := range gpus {
		for _, w := range d.m.l2.words.Most(ContendedWords) {
			list = append(list, device.ContendedWord{GPU: d.m.gpu, Buffer: w.Buffer, Index: w.Index, Byte: w.Byte, Operations: w.Ops,
				WaitCycles: float64(w.Waited) / counter.TicksPerCycle, Missed: float64(w.Missed) / counter.TicksPerCycle, Queue: int(w.Queue)})
		}
	}
	slices.SortStableFunc(list, func(a, b device.ContendedWord) int { return cmp.Compare(b.WaitCycles, a.WaitCycles) })
	return list[:min(ContendedWords, len(list))]
}

// report returns the difference of two snapshots of the counters, between which queue is the longest queue at a word.
func report(cfg *config.GPU, now, before *counters, queue uint32) *device.Report {
	r := &device.Report{
		Launches: int(now.Launches - before.Launches),
		Cycles:   now.Cycles - before.Cycles,
		Seconds:  now.seconds - before.seconds,
	}
	c := &counter.Counted{Raw: now.Minus(&before.Raw), SMs: cfg.SM.Count, SubCores: cfg.SM.SubCores, Warps: cfg.SM.Warps,
		Slices: cfg.L2.Slices, DRAMPeak: cfg.DRAM.Bandwidth * 1e9 / (cfg.Clock.SM * 1e6), Queue: queue}
	all := counter.All()
	for i := range all {
		if k := &all[i]; k.Simulated() {
			r.Counters = append(r.Counters, device.Counter{Name: k.Name, Unit: k.Unit, Desc: k.Desc, Value: k.Of(c)})
		}
	}
	return r
}
