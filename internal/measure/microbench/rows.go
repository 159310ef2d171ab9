package microbench

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Kind are rows with a title whose names begin with one of several texts, between semicolons.
type Kind struct{ Title, Begins string }

// Asynchronous and Products are the kinds of rows of results/hw/asynchronous: of asynchronous.cu, and of GroupProducts and MatrixProducts. Attention are of Attentions, Sends of sends.cu
// there, Arrivals of arrivals.cu and Panels of panels.cu, and Ports and Spread those of ports.cu and spread.cu in results/hw/ports.
var Asynchronous, Products, Attention, Sends, Arrivals, Ports, Spread, Panels = []Kind{
	{"mbarriers", "mbarrier."}, {"arrive and wait, two warps in turn", "arrive and wait;two warps"}, {"`cp.async`", "cp.async;4 cp.async"}, {"load, store and load", "load,"},
	{"copies in bulk to shared memory", "bulk copy in;4 bulk copies in"}, {"copies in bulk to global memory", "bulk copy out"}, {"`mma.sync`", "latency m;each of four chains"}, {"`ldmatrix`", "latency ldmatrix;each ldmatrix"},
}, []Kind{
	{"one product, until its sums can be read", "latency of wgmma"}, {"each of many products", "each of wgmma"},
	{"matrices, `Grouped`", "Grouped"}, {"matrices, `Tensor` and `Plain`", "Tensor;Plain"},
}, []Kind{
	{"by warpgroups", "attention of 8 heads 64 wide by;attention of 8 heads 128 wide by;causal attention of 8 heads 64 wide by"},
	{"without tensor cores", "attention of 8 heads 64 wide without;attention of 8 heads 128 wide without;causal attention of 8 heads 64 wide without"},
}, []Kind{
	{"two blocks send in turn", "turn,"}, {"one block sends many times", "flood,"}, {"a copy for several blocks, or one for each, and arrivals", "cast,;each,"},
}, []Kind{
	{"arrivals with a release", "arrive release"}, {"relaxed arrivals", "arrive relaxed"}, {"turns of two blocks, or of one with itself", "turns"}, {"looks, and a wait that fails", "look acquire.cluster,1;look acquire.cta;try_wait"},
	{"fences of the block", "nothing, fence of the block;copy, fence of the block;store, fence of the block;shared store, fence of the block;look acquire.cluster, fence of the block"},
	{"fences of the cluster and the device", "nothing, fence of the c;nothing, fence of the d;store, fence of the c;store, fence of the d;shared store, fence of the c;shared store, fence of the d;look acquire.cluster, fence of the c;look acquire.cluster, fence of the d"},
	{"copies, and a fence or an arrival behind them", "copy "}, {"sends", "send "},
}, []Kind{
	{"loads past L1", "load past L1,"}, {"loads", "load,"}, {"stores", "store,"}, {"stores and a fence", "store and fence,"},
}, []Kind{
	{"copies in bulk, of what each SM has for itself", "copies in bulk,own"}, {"copies in bulk, the same for a TPC, a GPC or all", "copies in bulk,a;copies in bulk,all"},
	{"loads, of what each SM has for itself", "loads past L1,own"}, {"loads, the same for a TPC, a GPC or all", "loads past L1,a;loads past L1,all"},
}, []Kind{
	{"boxes, of what each block has for itself", "own boxes;own consecutive"}, {"boxes that blocks share", "shared by 2 b;shared by 4 b;shared by 8 b;shared by 132 b;shared by 2 c;shared by 4 c;shared by 8 c;shared by 132 c"},
	{"boxes, by rows and columns", "rows and columns boxes;rows and columns consecutive"}, {"loads", "own loads;shared by 2 l;shared by 4 l;shared by 8 l;shared by 132 l;rows and columns loads"},
}

// CompareRows reads files of lines "what,size,warps,NUMBER unit", the first simulated and the others measured, and writes a table of how far apart their rows
// are, by kind.
func CompareRows(to io.Writer, kinds []Kind, simulated string, measured ...string) error {
	ours, order, err := readRows(simulated)
	if err != nil {
		return err
	}
	theirs := map[string]float64{}
	for _, file := range measured {
		rows, _, err := readRows(file)
		if err != nil {
			return err
		}
		maps.Copy(theirs, rows)
	}
	fmt.Fprintf(to, "| rows | number | mean error | median error | within 10%% |\n|---|---|---|---|---|\n")
	var all []float64
	line := func(title string, off []float64) {
		slices.Sort(off)
		sum, near := 0.0, 0
		for _, x := range off {
			if sum += x; x <= 0.1 {
				near++
			}
		}
		fmt.Fprintf(to, "| %s | %d | %.0f%% | %.0f%% | %d |\n", title, len(off), 100*sum/float64(len(off)), 100*off[len(off)/2], near)
	}
	for _, kind := range kinds {
		var off []float64
		for _, name := range order {
			begins := func(with string) bool { return strings.HasPrefix(name, with) }
			if want, ok := theirs[name]; ok && slices.ContainsFunc(strings.Split(kind.Begins, ";"), begins) {
				off = append(off, math.Abs(ours[name]/want-1))
			}
		}
		if len(off) == 0 {
			return fmt.Errorf("%s: no row of %s", simulated, kind.Title)
		}
		all = append(all, off...)
		line(kind.Title, off)
	}
	line("all", all)
	return nil
}

// readRows returns the numbers of a file by what they are of, and that in the order of the file.
func readRows(file string) (rows map[string]float64, order []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	rows = map[string]float64{}
	for line := range strings.Lines(string(text)) {
		at := strings.LastIndexByte(line, ',')
		number, _, _ := strings.Cut(strings.TrimSpace(line[at+1:]), " ")
		if rows[line[:max(at, 0)]], err = strconv.ParseFloat(number, 64); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		order = append(order, line[:at])
	}
	return rows, order, nil
}
