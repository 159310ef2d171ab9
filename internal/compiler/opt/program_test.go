package opt

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/testing/irtext"
)

// program compiles a kernel with the leaves of header to a program.
func program(t *testing.T, body string) *ir.Program {
	t.Helper()
	f, err := irtext.Parse(header + body)
	require.NoError(t, err)
	require.NoError(t, f.Verify())
	before := f.String()
	p, err := Program(f)
	require.NoError(t, err)
	require.Equal(t, before, f.String(), "the kernel is left as it is")
	return p
}

// ops returns the ops of a program.
func ops(p *ir.Program) (list []ir.Op) {
	for i := range p.Code {
		list = append(list, p.Code[i].Op)
	}
	return list
}

// find returns instruction number n among those with this op.
func find(t *testing.T, p *ir.Program, op ir.Op, n int) *ir.Inst {
	t.Helper()
	for i := range p.Code {
		if p.Code[i].Op == op {
			if n == 0 {
				return &p.Code[i]
			}
			n--
		}
	}
	require.Failf(t, "not there", "%v in\n%v", op, p)
	return nil
}

func TestSequence(t *testing.T) {
	mv := func(dst, src int) move { return move{int32(dst), ir.Operand(src), ir.U32} }
	for _, c := range []struct {
		name  string
		moves []move
		temp  bool
	}{
		{"chain", []move{mv(1, 2), mv(0, 1), mv(2, -1)}, false},
		{"swap", []move{mv(0, 1), mv(1, 0)}, true},
		{"rotate and fan", []move{mv(0, 1), mv(1, 2), mv(2, 0), mv(3, 0), mv(4, 0)}, true},
		{"two swaps", []move{mv(0, 1), mv(1, 0), mv(2, 3), mv(3, 2)}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			const temp = 9
			rows := [10]int{0, 10, 20, 30, 40}
			read := func(o ir.Operand, rows [10]int) int {
				if o < 0 {
					return 77
				}
				return rows[o]
			}
			want := rows
			for _, m := range c.moves {
				want[m.dst] = read(m.src, rows)
			}
			got := rows
			used := sequence(append([]move(nil), c.moves...), temp, func(m move) { got[m.dst] = read(m.src, got) })
			got[temp] = 0
			require.Equal(t, want, got)
			require.Equal(t, c.temp, used)
		})
	}
}

func TestProgramSwap(t *testing.T) {
	p := program(t, `b0:
	v0:u32 = load.u32.global [$a]
	v1:u32 = load.u32.global [$a+4]
	jmp b1
b1: <- b0 b1
	v2:u32 = phi v0, v3
	v3:u32 = phi v1, v2
	v4:u32 = load.u32.global.relaxed.device [$b]
	v5:pred = eq.u32 v4, 0:u32
	if v5 b1 b2
b2: <- b1
	store.u32x2.global [$a], v2, v3
	ret
`)
	require.Equal(t, 4, p.NumRegs, "two values, what is loaded, and a temporary")
	require.Equal(t, 1, p.NumPreds)
	require.Equal(t, []ir.Op{ir.OpLoad, ir.OpLoad, ir.OpLoad, ir.OpEq, ir.OpBra, ir.OpMov, ir.OpMov, ir.OpMov, ir.OpJmp, ir.OpStore, ir.OpExit}, ops(p))
}

func TestProgramRoots(t *testing.T) {
	p := program(t, `b0:
	v0:pred = lt.u32 $n, $m
	v1:u64 = lea.u32 $a, $n, #4
	v2:u64 = add v1, 16:u64
	store.u32.generic [v2], 1:u32
	v3:u64 = select v0, v2, $b
	store.u32.generic [v3], 2:u32
	v4:u64 = select v0, v2, 0:u64
	store.u32.generic [v4], 3:u32
	v5:u64 = load.u64.global [$b]
	store.u32.generic [v5], 4:u32
	v6:u64 = lea.u32 &shared0, $n, #4
	store.u32.generic [v6+4], 5:u32
	v7:u64 = lea.u32 &local0, $n, #4
	store.u32.generic [v7], 6:u32
	v8:u64 = select v0, v6, v7
	store.u32.generic [v8], 7:u32
	jmp b1
b1: <- b0 b1
	v9:u64 = phi v1, v10
	v10:u64 = add v9, 4:u64
	store.u32.generic [v9], 8:u32
	v11:u32 = load.u32.global.relaxed.device [v10]
	v12:pred = eq.u32 v11, 0:u32
	if v12 b1 b2
b2: <- b1
	ret
`)
	require.Equal(t, 1024, p.SharedBytes)
	require.Equal(t, 64, p.LocalBytes)
	type place struct {
		space ir.Space
		root  *ir.Root
	}
	a := &ir.Root{Space: ir.Global, Leaf: 0, Var: -1}
	want := []place{
		{ir.Global, a}, {ir.Global, nil}, {ir.Global, a}, {ir.Generic, nil},
		{ir.Shared, &ir.Root{Space: ir.Shared, Leaf: -1, Var: 0}}, {ir.Local, &ir.Root{Space: ir.Local, Leaf: -1, Var: 0}},
		{ir.Generic, nil}, {ir.Global, a},
	}
	for i, w := range want {
		in := find(t, p, ir.OpStore, i)
		require.Equal(t, w.space, in.Mem.Space, "store %d", i+1)
		if w.root == nil {
			require.Equal(t, int32(-1), in.Root, "store %d", i+1)
		} else {
			require.Equal(t, *w.root, p.Roots[in.Root], "store %d", i+1)
		}
	}
	require.NotContains(t, p.ReadOnly(), true, "a store may go anywhere")
}

// readOnly returns the names of the parameters that p only reads.
func readOnly(p *ir.Program) (names []string) {
	for i, is := range p.ReadOnly() {
		if is {
			names = append(names, p.Leaves[p.Roots[i].Leaf].Name)
		}
	}
	return names
}

func TestProgramReadOnly(t *testing.T) {
	p := program(t, `b0:
	v0:u32 = load.u32.global [$b]
	v1:u32 = load.u32.global [$a]
	store.u32.global [$a+4], v0
	store.u32.shared [&shared0], v1
	ret
`)
	require.Equal(t, []string{"b"}, readOnly(p))
	p = program(t, `b0:
	v0:u32 = load.u32.global.relaxed.device [$b]
	store.u32.global [$a+4], v0
	ret
`)
	require.Empty(t, readOnly(p), "an ordered load says that others write")
	p = program(t, `b0:
	v0:u32 = load.u32.global [$b]
	v1:u32 = atom.add.u32.global.device [$a], v0
	ret
`)
	require.Equal(t, []string{"b"}, readOnly(p))
}

func TestProgramLayout(t *testing.T) {
	vars, size := layoutVars([]ir.Var{{Size: 3, Align: 1}, {Size: 8, Align: 8}, {Size: 2, Align: 2}, {Size: 4, Align: 4}})
	require.Equal(t, []int{0, 8, 16, 20}, []int{vars[0].Off, vars[1].Off, vars[2].Off, vars[3].Off})
	require.Equal(t, 24, size)
}

func TestProgramVectorLoad(t *testing.T) {
	p := program(t, `b0:
	v0:u32 = load.u32x4.global [$a]
	v1:u32 = elem v0, #2
	v2:u32 = elem v0
	v3:u32 = elem v0, #2
	store.u32x4.global [$b], v1, v2, v3, v1
	ret
`)
	in := find(t, p, ir.OpLoad, 0)
	require.Equal(t, uint8(4), in.NDst)
	seen := map[int32]bool{}
	for _, d := range in.Dst {
		seen[d] = true
	}
	require.Len(t, seen, 4, "each element has a row of its own")
	st := find(t, p, ir.OpStore, 0)
	d := in.Dst
	require.Equal(t, []ir.Operand{ir.Operand(d[2]), ir.Operand(d[0]), ir.Operand(d[2]), ir.Operand(d[2])}, st.Src[1:5])
}

func TestProgramGuards(t *testing.T) {
	p := program(t, `b0:
	v0:pred = lt.u32 $n, $m
	v1:pred = not v0
	@v1 store.u32.global [$a], 1:u32
	@!true store.u32.global [$a], 2:u32
	@true store.u32.global [$a], 3:u32
	v2:u32 = atom.add.u32.global.relaxed.device [$a], 1:u32
	v3:u32 = activemask
	ret
`)
	require.Equal(t, []ir.Op{ir.OpLt, ir.OpStore, ir.OpStore, ir.OpAtomAdd, ir.OpActiveMask, ir.OpExit}, ops(p))
	st := find(t, p, ir.OpStore, 0)
	require.True(t, st.GuardNot)
	require.Equal(t, ir.Operand(find(t, p, ir.OpLt, 0).Dst[0]), st.Guard)
	require.Equal(t, ir.NoGuard, find(t, p, ir.OpStore, 1).Guard)
	require.Zero(t, find(t, p, ir.OpAtomAdd, 0).NDst, "a reduction")
	require.Equal(t, uint8(1), find(t, p, ir.OpActiveMask, 0).NDst)
}

func TestProgramMeetings(t *testing.T) {
	// A return inside a branch does not keep the other threads from
	// reconverging after it.
	p := program(t, `b0:
	v0:u32 = special tid
	v1:pred = lt.u32 v0, $n
	if v1 b1 b4
b1: <- b0
	v2:pred = lt.u32 v0, $m
	if v2 b2 b3
b2: <- b1
	store.u32.global [$a], 1:u32
	ret
b3: <- b1
	store.u32.global [$a], 2:u32
	jmp b4
b4: <- b0 b3
	bar
	store.u32.global [$a+4], 3:u32
	ret
`)
	bar := int32(0)
	for p.Code[bar].Op != ir.OpBar {
		bar++
	}
	require.Equal(t, bar, find(t, p, ir.OpBra, 0).Recon)
	second := find(t, p, ir.OpBra, 1)
	require.Equal(t, ir.OpStore, p.Code[second.Recon].Op)
	require.Less(t, second.Recon, bar)
}

func TestProgramEndless(t *testing.T) {
	p := program(t, `b0:
	jmp b1
b1: <- b0 b3
	v1:u32 = load.u32.global.relaxed.device [$a]
	v2:pred = eq.u32 v1, $n
	if v2 b2 b3
b2: <- b1
	store.u32.global [$b], v1
	jmp b3
b3: <- b1 b2
	fence.acq_rel.device
	jmp b1
`)
	require.Equal(t, ir.OpJmp, p.Code[len(p.Code)-1].Op)
	require.Equal(t, ir.OpFence, p.Code[find(t, p, ir.OpBra, 0).Recon].Op, "threads meet in each round")
	p = program(t, "b0:\n\tjmp b1\nb1: <- b0 b1\n\tjmp b1\n")
	require.Equal(t, []ir.Op{ir.OpJmp}, ops(p))
}

func TestProgramEarlyExit(t *testing.T) {
	p := program(t, `b0:
	v0:pred = lt.u32 $n, $m
	if v0 b1 b2
b1: <- b0
	bar
	jmp b2
b2: <- b0 b1
	ret
`)
	require.Equal(t, []ir.Op{ir.OpLt, ir.OpExit, ir.OpBar, ir.OpExit}, ops(p))
	require.True(t, p.Code[1].GuardNot)
	require.Equal(t, ir.NoGuard, p.Code[3].Guard)
}

func TestProgramUniforms(t *testing.T) {
	p := program(t, `b0:
	v0:u32 = const 5:u32
	v1:u32 = param $n
	v2:u32 = add v1, v0
	v3:s32 = add v2, 5:s32
	v4:u64 = shared
	store.u32.shared [v4], v3
	ret
`)
	require.Equal(t, []ir.Op{ir.OpAdd, ir.OpAdd, ir.OpStore, ir.OpExit}, ops(p), "constants and parameters take no instruction")
	require.Equal(t, []ir.Uniform{
		{K: ir.U32, Leaf: 4}, {K: ir.U32, Leaf: -1, Bits: 5}, {K: ir.U64, Leaf: -1, Bits: ir.SharedWindow, Space: ir.Shared},
	}, p.Uniforms, "5 is one constant for both signs")
}
