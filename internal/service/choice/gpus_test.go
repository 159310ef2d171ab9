package choice

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/scheduler"
)

// TestNeed counts the bytes of a run by hand: 1,000 vertices with 20,000 arcs.
func TestNeed(t *testing.T) {
	g := graph.Shape{Vertices: 1000, Arcs: 20_000}
	assert.EqualValues(t, 4*1000+4*20_000+(2*4+40)*1000, need(bfs, g, false, 1))
	assert.EqualValues(t, 2*(4*1000+4*20_000)+(2*4+40)*1000, need(bfs, g, true, 1), "outgoing and incoming arcs")
	assert.EqualValues(t, (4*1000+4*20_000)/4+(2*4+40)*1000, need(bfs, g, false, 4), "each has all values")
	weighted := bfs
	weighted.Weighted, weighted.Value = true, reflect.TypeFor[uint64]()
	assert.EqualValues(t, 4*1000+8*20_000+(2*8+40)*1000, need(weighted, g, false, 1))
	assert.EqualValues(t, 4*1000+4*20_000+(2*4+40)*1000, need(scheduler.Type{}, g, false, 1), "a type whose values are not known")
}

// TestGPURules checks for which algorithms and graphs several GPUs are chosen.
func TestGPURules(t *testing.T) {
	pagerank := scheduler.Type{Name: "kernels.PageRank", Value: reflect.TypeFor[float32](), From: map[string]string{"Take": "kernels.PageRank", "Apply": "kernels.PageRank", "Turn": "kernels.PageRank"}}
	assert.True(t, addsUp(pagerank))
	reaches := scheduler.Type{Name: "kernels.BFS", Value: reflect.TypeFor[uint32](), Source: true, Reaches: true}
	weighted := scheduler.Type{Name: "kernels.SSSP", Value: reflect.TypeFor[uint32](), Source: true, Weighted: true, Phased: true}
	spreads := scheduler.Type{Name: "kernels.CC", Value: reflect.TypeFor[uint32](), Spreads: true}
	shape := func(vertices, arcs uint64, levels uint32) graph.Shape {
		return graph.Shape{Vertices: vertices, Arcs: arcs, Levels: levels}
	}
	for _, c := range []struct {
		a    scheduler.Type
		g    graph.Shape
		most int
		want int
	}{
		{pagerank, shape(1000, 8_000_000, 5), 2, 2}, {pagerank, shape(1000, 8_000_000, 5), 8, 2}, {pagerank, shape(1000, 8_000_000, 5), 1, 1}, {pagerank, shape(1000, 7_999_999, 5), 8, 1},
		{bfs, shape(8_000_000, 200_000_000, 8), 8, 1},
		{reaches, shape(1000, 100_000_000, 16), 8, 2}, {reaches, shape(1000, 99_999_999, 16), 8, 1}, {reaches, shape(1000, 100_000_000, 17), 8, 1},
		{weighted, shape(1000, 60_000_000, 16), 8, 2}, {weighted, shape(1000, 59_999_999, 16), 8, 1}, {weighted, shape(1000, 60_000_000, 17), 8, 1},
		{spreads, shape(4_000_000, 8_000_000, 9000), 8, 2}, {spreads, shape(3_999_999, 200_000_000, 5), 2, 1},
	} {
		assert.Equal(t, c.want, ChooseGPUs(c.a, c.g, false, c.most, 0).Count, "%s, %+v, %d GPUs", c.a.Name, c.g, c.most)
	}
	for _, r := range GPURules() {
		assert.NotEmpty(t, r.If)
		assert.NotEmpty(t, r.Evidence)
		assert.Positive(t, r.Most)
	}
}

// TestChooseGPUs chooses more GPUs only where one has too little memory, as many as are needed or as there are.
func TestChooseGPUs(t *testing.T) {
	g := graph.Shape{Vertices: 1000, Arcs: 2_000_000}
	one := need(bfs, g, false, 1)
	for _, c := range []struct {
		most   int
		memory uint64
		want   int
	}{
		{8, 0, 1}, {8, 2 * one, 1}, {8, one, 2}, {8, one/2 + 20_000, 3}, {8, one / 4, 6}, {8, one / 100, 8}, {2, one / 4, 2},
	} {
		got := ChooseGPUs(bfs, g, false, c.most, c.memory)
		assert.Equal(t, c.want, got.Count, "%+v", c)
		assert.Equal(t, c.most, got.Of)
		assert.NotEmpty(t, got.Evidence)
		assert.Equal(t, one, got.Bytes)
	}
	assert.Equal(t, "2 of 8, by auto: a run needs about 7.7 MiB, and 75% of the memory of one GPU are 5.8 MiB", ChooseGPUs(bfs, g, false, 8, one).String())
}
