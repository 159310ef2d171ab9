package opt_test

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/compiler/opt"
	"github.com/weft-gpu/weft/internal/function"
)

var rounds = flag.Int("rounds", 250, "random kernels to try")

// run executes a kernel on the functional device.
func run(t testing.TB, p *ir.Program) []uint32 {
	t.Helper()
	d := function.New(function.Options{})
	defer d.Close()
	in, err := d.Alloc("in", device.U32, 64)
	require.NoError(t, err)
	out, err := d.Alloc("out", device.U32, genThreads*genWords)
	require.NoError(t, err)
	words := make([]uint32, 64)
	for i := range words {
		words[i] = uint32(i*i*2654435761) >> (i % 32)
	}
	require.NoError(t, d.Write(in, words))
	got := make([]uint32, genThreads*genWords)
	require.NoError(t, d.Write(out, got))
	k := &ir.Kernel{Name: p.Name, Program: p, Params: []ir.Param{
		{Name: "in", Type: "[]uint32", Leaves: []int{0, 1}}, {Name: "out", Type: "[]uint32", Leaves: []int{2, 3}},
		{Name: "n", Type: "uint32", Leaves: []int{4}}, {Name: "k", Type: "int64", Leaves: []int{5}}}}
	_, err = d.Launch(context.Background(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: genThreads, Args: []any{in, out, uint32(11), int64(-3)}})
	require.NoError(t, err)
	require.NoError(t, d.Read(out, got))
	return got
}

// oneAtATime evaluates f for each thread with an independent interpreter.
func oneAtATime(t testing.TB, f *ir.Func) []uint32 {
	t.Helper()
	out := make([]uint32, genThreads*genWords)
	for tid := range uint32(genThreads) {
		interpret(t, f, tid, out)
	}
	return out
}

// interpret runs one thread of f, which must access only the words of out.
func interpret(t testing.TB, f *ir.Func, tid uint32, out []uint32) {
	const inAt, outAt = 1 << 40, 2 << 40
	leaves := []uint64{inAt, 64, outAt, uint64(len(out)), 11, 1<<64 - 3}
	val := make([]uint64, f.NumValues())
	var local [8]uint32 // at address 0
	get := func(v *ir.Value) uint64 {
		switch v.Op {
		case ir.OpConst:
			return v.Bits()
		case ir.OpParam:
			return leaves[v.Imm]
		}
		return val[v.ID]
	}
	var from *ir.Block
	for b, steps := f.Blocks[0], 0; ; steps++ {
		require.Less(t, steps, 1<<20)
		phis := make([]uint64, len(b.Phis))
		for i, p := range b.Phis {
			for j, q := range b.Preds {
				if q == from {
					phis[i] = get(p.Args[j])
				}
			}
		}
		for i, p := range b.Phis {
			val[p.ID] = phis[i]
		}
		for _, v := range b.Ins {
			if v.Guard != nil && (get(v.Guard) != 0) == v.GuardNot {
				continue
			}
			var x [3]uint64
			for i, a := range v.Args {
				x[i] = get(a)
			}
			switch v.Op {
			case ir.OpSpecial:
				val[v.ID] = uint64(tid)
			case ir.OpLoad:
				if v.Mem.Space == ir.Local {
					val[v.ID] = uint64(local[(x[0]+uint64(v.Imm))/4])
					continue
				}
				i := (x[0] + uint64(v.Imm) - inAt) / 4
				val[v.ID] = uint64(uint32(i*i*2654435761) >> (i % 32))
			case ir.OpStore:
				if v.Mem.Space == ir.Local {
					local[(x[0]+uint64(v.Imm))/4] = uint32(x[1])
					continue
				}
				out[(x[0]+uint64(v.Imm)-outAt)/4] = uint32(x[1])
			default:
				r, err := ir.Eval(v.Op, v.K, v.ArgK, v.Imm, x[0], x[1], x[2])
				require.NoError(t, err, v.Op)
				val[v.ID] = r
			}
		}
		from = b
		switch {
		case len(b.Succs) == 0:
			return
		case b.Cond != nil && get(b.Cond) == 0:
			b = b.Succs[1]
		default:
			b = b.Succs[0]
		}
	}
}

// same compares the contents of out after two runs and reports the first
// difference.
func same(t testing.TB, want, got []uint32, format string, args ...any) {
	t.Helper()
	for i := range want {
		if want[i] != got[i] {
			require.Equal(t, want[i], got[i], "thread %d, word %d: %s", i/genWords, i%genWords, fmt.Sprintf(format, args...))
		}
	}
}

// Random kernels give the same results unoptimised, after each optimisation,
// and as programs, optimised or not.
func TestRandomKernels(t *testing.T) {
	n := *rounds
	if testing.Short() {
		n = 60
	}
	names, _ := opt.Passes()
	for seed := range uint64(n) {
		f := randomFunc(seed)
		require.NoError(t, f.Verify(), "seed %d", seed)
		want := oneAtATime(t, f)
		p, err := opt.Program(f)
		require.NoError(t, err)
		same(t, want, run(t, p), "seed %d: as a program", seed)

		text := f.String()
		disable := map[string]bool{}
		if seed%4 > 0 { // passes must not depend on each other
			for range 3 {
				disable[names[1+int(seed*31+uint64(len(disable))*7)%(len(names)-1)]] = true
			}
		}
		require.NoError(t, opt.Optimize(f, opt.Options{VerifyEach: true, Disable: disable}), "seed %d\n%s", seed, text)
		same(t, want, oneAtATime(t, f), "seed %d, without %v: optimised\n%s", seed, disable, text)
		p, err = opt.Program(f)
		require.NoError(t, err)
		same(t, want, run(t, p), "seed %d, without %v: optimised program", seed, disable)
	}
}
