package ir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/golden"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// parse parses a text and fails the test if it is malformed.
func parse(t *testing.T, text string) *ir.Func {
	t.Helper()
	f, err := irtext.Parse(text)
	require.NoError(t, err)
	return f
}

func TestTextRoundTrip(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			f := parse(t, string(text))
			require.NoError(t, f.Verify())
			golden.Check(t, file, f.String())
			again := parse(t, f.String())
			require.Equal(t, f.String(), again.String())
			require.NoError(t, again.Verify())

			c := f.Clone()
			require.NoError(t, c.Verify())
			require.Equal(t, f.String(), c.String())
			values := map[*ir.Value]bool{}
			for _, b := range f.Blocks {
				for _, v := range append(append([]*ir.Value{b.Cond}, b.Phis...), b.Ins...) {
					values[v] = v != nil
				}
			}
			for i, b := range c.Blocks {
				require.NotSame(t, f.Blocks[i], b)
				for _, v := range append(append([]*ir.Value{b.Cond}, b.Phis...), b.Ins...) {
					require.False(t, values[v], "a value of the original")
					if v != nil {
						v.Imm, v.Args = 99, nil
					}
				}
			}
			require.Equal(t, again.String(), f.String(), "the original does not change with the copy")
		})
	}
}

// parseErrors are malformed texts and their errors.
var parseErrors = []struct{ text, want string }{
	{"", "line 1: no blocks"},
	{"kernel k\nb0:\n\tv1:u32 = frob 1:u32\n\tret\n", `line 3: unknown op "frob"`},
	{"kernel k\nb0:\n\tv1:u32 = add 1:u32, v7\n\tret\n", "line 3: v7 is not defined"},
	{"kernel k\nb0:\n\tv1:u32 = add 1:u32, 2\n\tret\n", `line 3: "2" is no operand`},
	{"kernel k\nb0:\n\tv1:u33 = add 1:u32, 2:u32\n\tret\n", `line 3: "u33" is no kind of a result`},
	{"kernel k\nb0:\n\tv1:u32 = add 1:u32, 99999999999:u32\n\tret\n", `line 3: "99999999999" is no number of kind u32`},
	{"kernel k\nb0:\n\tx = add 1:u32, 2:u32\n\tret\n", `line 3: "x" is no result, which reads v1:u32`},
	{"kernel k\nb0:\n\tv1:u32 = add 1:u32, 2:u32\n\tv1:u32 = add 1:u32, 2:u32\n\tret\n", "line 4: v1 is defined twice"},
	{"kernel k\nb0:\n\tv1:u32 = load.u32.nowhere [5:u64]\n\tret\n", `line 3: "nowhere" after load is no element kind, space, order, scope or hint`},
	{"kernel k\nb0:\n\tv1:u32 = load.u32.global 5:u64\n\tret\n", `line 3: "5:u64" is no address, which reads [v1+8]`},
	{"kernel k\nb0:\n\tv1:pred = lt.q 5:u64, 6:u64\n\tret\n", `line 3: "q" after lt is no kind of operands`},
	{"kernel k\nb0:\n\tjmp b9\n", "line 4: block b9 is used but not there"},
	{"kernel k\nb0:\n\tjmp 9\n", `line 3: "9" is no block`},
	{"kernel k\nb0:\n\tif true b1\nb1:\n\tret\n", "line 3: if takes 3 operands, not 2"},
	{"kernel k\nb0:\n\tret\nb0:\n\tret\n", "line 4: block b0 is there twice"},
	{"kernel k\nb0:\nb1:\n\tret\n", "line 3: block b0 has no end"},
	{"kernel k\nb0:\n\tv1:u32 = add 1:u32, 2:u32\n", "line 4: block b0 has no end"},
	{"kernel k\nb0:\n\tret\n\tret\n", "line 4: instruction after the end of block b0"},
	{"kernel k\n\tret\n", "line 2: instruction outside a block"},
	{"kernel k\nleaf \"a\" u32 scalar void 0\nb0:\n\tret\n", "line 2: leaf takes 6 fields, not 5"},
	{"kernel k\nleaf \"a\" u32 skalar void 0 0\nb0:\n\tret\n", `line 2: "skalar" is no role`},
	{"kernel k\nleaf \"a u32 scalar void 0 0\nb0:\n\tret\n", "line 2: malformed string"},
	{"kernel k\nfoo 1\n", `line 2: unknown declaration "foo"`},
	{"kernel k\nb0\n", `line 2: unknown declaration "b0"`},
	{"kernel k\nb0:\n\tv1:u32 = add $n, 2:u32\n\tret\n", `line 3: no parameter "$n"`},
	{"kernel k\nb0:\n\tv1:u64 = add &shared0, 2:u64\n\tret\n", `line 3: no variable "&shared0"`},
	{"kernel k\nb0:\n\tv1:u32 = special frob\n\tret\n", `line 3: "frob" is no special value`},
	{"kernel k\nb0:\n\tret ; 3\n", "line 3: position 3 is not declared"},
	{"kernel k\nb0: <- b7\n\tret\n", `line 2: "b7" is no block of the kernel`},
	{"kernel k\nb0:\n\tv99999999999:u32 = add 1:u32, 2:u32\n\tret\n", "is no result"},
}

func TestParseErrors(t *testing.T) {
	for _, c := range parseErrors {
		f, err := irtext.Parse(c.text)
		require.Nil(t, f)
		require.ErrorContains(t, err, c.want, "%q", c.text)
	}
}

func TestParsePositionsAndStrings(t *testing.T) {
	text := strings.Join([]string{
		`kernel k`,
		`leaf "a" u32 scalar void 0 0`,
		`leaf "a" u32 scalar void 0 1`,
		`leaf "" u64 base f32 4 2`,
		`trap "semi;colon \"quoted\" \\"`,
		`pos "dir/a b;c.go" 3 4 "F" 0`,
		`pos "x.go" 5 6 "G" 1`,
		"b0:",
		"\tv1:u32 = add $#0, $#1 ; 2 x.go:5",
		"\tstore.f32.global [$#2-4], 0x7fc00000:f32 ; 1",
		"\ttrap",
		"\tret",
	}, "\n")
	f := parse(t, text)
	require.NoError(t, f.Verify())
	require.Equal(t, `semi;colon "quoted" \`, f.Traps[0])
	require.Equal(t, "dir/a b;c.go", f.Pos[1].File)
	ins := f.Blocks[0].Ins
	require.Equal(t, ir.Pos(2), ins[0].Pos)
	require.Equal(t, int64(1), ins[0].Args[1].Imm)
	require.Equal(t, int64(-4), ins[1].Imm)
	require.Equal(t, uint64(0x7fc00000), ins[1].Args[1].Bits())
	require.Equal(t, f.String(), parse(t, f.String()).String())
}
