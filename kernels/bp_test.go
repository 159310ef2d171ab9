//go:build !kernel

package kernels_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/kernels"
	"github.com/weft-gpu/weft/scheduler"
)

func TestHeavyBPAsPlainGo(t *testing.T) {
	for name, step := range pulls[kernels.BP, float32]() {
		for _, g := range small(t) {
			t.Run(name+"/"+g.Name, func(t *testing.T) {
				alg := kernels.BP{Belief: make([]float32, g.Vertices()), Scale: make([]float32, g.Vertices()), Coupling: 0.5, Epsilon: 1e-3}
				pull(t, alg, step, g, 0)
				params := map[string]reflect.Value{"coupling": reflect.ValueOf(alg.Coupling), "epsilon": reflect.ValueOf(alg.Epsilon)}
				require.NoError(t, kernels.BPHost.Params(params))
				out := &scheduler.Outcome{Arrays: map[string]any{"Belief": alg.Belief}}
				answer, err := kernels.BPHost.Answer(out)
				require.NoError(t, err)
				tolerance, err := kernels.BPHost.Check(t.Context(), scheduler.Input{Graph: g, Params: params}, out, answer)
				require.NoError(t, err)
				require.Less(t, tolerance.Allowed, 1.1e-3, "little more than epsilon leaves")
			})
		}
	}
}

// TestBPByHand follows one arc between two events. The belief of the target is the logarithm
// of (odds of the source times agreement plus the rest) over the opposite.
func TestBPByHand(t *testing.T) {
	g := &graph.CSR{Name: "arc", Row: []uint64{0, 1, 1}, Col: []uint32{1}, Weight: []uint32{7}}
	alg := kernels.BP{Belief: make([]float32, 2), Scale: make([]float32, 2), Coupling: 0.9, Epsilon: 1e-5}
	start[kernels.BP, float32](t, alg, g, 0)
	before := [2]float64{float64(alg.Belief[0]), float64(alg.Belief[1])}
	require.NotEqual(t, before[0], before[1])
	pull(t, alg, pulls[kernels.BP, float32]()["thread"], g, 0)
	p := 1 / (1 + math.Exp(-before[0])) // the source is true
	same, other := (1+0.9)/2, (1-0.9)/2
	require.InDelta(t, before[1]+math.Log((p*same+(1-p)*other)/(p*other+(1-p)*same)), float64(alg.Belief[1]), 1e-6)
	require.Equal(t, before[0], float64(alg.Belief[0]), "nothing leads to it")
}
