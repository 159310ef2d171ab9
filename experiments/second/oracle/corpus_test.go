package oracle

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/experiments/second/host"
	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

// clang returns the device; without clang-19 it skips the test.
func clang(t *testing.T, opts host.Options) *host.Device {
	t.Helper()
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("no clang-19: apt-get install clang-19")
	}
	d, err := host.New(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// Of the fifty kernels of the corpus, all that end well run on clang, before and after the optimiser, and leave the same
// memory as on device func.
func TestCorpus(t *testing.T) {
	kernels, err := generate.OfSeeds(generate.Seeds)
	require.NoError(t, err)
	counts, err := Corpus(t.Context(), clang(t, host.Options{}), kernels)
	require.NoError(t, err)
	assert.Equal(t, Counts{Equal: 38, Refused: map[string]int{}, Badly: map[string]int{"hang": 6, "unwritten": 6}}, counts)
}

// fresh returns generated kernels that are in no other test.
func fresh(t *testing.T, from, n uint64) []generate.Kernel {
	var kernels []generate.Kernel
	for seed := from; seed < from+n; seed++ {
		k, err := generate.New(fmt.Sprintf("K%d", seed), seed)
		require.NoError(t, err)
		kernels = append(kernels, k)
	}
	return kernels
}

// So do other kernels of the generator, of which some have blocks of any number of threads.
func TestFresh(t *testing.T) {
	d := clang(t, host.Options{})
	for _, c := range []struct {
		from uint64
		want Counts
	}{
		{500, Counts{12, map[string]int{}, map[string]int{}}},
		{generate.Wide + 2000, Counts{11, map[string]int{}, map[string]int{"unwritten": 1}}},
	} {
		counts, err := Corpus(t.Context(), d, fresh(t, c.from, 12))
		require.NoError(t, err)
		assert.Equal(t, c.want, counts)
	}
}

// faults are wrong instructions for right ones, as a compiler might choose them, each with the seed of a kernel in which
// the wrong one shows.
var faults = []struct {
	seed         uint64
	right, wrong string
}{
	{86, " ashr i32 ", " lshr i32 "},
	{19, " icmp slt i64 ", " icmp sle i64 "},
	{18, " sext i32 ", " zext i32 "},
	{28, " udiv i32 ", " urem i32 "},
	{23, " fadd float ", " fsub float "},
	{1, "@llvm.fptosi.sat.i32.f32", "@llvm.fptoui.sat.i32.f32"},
	{97, "call i64 @weft_shfl_up(", "call i64 @weft_shfl_down("},
	{1, " atomicrmw umax ", " atomicrmw max "},
	{18, " zext i8 ", " sext i8 "},
	{144, " 2147483647", " 2147483646"},
}

// Wrong code is found: each fault in the text that clang gets makes a kernel of the corpus differ. Without the fault, the
// kernel agrees.
func TestPlanted(t *testing.T) {
	for _, f := range faults {
		kernels, err := generate.OfSeeds([]uint64{f.seed})
		require.NoError(t, err)
		planted := 0
		d := clang(t, host.Options{Level: "O0", Edit: func(text string) string {
			planted += strings.Count(text, f.right)
			return declared(strings.ReplaceAll(text, f.right, f.wrong), f.wrong)
		}})
		_, err = Corpus(t.Context(), d, kernels)
		var found *Difference
		assert.ErrorAs(t, err, &found, "%s for %s", f.wrong, f.right)
		assert.Positive(t, planted, f.right)
		_, err = Corpus(t.Context(), clang(t, host.Options{Level: "O0"}), kernels)
		assert.NoError(t, err)
	}
}

// declared adds the declaration of a function of the harness that the text now calls, if it has none.
func declared(text, wrong string) string {
	_, function, ok := strings.Cut(wrong, "i64 @weft_")
	if !ok || strings.Contains(text, "declare i64 @weft_"+function) {
		return text
	}
	return text + "declare i64 @weft_" + function + "ptr, i32, i64, i32)\n"
}
