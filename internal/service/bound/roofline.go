package bound

import (
	"math"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/config"
)

// Roofline compares what a kernel achieves with the peaks of the machine: the roofline
// model of Williams, Waterman and Patterson (2009), with thread instructions as
// operations, as Ding and Williams (2019) use it for GPUs. An operation is an executed
// instruction of one thread.
type Roofline struct {
	Operations float64 `json:"operations"` // thread instructions
	Rate       float64 `json:"operations_per_second"`
	// Peak is the rate if all sub-cores issue an instruction of 32 threads in each cycle; PeakFP32 is that of the
	// single-precision pipes, whose fused multiply-add counts as one operation here and as two in data sheets.
	Peak     float64 `json:"peak_operations_per_second"`
	PeakFP32 float64 `json:"peak_fp32_operations_per_second"`
	Levels   []Level `json:"levels"` // of the memory, from the SM
}

// Level is a level of the memory in a roofline.
type Level struct {
	Name  string  `json:"name"`  // "L1", "L2", "DRAM"
	Bytes float64 `json:"bytes"` // that the kernel moved there
	Peak  float64 `json:"peak_bytes_per_second"`
	// Intensity is the operations per byte. Roof is the rate that the machine can reach with that intensity: the peak of
	// operations, or the bandwidth times the intensity if that is less.
	Intensity float64 `json:"operations_per_byte"`
	Roof      float64 `json:"roof_operations_per_second"`
	counters  []string
	unit      float64 // bytes
}

// lanes is the number of threads of a warp.
const lanes = 32

// levels have the counters of the bytes moved at each level, and its bandwidth.
func levels(g *config.GPU) []Level {
	return []Level{
		{Name: "L1", counters: []string{counter.L1Loads, counter.L1Stores}, unit: config.SectorBytes,
			Peak: perSecond(g.SM.Count*config.LineBytes, g.LSU.Line, g.Clock.SM)},
		{Name: "L2", counters: []string{counter.L2Reads, counter.L2Writes, counter.L2Atomics, counter.L2Reds}, unit: config.SectorBytes,
			Peak: perSecond(g.L2.Slices*config.SectorBytes, g.L2.Sector, g.Clock.L2)},
		{Name: "DRAM", counters: []string{counter.DRAMRead, counter.DRAMWritten}, unit: 1,
			Peak: g.DRAM.Bandwidth * 1e9},
	}
}

// roofline computes the roofline of a kernel; nil if it has no time or no operations.
func (k *collected) roofline(g *config.GPU) *Roofline {
	seconds := k.cycles / (g.Clock.SM * 1e6)
	r := &Roofline{Operations: k.sum.Of(counter.ThreadInsts),
		Peak:     perSecond(g.SM.Count*g.SM.SubCores*lanes, 1, g.Clock.SM),
		PeakFP32: perSecond(g.SM.Count*g.SM.SubCores*lanes, float64(g.Cadence.FP32), g.Clock.SM)}
	if seconds == 0 || r.Operations == 0 {
		return nil
	}
	r.Rate = r.Operations / seconds
	for _, l := range levels(g) {
		for _, name := range l.counters {
			l.Bytes += k.sum.Of(name) * l.unit
		}
		if l.Bytes == 0 {
			continue // its intensity is infinite
		}
		l.Intensity = r.Operations / l.Bytes
		l.Roof = math.Min(r.Peak, l.Peak*l.Intensity)
		r.Levels = append(r.Levels, l)
	}
	return r
}
