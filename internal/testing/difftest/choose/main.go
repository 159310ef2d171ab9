package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/difftest"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

func main() {
	of := flag.Int("of", 200, "seeds to choose from: 1 to this")
	n := flag.Int("n", 50, "seeds to choose")
	keep := flag.String("keep", "49", "seeds that are chosen whatever they add, with commas between them: those that alone found a planted fault")
	bad := flag.Int("bad", 6, "kernels at least of each way to end badly")
	flag.Parse()
	var seeds []uint64
	for i := range *of {
		seeds = append(seeds, uint64(i+1))
	}
	kernels, err := generate.OfSeeds(seeds)
	if err == nil {
		var has []map[string]bool
		if has, err = features(kernels); err == nil {
			var kept []uint64
			for _, text := range strings.Split(*keep, ",") {
				var seed uint64
				if _, err := fmt.Sscan(text, &seed); err == nil {
					kept = append(kept, seed)
				}
			}
			chosen, covered, all := choose(kernels, has, kept, *n, *bad)
			fmt.Printf("%d of %d features that several kernels have\n%v\n", covered, all, chosen)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "choose:", err)
		os.Exit(1)
	}
}

// These match what differs between any two programs and is not a feature:
// register numbers and constants.
var (
	registers = regexp.MustCompile(`\b([rpvb%]+)\d+\b`)
	numbers   = regexp.MustCompile(`-?\b\d[\d.]*(e[-+]?\d+)?\b`)
	comment   = regexp.MustCompile(`;.*$`)
)

// features returns the features of each kernel's programs.
func features(kernels []generate.Kernel) ([]map[string]bool, error) {
	has := make([]map[string]bool, len(kernels))
	for i, k := range kernels {
		has[i] = map[string]bool{fmt.Sprint("launch ", k.Grid, k.Block, k.Ends): true}
	}
	for _, optimize := range []bool{false, true} {
		c, err := difftest.Fresh(optimize, kernels...)
		if err != nil {
			return nil, err
		}
		for i, k := range kernels {
			compiled, err := c.Kernel(context.Background(), "corpus."+k.Name, nil)
			if err != nil {
				return nil, err
			}
			before := ""
			for line := range strings.Lines(fmt.Sprint(ir.Compiled(compiled).Program)) {
				line = comment.ReplaceAllString(strings.TrimSpace(line), "")
				line = strings.TrimSpace(numbers.ReplaceAllString(registers.ReplaceAllString(line, "$1"), "#"))
				op := operation(line)
				has[i][fmt.Sprint(optimize, line)] = true
				has[i][fmt.Sprint(optimize, before, " then ", op)] = true
				before = op
			}
		}
	}
	return has, nil
}

// operation returns the word of a program line that names the operation.
func operation(line string) string {
	line = strings.TrimLeft(line, "># ")
	if _, right, ok := strings.Cut(line, " = "); ok {
		line = right
	}
	for _, w := range strings.Fields(line) {
		if !strings.HasPrefix(w, "@") {
			return w
		}
	}
	return ""
}

// choose selects n seeds, including those of keep and at least bad kernels for
// each way to end badly. It returns them and how many of the features that
// occur in more than one kernel they cover.
func choose(kernels []generate.Kernel, has []map[string]bool, keep []uint64, n, bad int) (chosen []uint64, covered, all int) {
	count := map[string]int{}
	for _, f := range has {
		for x := range f {
			count[x]++
		}
	}
	ends := map[generate.Ends]int{}
	missing := func() (m int) {
		for _, e := range []generate.Ends{generate.Hang, generate.Unwritten} {
			m += max(0, bad-ends[e])
		}
		return m
	}
	have := map[string]bool{}
	for len(chosen) < min(n, len(kernels)) {
		best, gain := -1, -1
		for i, k := range kernels {
			if len(chosen) < len(keep) && k.Seed != keep[len(chosen)] || slices.Contains(chosen, k.Seed) || n-len(chosen) <= missing() && (k.Ends == generate.Well || ends[k.Ends] >= bad) {
				continue
			}
			g := 0
			for x := range has[i] {
				if !have[x] && count[x] > 1 {
					g++
				}
			}
			if g > gain {
				best, gain = i, g
			}
		}
		if best < 0 {
			break // not enough kernels that end badly, or no such seed
		}
		chosen = append(chosen, kernels[best].Seed)
		ends[kernels[best].Ends]++
		for x := range has[best] {
			have[x] = true
		}
	}
	for x, c := range count {
		if c > 1 {
			all++
			if have[x] {
				covered++
			}
		}
	}
	slices.Sort(chosen)
	return chosen, covered, all
}
