package opt_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/opt"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// ownWords is the number of words of shared memory that each thread of TestWidenRandom has for itself.
const ownWords = 8

// TestWidenRandom loads and stores words of each thread's own part of shared memory in random order, beginning at any word of 16 bytes, and
// compares what the kernel leaves with an array in Go. Loads that could be widened are, in most of the kernels.
func TestWidenRandom(t *testing.T) {
	random, wide := rand.New(rand.NewPCG(1, 2)), 0
	for range *rounds {
		before := random.IntN(4)
		var text strings.Builder
		fmt.Fprintf(&text, `kernel test
leaf "in" u64 base u32 4 0
leaf "in.len" s64 length void 0 0
leaf "out" u64 base u32 4 1
leaf "out.len" s64 length void 0 1
leaf "n" u32 scalar void 0 2
leaf "k" s64 scalar void 0 3
shared "part" u32 %d 4 4 0
b0:
	v1:u32 = special tid
	v2:u32 = mul v1, %d:u32
	v3:u64 = lea.u32 &shared0, v2, #4
	v4:u32 = mul v1, %d:u32
	v5:u64 = lea.u32 $out, v4, #4
`, 4*(genThreads*ownWords+4), ownWords, genWords)
		var own [ownWords]uint32
		for i := range own {
			own[i] = random.Uint32()
			fmt.Fprintf(&text, "\tstore.u32.shared [v3+%d], %d:u32\n", 4*(before+i), own[i])
		}
		var want [genWords]uint32
		value, word := 10, 0
		for range 5 + random.IntN(25) {
			at := random.IntN(ownWords)
			switch random.IntN(8) {
			case 0:
				own[at] = random.Uint32()
				fmt.Fprintf(&text, "\tstore.u32.shared [v3+%d], %d:u32\n", 4*(before+at), own[at])
			case 1:
				fmt.Fprint(&text, "\tbar\n")
			default:
				if word == genWords {
					continue
				}
				want[word] = own[at]
				fmt.Fprintf(&text, "\tv%d:u32 = load.u32.shared [v3+%d]\n\tstore.u32.global [v5+%d], v%d\n", value, 4*(before+at), 4*word, value)
				value, word = value+1, word+1
			}
		}
		text.WriteString("\tret\n")
		f, err := irtext.Parse(text.String())
		require.NoError(t, err)
		require.NoError(t, opt.Optimize(f, opt.Options{VerifyEach: true}))
		if strings.Contains(f.String(), "load.u32x") {
			wide++
		}
		program, err := opt.Program(f)
		require.NoError(t, err)
		got := run(t, program)
		for thread := range genThreads {
			require.Equal(t, want[:], got[thread*genWords:(thread+1)*genWords], "%s", f)
		}
	}
	assert.Greater(t, wide, *rounds/4)
}

// TestWidenKeeps has loads that must stay apart: ordered ones, and those of a variable whose place in shared memory is not a multiple of 8 bytes.
func TestWidenKeeps(t *testing.T) {
	count := func(vars, load, base string, offset int) int {
		text := "kernel test\nleaf \"a\" u64 base u32 4 0\n" + vars + "b0:\n"
		for i := range strings.Count(vars, "\n") {
			text += fmt.Sprintf("\tstore.u32.shared [&shared%d], 0:u32\n", i) // a variable that nothing accesses has no place
		}
		f, err := irtext.Parse(text + fmt.Sprintf(`	bar
	v1:u32 = %[1]s [%[2]s+%[3]d]
	v2:u32 = %[1]s [%[2]s+%[4]d]
	v3:u32 = add v1, v2
	store.u32.global [$a], v3
	ret
`, load, base, offset, offset+4))
		require.NoError(t, err)
		require.NoError(t, opt.Optimize(f, opt.Options{VerifyEach: true}))
		n := 0
		for _, v := range f.Blocks[0].Ins {
			if v.Op == ir.OpLoad {
				n++
			}
		}
		return n
	}
	one, two := "shared \"x\" u32 4 4 4 0\n", "shared \"y\" u32 64 4 4 0\n"
	assert.Equal(t, 1, count(two, "load.u32.shared", "&shared0", 0))
	assert.Equal(t, 2, count(two, "load.u32.shared", "&shared0", 4), "at bytes 4 and 8")
	assert.Equal(t, 2, count(one+two, "load.u32.shared", "&shared1", 0), "at bytes 4 and 8")
	assert.Equal(t, 1, count(one+two, "load.u32.shared", "&shared1", 4), "at bytes 8 and 12")
	assert.Equal(t, 2, count(two, "load.u32.shared.relaxed.block", "&shared0", 0))
	assert.Equal(t, 2, count(two, "load.u32.global", "$a", 0))
}
