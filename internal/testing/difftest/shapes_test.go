package difftest

import (
	"math/rand/v2"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/testing/difftest/corpus"
)

// places defines the linear index of a thread over all dimensions.
const places = `package corpus

import "github.com/weft-gpu/weft/gpu"

func overIdx(t gpu.Thread) uint32 { return (t.IdxZ()*t.BlockDimY()+t.IdxY())*t.BlockDim() + t.Idx() }

func overBlock(t gpu.Thread) uint32 { return (t.BlockZ()*t.GridDimY()+t.BlockY())*t.GridDim() + t.Block() }

func overBlockDim(t gpu.Thread) uint32 { return t.BlockDim() * t.BlockDimY() * t.BlockDimZ() }

func overGridDim(t gpu.Thread) uint32 { return t.GridDim() * t.GridDimY() * t.GridDimZ() }

func overGlobal(t gpu.Thread) uint32 { return overBlock(t)*overBlockDim(t) + overIdx(t) }

func overStride(t gpu.Thread) uint32 { return overGridDim(t) * overBlockDim(t) }
`

var place = regexp.MustCompile(`\bt\.(Idx|Block|BlockDim|GridDim|Global|Stride)\(\)`)

// overDimensions returns a compiler of the corpus in which threads use their
// linear index over all dimensions in place of that along x.
func overDimensions(t *testing.T) *compile.Compiler {
	c := compile.New(catalog.Sources()...)
	tree := fstest.MapFS{"places.go": {Data: []byte(places)}}
	files, err := corpus.Sources.ReadDir(".")
	require.NoError(t, err)
	for _, f := range files {
		text, err := corpus.Sources.ReadFile(f.Name())
		require.NoError(t, err)
		tree[f.Name()] = &fstest.MapFile{Data: place.ReplaceAll(text, []byte("over${1}(t)"))}
	}
	c.Mount(corpusPath, tree)
	return c
}

// split splits n into three factors.
func split(r *rand.Rand, n int) (dim [3]int) {
	for i := range 2 {
		var d []int
		for x := 1; x <= n; x++ {
			if n%x == 0 {
				d = append(d, x)
			}
		}
		dim[i] = d[r.IntN(len(d))]
		n /= dim[i]
	}
	dim[2] = n
	return dim
}

// The kernels of the corpus give the same results in three-dimensional grids
// and blocks if their threads use the linear index over all dimensions.
func TestHeavyCorpusOverDimensions(t *testing.T) {
	c := overDimensions(t)
	ways := []Way{optimised(c), simulated(t, c, machines[0])}
	r := rand.New(rand.NewPCG(7, 7))
	flat := 0
	for _, k := range corpus.Kernels {
		one := CaseOf(k)
		want := one.Data()
		require.NoError(t, one.ended(Native(k, want, gpu.AllowUnwritten()), false), k.Name)
		one.Shape = &device.Shape{Grid: split(r, k.Grid), Block: split(r, k.Block)}
		if one.Shape.Block[0] == k.Block {
			flat++
		}
		assert.NoError(t, Agree(ways, one, want), "%v", *one.Shape)
	}
	assert.Less(t, flat, len(corpus.Kernels)/2)
}
