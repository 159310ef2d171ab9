package difftest

import (
	"flag"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

var reduce = flag.Bool("reduce", true, "make a kernel that fails smaller before it is shown")

// checkFresh generates the kernel of a seed and compares several ways to run
// it. If they disagree, it reports the smallest kernel that fails in the same
// way.
func checkFresh(t *testing.T, seed, data uint64, ways func(k generate.Kernel) []Way) {
	k, err := generate.New("Fresh", seed)
	require.NoError(t, err)
	agree := func(k generate.Kernel) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}()
		return Agree(ways(k), Case{Entry: "corpus.Fresh", Grid: k.Grid, Block: k.Block, Ends: k.Ends, Seed: data}, nil)
	}
	err = agree(k)
	if err == nil {
		return
	}
	if !*reduce {
		t.Fatal(err)
	}
	first := err
	small := generate.Reduce(k, func(k generate.Kernel) bool {
		err := agree(k)
		return err != nil && kindOf(err) == kindOf(first)
	})
	t.Fatalf("%v\nreduced, %d blocks of %d threads:\n%s%v", first, k.Grid, k.Block, small.Source, agree(small))
}

// details matches positions and numbers in an error.
var details = regexp.MustCompile(`\S+\.go:[0-9:]+|\{.*?\}|-?\b[0-9a-f]{8}\b|-?[0-9.]+(e[-+][0-9]+)?`)

// kindOf returns the part of an error that failures with the same cause have in
// common.
func kindOf(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return details.ReplaceAllString(text, "#")
}

// freshSeeds is the first fresh seed; it is larger than those of the corpus.
const freshSeeds = 10_000

// seeds returns how many seeds a normal test run tries: n, or a few with
// -short.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 6
	}
	return n
}

// FuzzKernels compares the simulator with the functional device.
func FuzzKernels(f *testing.F) {
	for i := range seeds(30) {
		f.Add(freshSeeds+i, i)
	}
	f.Fuzz(func(t *testing.T, seed, data uint64) {
		checkFresh(t, seed, data, func(k generate.Kernel) []Way {
			_, opt := compilers(t, k)
			return []Way{optimised(opt), simulated(t, opt, machines[seed%uint64(len(machines))])}
		})
	})
}

// FuzzOptimizer compares optimised with unoptimised compilation.
func FuzzOptimizer(f *testing.F) {
	for i := range seeds(60) {
		f.Add(freshSeeds+1000+i, i)
	}
	f.Fuzz(func(t *testing.T, seed, data uint64) {
		checkFresh(t, seed, data, func(k generate.Kernel) []Way {
			raw, opt := compilers(t, k)
			return []Way{plain(raw), optimised(opt)}
		})
	})
}
