package microbench

import (
	"fmt"
	"io"
)

// Chains are the kinds of rows of results/hw/chains.
var Chains = []Kind{
	{"loads", "load past L1;relaxed load of device;relaxed load of block"}, {"compare-and-swap", "compare-and-swap"},
	{"a load and a store elsewhere", "load of device scope and store elsewhere"}, {"two loads, one of a word of all", "load of device scope and of a word"},
	{"a load of device scope and a store to its place", "load of device scope and store behind"}, {"a load of block scope and a store to its place", "load of block scope and store behind"},
}

// PairRates writes a table of how many pairs of a load and a store behind it 132 blocks of 128 threads make in a cycle, by the number of lines that all of them use and by the words of a line
// that are used, from two files of lines "what,words,blocks,lanes,cycles of a step".
func PairRates(to io.Writer, measured, simulated string) error {
	const blocks, pairs = 132, 132 * 128
	fmt.Fprintf(to, "| lines | words of each 32 | words of each 1 | simulated, 32 | simulated, 1 |\n|---|---|---|---|---|\n")
	theirs, _, err := readRows(measured)
	if err != nil {
		return err
	}
	ours, _, err := readRows(simulated)
	if err != nil {
		return err
	}
	for _, lines := range []int{40, 160, 640, 2560, 10240, 40960, 163840} {
		fmt.Fprintf(to, "| %d |", lines)
		for _, rows := range []map[string]float64{theirs, ours} {
			for _, dense := range []bool{true, false} {
				name := fmt.Sprintf("load of device scope and store behind it, spread,%d,%d,32", lines, blocks)
				if dense {
					name = fmt.Sprintf("load of device scope and store behind it,%d,%d,32", 32*lines, blocks)
				}
				if cycles, ok := rows[name]; ok {
					fmt.Fprintf(to, " %.2g |", pairs/cycles)
				} else {
					fmt.Fprint(to, " |")
				}
			}
		}
		fmt.Fprintln(to)
	}
	return nil
}
