package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

const verifyHeader = `kernel k
leaf "p" u64 base u32 4 0
leaf "n" u32 scalar void 0 1
leaf "x" f32 scalar void 0 2
shared "q" u32 64 4 4 0
trap "t"
`

func TestVerify(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"\tv0:u32 = add $n, $x\n\tret", "(param) of kind f32 where u32 is needed"},
		{"\tv0:u32 = add $n\n\tret", "1 operands where 2 are needed"},
		{"\tv0:u32 = add $n, 1:u64\n\tret", "of kind u64 where u32 is needed"},
		{"\tv0:u32 = and $n, 1:s32\n\tret", ""},
		{"\tv0:f32 = and $x, $x\n\tret", "a result of kind f32, where an integer or pred is needed"},
		{"\tv0:u8 = add $n, $n\n\tret", "result of kind u8, which no register has"},
		{"\tv0:u32 = shl $n, 1:u64\n\tret", "of kind u64 where u32 is needed"},
		{"\tv0:u32 = lt.u32 $n, $n\n\tret", "a result of kind u32, where pred is needed"},
		{"\tv0:pred = lt.pred true, false\n\tret", "operands of kind pred, where a number is needed"},
		{"\tv0:pred = lt $n, $n\n\tret", "operands of kind void, where a number is needed"},
		{"\tv0:u32 = cvt $n\n\tret", "operands of kind void, where a number is needed"},
		{"\tv0:u64 = bitcast.u32 $n\n\tret", "operands of kind u32 do not go with a result of kind u64"},
		{"\tv0:u32 = select $n, $n, $n\n\tret", "of kind u32 where pred is needed"},
		{"\tv0:u32 = load.u8.global [$n]\n\tret", "of kind u32 where u64 is needed"},
		{"\tv0:u64 = load.u32.global [$p]\n\tret", "loads another kind than it names"},
		{"\tv0:u32 = load.u32x3.global [$p]\n\tret", "vector too wide"},
		{"\tv0:u64 = load.u64x4.global [$p]\n\tret", "vector too wide"},
		{"\tv0:u32 = load.u32.global.relaxed [$p]\n\tret", "an ordered access needs a scope"},
		{"\tv0:u32 = load.u32x2.global [$p]\n\tv1:u32 = add v0, v0\n\tret", "reads the vector v0 as a scalar"},
		{"\tv0:u32 = load.u32x2.global [$p]\n\tv1:u32 = elem v0, #2\n\tret", "needs a vector with such an element"},
		{"\tstore.u32x2.global [$p], $n\n\tret", "needs one value an element"},
		{"\tv0:u32 = atom.add.u8.global.relaxed.device [$p], $n\n\tret", "an element of kind u8, where a number is needed"},
		{"\tfence.acquire.device\n\tret", "needs order acq_rel or sc, and a scope"},
		{"\ttrap #1\n\tret", "no such trap"},
		{"\tv0:u64 = shared #1\n\tret", "no such shared variable"},
		{"\tv0:u32 = special clock64\n\tret", "no such special value"},
		{"\t@$n bar\n\tret", "guard on it or of kind u32"},
		{"\t@true v0:u32 = atom.add.u32.global.relaxed.device [$p], $n\n\tv1:u32 = add v0, 1:u32\n\tret", "the result of a guarded instruction"},
		{"\tv0:u32 = add v1, $n\n\tv1:u32 = add $n, $n\n\tret", "operand v1 of b0 does not dominate its use in b0"},
		{"\tif true b1 b1\nb1: <- b0 b0\n\tret", "b0 branches to b1 on both sides"},
		{"\tif $n b1 b2\nb1: <- b0\n\tret\nb2: <- b0\n\tret", "branch on a u32"},
		{"\tjmp b1\nb1:\n\tret", "edge b0 to b1 is not known to both"},
		{"\tret\nb1: <- b0\n\tret", "edge b0 to b1 is not known to both"},
		{"\tjmp b0", "edge b0 to b0 is not known to both"},
		{"\tjmp b1\nb1: <- b0 b1\n\tv0:u32 = phi $n\n\tjmp b1", "1 operands for 2 predecessors"},
		{"\tif true b1 b2\nb1: <- b0\n\tv0:u32 = add $n, $n\n\tjmp b3\nb2: <- b0\n\tjmp b3\nb3: <- b1 b2\n\tv1:u32 = phi v0, v0\n\tret", "operand v0 of b1 does not dominate its use in b2"},
		{"\tjmp b1\nb1: <- b0\n\tv0:u32 = mov $n\n\tret", "op not allowed in SSA form"},
		{"\tv0:u32 = const 5:u32\n\tv1:u32 = param $n\n\tv2:u32 = add v0, v1\n\tret", ""},
	} {
		f := parse(t, verifyHeader+"b0:\n"+c.body+"\n")
		err := f.Verify()
		if c.want == "" {
			assert.NoError(t, err, c.body)
		} else {
			assert.ErrorContains(t, err, c.want, c.body)
		}
	}
	require.ErrorContains(t, (&ir.Func{Name: "k"}).Verify(), "no blocks")
}

// Two nested loops, a return in the middle and unreachable code.
const nested = `kernel k
leaf "n" u32 scalar void 0 0
b0:
	jmp b1
b1: <- b0 b5
	v0:u32 = phi 0:u32, v1
	v1:u32 = add v0, 1:u32
	v2:pred = lt.u32 v1, $n
	if v2 b2 b6
b2: <- b1 b3
	v3:pred = eq.u32 v1, 3:u32
	if v3 b4 b3
b3: <- b2
	v4:pred = eq.u32 v1, 4:u32
	if v4 b2 b5
b4: <- b2
	ret
b5: <- b3
	jmp b1
b6: <- b1 b7
	ret
b7:
	jmp b6
`

func TestAnalyze(t *testing.T) {
	f := parse(t, nested)
	name := map[*ir.Block]int{nil: -1}
	for _, b := range f.Blocks {
		name[b] = b.ID
	}
	require.NoError(t, f.Verify())
	f.Analyze()
	require.Len(t, f.Blocks, 7, "the unreachable block goes")
	idom, ipdom, depth := map[int]int{}, map[int]int{}, map[int]int{}
	for i, b := range f.Blocks {
		require.Equal(t, i, b.ID)
		idom[name[b]], ipdom[name[b]], depth[name[b]] = name[b.Idom], name[b.Ipdom], b.Depth
		for _, p := range b.Preds {
			require.True(t, p.ID < b.ID || b.Dominates(p), "only back edges go up")
		}
	}
	require.Equal(t, map[int]int{0: -1, 1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 6: 1}, idom)
	require.Equal(t, map[int]int{0: 1, 1: -1, 2: -1, 3: -1, 4: -1, 5: 1, 6: -1}, ipdom)
	require.Equal(t, map[int]int{0: 0, 1: 1, 2: 2, 3: 2, 4: 0, 5: 1, 6: 0}, depth)

	loops := f.Loops()
	require.Len(t, loops, 2)
	inner, outer := loops[0], loops[1]
	require.Equal(t, 2, name[inner.Header])
	require.Equal(t, 1, name[outer.Header])
	require.Len(t, inner.Blocks, 2)
	require.Len(t, outer.Blocks, 4)
	require.Equal(t, 0, name[outer.Entry()])
	require.Equal(t, 1, name[inner.Entry()])
	require.True(t, outer.Has(inner.Header))
	require.False(t, inner.Has(outer.Header))
}

func TestPostDominatorsOfEndlessLoop(t *testing.T) {
	// 0 -> 1 <-> {2, 3}: the two arms meet at 4, which jumps back to 1.
	g := ir.NewGraph([][]int32{{1}, {2, 3}, {4}, {4}, {1}})
	require.Equal(t, []int32{1, 4, 4, 4, -1}, g.PostDominators())
	require.Equal(t, []int32{-1, 0, 1, 1, 1}, g.Dominators())
}

// Dominators match their definition: removing d makes b unreachable.
func TestDominatorsByDefinition(t *testing.T) {
	for seed := range uint64(200) {
		g := randomGraph(seed)
		idom := g.Dominators()
		reach := reachable(g, -1)
		for b := range g.Succs {
			if !reach[b] || b == 0 {
				require.Equal(t, int32(-1), idom[b])
				continue
			}
			doms := map[int32]bool{}
			for d := idom[b]; d >= 0; d = idom[d] {
				doms[d] = true
			}
			for d := range g.Succs {
				if d != b && reach[d] {
					require.Equal(t, !reachable(g, d)[b], doms[int32(d)], "seed %d: does %d dominate %d", seed, d, b)
				}
			}
		}
	}
}

func randomGraph(seed uint64) *ir.Graph {
	next := func(n uint64) uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return seed >> 33 % n
	}
	n := 2 + next(9)
	succs := make([][]int32, n)
	for i := range succs {
		for range next(3) {
			if n > 1 {
				succs[i] = append(succs[i], int32(1+next(n-1)))
			}
		}
	}
	return ir.NewGraph(succs)
}

// reachable returns the nodes that can be reached from the entry without
// passing through removed.
func reachable(g *ir.Graph, removed int) []bool {
	seen := make([]bool, len(g.Succs))
	if removed == 0 {
		return seen
	}
	seen[0] = true
	for work := []int32{0}; len(work) > 0; {
		b := work[0]
		work = work[1:]
		for _, s := range g.Succs[b] {
			if int(s) != removed && !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return seen
}
