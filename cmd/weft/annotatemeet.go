package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/internal/ir"
	"github.com/weft-gpu/weft/sim/profile"
)

// printContention shows where atomics met: by address, by buffer, by launch.
func (a *app) printContention(an *annotation, p *profile.Profile, top int) {
	if len(an.Addresses) == 0 {
		fmt.Fprintf(a.stdout, "\nno atomics\n")
		return
	}
	fmt.Fprintf(a.stdout, "\natomics by address: those that kept an atomic unit (or shared memory) busy longest, an operation after the other\n")
	rows := [][]string{{"address", "in", "operations", "longest queue", "wait of one", "serial cycles", "of the run", "where it was longest"}}
	run := 0.0
	for i := range an.Kernels {
		run += float64(an.Kernels[i].Cycles)
	}
	for _, x := range an.Addresses {
		of := "" // each SM has a shared memory of its own
		if x.Space == ir.Global.String() && run > 0 {
			of = fmt.Sprintf("%.1f%%", 100*x.Serial/run)
		}
		rows = append(rows, append(addressRow(&x), of, place(x.File, x.Line)+" in "+x.Kernel))
	}
	cols := []align{left, left, right, right, right, right, right, left}
	table(a.stdout, "  ", cols, rows)
	if all := len(p.Addresses(0)); all > len(an.Addresses) {
		fmt.Fprintf(a.stdout, "  %s more addresses: --top, --json\n", thousands(all-len(an.Addresses)))
	}
	fmt.Fprintf(a.stdout, "\natomics by buffer\n")
	rows = [][]string{{"buffer", "in", "operations", "longest queue", "wait of one", "serial cycles"}}
	for _, x := range an.Buffers {
		rows = append(rows, addressRow(&x))
	}
	table(a.stdout, "  ", cols[:6], rows)
	a.printLaunches(an, top)
}

// addressRow is the place and the numbers of an address or buffer.
func addressRow(x *annotatedAddress) []string {
	name := x.Buffer
	if x.Index != nil {
		name += fmt.Sprintf("[%d]", *x.Index)
	}
	if x.Byte > 0 {
		name += fmt.Sprintf("+%d", x.Byte)
	}
	ops := thousands(x.Ops)
	if x.Missed > 0 {
		ops = ">= " + ops
	}
	return []string{name, x.Space, ops, thousands(x.Queue), fmt.Sprintf("%.1f", x.Waited/float64(max(x.Ops, 1))), thousands(uint64(x.Serial + 0.5))}
}

// printLaunches shows the launches with the most atomics, in order of time.
func (a *app) printLaunches(an *annotation, top int) {
	shown := slices.Clone(an.Launches)
	slices.SortStableFunc(shown, func(x, y annotatedLaunch) int {
		return cmp.Compare(y.Global.Ops+y.Shared.Ops, x.Global.Ops+x.Shared.Ops)
	})
	shown = shown[:min(top, len(shown))]
	slices.SortFunc(shown, func(x, y annotatedLaunch) int { return cmp.Compare(x.Launch, y.Launch) })
	fmt.Fprintf(a.stdout, "\natomics by launch: lanes of a warp (and, in shared memory, threads of a block) on one address\n")
	rows := [][]string{{"launch", "kernel", "global", "mean", "most", "shared", "mean", "most", "of a block"}}
	for _, l := range shown {
		row := []string{fmt.Sprint(l.Launch), l.Kernel}
		row = append(append(row, meetRow(&l.Global)...), meetRow(&l.Shared)...)
		block := ""
		if l.BlockDegree > 0 {
			block = thousands(l.BlockDegree)
		}
		rows = append(rows, append(row, block))
	}
	table(a.stdout, "  ", []align{right, left, right, right, right, right, right, right, right}, rows)
	if more := len(an.Launches) - len(shown); more > 0 {
		fmt.Fprintf(a.stdout, "  %s more launches: --top, --json\n", thousands(more))
	}
}

func meetRow(m *annotatedMeet) []string {
	if m.Ops == 0 {
		return []string{"0", "", ""}
	}
	return []string{thousands(m.Ops), fmt.Sprintf("%.1f", m.Mean), thousands(m.Highest)}
}
