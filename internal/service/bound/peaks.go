package bound

import (
	"fmt"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/config"
)

// unit is a part of the machine that can bound a kernel.
type unit struct {
	kind    string
	of      level
	name    string
	counter string                     // counter with the utilisation
	peak    func(g *config.GPU) string // returns the peak from the machine's parameters
}

// level is what has a unit of its own.
type level int

const (
	ofGPU level = iota
	ofSM
	ofSubCore
)

// units lists the parts of the machine, from the SMs to the memory.
var units = []unit{
	{Issue, ofSubCore, "issue slots", counter.IssuePeak, func(g *config.GPU) string { return perSubCore(g, 1) }},
	{Pipe, ofSubCore, "ALU pipe", counter.ALUPeak, func(g *config.GPU) string { return perSubCore(g, g.Cadence.ALU) + differs(g, "interval.alu") }},
	{Pipe, ofSubCore, "integer multiply pipe", counter.IMADPeak, func(g *config.GPU) string { return perSubCore(g, g.Cadence.IMAD) }},
	{Pipe, ofSubCore, "FP32 pipe", counter.FP32Peak, func(g *config.GPU) string { return perSubCore(g, g.Cadence.FP32) + differs(g, "interval.fp32") }},
	{Pipe, ofSubCore, "FP64 pipe", counter.FP64Peak, func(g *config.GPU) string { return perSubCore(g, g.Cadence.FP64) }},
	{Pipe, ofSubCore, "special function pipe", counter.SFUPeak, func(g *config.GPU) string { return perSubCore(g, g.Cadence.SFU) }},
	{Pipe, ofSubCore, "vote pipe", counter.VotePeak, func(g *config.GPU) string { return perSubCore(g, g.Cadence.Vote) }},
	{Pipe, ofSubCore, "shuffle pipe", counter.ShufflePeak, func(g *config.GPU) string { return perSubCore(g, g.Cadence.Shuffle) }},
	{Pipe, ofSubCore, "special register pipe", counter.SpecialPeak, func(g *config.GPU) string { return perSubCore(g, g.Cadence.Special) }},
	{Shared, ofSubCore, "shared atomics", counter.SharedAtomicPeak, func(g *config.GPU) string {
		return rate(perSecond(g.SM.Count*g.SM.SubCores, g.Shared.AtomicIssue, g.Clock.SM), "inst")
	}},
	{L1, ofSM, "L1", counter.L1Peak, func(g *config.GPU) string { return rate(perSecond(g.SM.Count, g.LSU.Line, g.Clock.SM), "lines") }},
	{Shared, ofSM, "shared memory", counter.SharedPeak, func(g *config.GPU) string {
		return rate(perSecond(g.SM.Count*g.Shared.Banks*4, g.Shared.Way, g.Clock.SM), "B")
	}},
	{Crossbar, ofSM, "crossbar, from SMs", counter.SendPeak, func(g *config.GPU) string {
		return rate(perSecond(g.SM.Count*config.SectorBytes, g.Xbar.SendFlit, g.Clock.L2), "B")
	}},
	{Crossbar, ofSM, "crossbar, to SMs", counter.RecvPeak, func(g *config.GPU) string {
		return rate(perSecond(g.SM.Count*config.SectorBytes, g.Xbar.RecvFlit, g.Clock.L2), "B")
	}},
	{L2, ofGPU, "L2", counter.L2Peak, func(g *config.GPU) string {
		return rate(perSecond(g.L2.Slices*config.SectorBytes, g.L2.Sector, g.Clock.L2), "B")
	}},
	{L2Slice, ofGPU, "busiest L2 slice", counter.L2SlicePeak, func(g *config.GPU) string {
		return rate(perSecond(config.SectorBytes, g.L2.Sector, g.Clock.L2), "B")
	}},
	{Atomics, ofGPU, "atomic units", counter.AtomicsPeak, func(g *config.GPU) string {
		return rate(perSecond(g.L2.Slices, g.Atomic.Step, g.Clock.L2), "steps")
	}},
	{Atomic, ofGPU, "busiest atomic unit", counter.AtomicUnitPeak, func(g *config.GPU) string {
		return rate(perSecond(1, g.Atomic.Step, g.Clock.L2), "steps")
	}},
	{DRAM, ofGPU, "DRAM", counter.DRAMPeak, func(g *config.GPU) string { return rate(g.DRAM.Bandwidth*1e9, "B") }},
}

// differs returns in parentheses where the peak that a parameter gives is not that of the data sheet; "" if it is.
func differs(g *config.GPU, path string) string {
	if text := g.Origin(path).Differs; text != "" {
		return " (" + text + ")"
	}
	return ""
}

// perSubCore returns the peak rate of warp instructions of all sub-cores, if
// each issues one in so many cycles.
func perSubCore(g *config.GPU, cycles int) string {
	return rate(perSecond(g.SM.Count*g.SM.SubCores, float64(cycles), g.Clock.SM), "inst")
}

// perSecond returns the rate per second of n operations in so many cycles of a
// clock in MHz.
func perSecond(n int, cycles, clock float64) float64 { return float64(n) * clock * 1e6 / cycles }

func rate(v float64, of string) string {
	text := format.Scaled(v)
	if of != "B" { // "4.8 TB/s", and "1.05 T inst/s"
		text += " "
	}
	return fmt.Sprintf("%s%s/s", text, of)
}
