//go:build !kernel

package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

// Algorithms that run in phases, as plain Go.

// shaped returns graphs with one property each that phases depend on, and random ones.
func shaped() []*graph.CSR {
	arcs := func(list ...[2]uint32) func(edge func(u, v uint32)) {
		return func(edge func(u, v uint32)) {
			for _, a := range list {
				edge(a[0], a[1])
			}
		}
	}
	gs := []*graph.CSR{
		build("no arcs", 5, nil),
		build("self loops", 3, arcs([2]uint32{0, 0}, [2]uint32{1, 1}, [2]uint32{1, 2})),
		build("cycle", 33, func(edge func(u, v uint32)) {
			for v := range uint32(33) {
				edge(v, (v+1)%33)
			}
		}),
		build("chain", 65, func(edge func(u, v uint32)) {
			for v := range uint32(64) {
				edge(v, v+1)
			}
		}),
		build("zigzag", 40, func(edge func(u, v uint32)) { // no two arcs in one direction follow each other
			for v := range uint32(39) {
				edge(v+v%2, v+1-v%2)
			}
		}),
		build("two components and an arc", 6, arcs([2]uint32{5, 4}, [2]uint32{4, 3}, [2]uint32{3, 5}, [2]uint32{3, 1}, [2]uint32{1, 0}, [2]uint32{0, 2}, [2]uint32{2, 1})),
		build("star inward", 70, func(edge func(u, v uint32)) {
			for v := range uint32(69) {
				edge(v+1, 0)
			}
		}),
		build("clique and a tail", 20, func(edge func(u, v uint32)) {
			for u := range uint32(12) {
				for v := range uint32(12) {
					if u != v {
						edge(u, v)
					}
				}
			}
			for v := range uint32(8) {
				edge(v+11, v+12)
			}
		}),
	}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.Uint32N(60)
		m := r.Uint32N(4 * n)
		gs = append(gs, build(fmt.Sprintf("random %d", seed), int(n), func(edge func(u, v uint32)) {
			for range m {
				edge(r.Uint32N(n), r.Uint32N(n))
			}
		}))
	}
	return gs
}

// checkPhased runs an algorithm under each push scheme and compares with its reference.
func checkPhased[A scheduler.Algorithm[uint32]](t *testing.T, h scheduler.Host, alg func(n int) A, params map[string]reflect.Value, symmetric bool) {
	for name, step := range pushes[A, uint32]() {
		for _, g := range shaped() {
			if symmetric {
				var err error
				g, err = g.Symmetrize(t.Context())
				require.NoError(t, err)
			}
			out := &scheduler.Outcome{Values: push(t, alg(g.Vertices()), step, g, 0)}
			answer := out.Values
			if h.Answer != nil {
				var err error
				answer, err = h.Answer(out)
				require.NoError(t, err)
			}
			_, err := h.Judge(t.Context(), scheduler.Input{Graph: g, Params: params}, out, answer)
			require.NoError(t, err, "%s of %s by %s", h.Name, g.Name, name)
		}
	}
}

func TestKCoreAsPlainGo(t *testing.T) {
	for _, k := range []uint32{0, 3} {
		checkPhased(t, kernels.KCoreHost, func(int) kernels.KCore { return kernels.KCore{K: k} },
			map[string]reflect.Value{"k": reflect.ValueOf(k)}, true)
	}
}

func TestWCCAsPlainGo(t *testing.T) {
	checkPhased(t, kernels.WCCHost, func(n int) kernels.WCC { return kernels.WCC{Out: make([]uint32, n), In: make([]uint32, n)} }, nil, false)
}

func TestSCCAsPlainGo(t *testing.T) {
	checkPhased(t, kernels.SCCHost, func(n int) kernels.SCC { return kernels.SCC{Class: make([]uint32, n)} }, nil, false)
}

// TestSCCTakesFewRounds checks that a chain, in which every vertex is a component, takes a
// number of rounds that grows with the logarithm of its length.
func TestSCCTakesFewRounds(t *testing.T) {
	const n = 2000
	chain := build("chain", n, func(edge func(u, v uint32)) {
		for v := range uint32(n - 1) {
			edge(v, v+1)
		}
	})
	alg, graphs := kernels.SCC{Class: make([]uint32, n)}, directions(t, chain)
	values, frontier := start(t, alg, chain, 0)
	phases, phase := 0, uint32(0)
	for ; phase != scheduler.NoPhase; frontier, phase = enter(t, alg, graphs, values, phase) {
		phases++
		for len(frontier) > 0 {
			frontier = serially(alg, graphs[phase%2], values, frontier, phase)
		}
	}
	require.Less(t, phases, 60)
}

// serially runs an iteration of a push in one thread: a device is not needed to count phases.
func serially[A scheduler.Algorithm[uint32]](alg A, g scheduler.Graph, values, frontier []uint32, phase uint32) (next []uint32) {
	for _, u := range frontier {
		v := scheduler.Vertex{ID: u, Degree: g.Row[u+1] - g.Row[u], Phase: phase}
		x := alg.Take(v, &values[u])
		for e := g.Row[u]; e < g.Row[u+1]; e++ {
			edge := g.Edge(e, u, g.Col[e])
			edge.Phase = phase
			scheduler.SendUpdate(alg, edge, x, &values[g.Col[e]], func(v uint32) { next = append(next, v) })
		}
	}
	return next
}
