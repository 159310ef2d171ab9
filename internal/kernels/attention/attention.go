package attention

import "github.com/weft-gpu/weft/gpu"

// A block of Attention has one or two warpgroups, each of which has GroupQueries queries, and a warp behind them that brings keys and values.
const (
	GroupQueries = 64
	MaxStages    = 8

	panel      = 64        // numbers of a row in a box: 128 bytes, as the swizzle has
	panelWords = panel / 2 // of a row
)

// Threads returns how many threads a block has whose warpgroups have so many queries together, a multiple of GroupQueries.
func Threads(queries uint32) uint32 { return queries/GroupQueries*128 + gpu.WarpSize }

// Bytes returns how much dynamic shared memory a block needs for so many queries, and stages of so many keys and their values, of width numbers each.
func Bytes(queries, stages, keys, width uint32) uint32 { return (queries + 2*stages*keys) * width * 2 }

// Attention computes softmax(q*k^T*scale)*v of some heads, each with its own queries, keys and values in f16: rows of 2*Len(O) numbers, two to a
// word, 64 or 128. Boxes of their maps are 32 words wide and have a swizzle of 128 bytes; those of q have GroupQueries rows, and those of
// k and v 2*Len(S) rows: 64 or 128. out has the rows of all heads in f16. Products are summed in float32. With causal, a query sees the keys up
// to its own number, and those behind it count for nothing.
//
// Each block has the next queries of a head. It never has all scores of a query: they come in blocks of keys, and for each row a thread knows the largest score so far and
// the sum of the weights, exp((score-largest)*scale). Where a block has a larger one, all sums so far are scaled down to it.
//
// The last warp brings keys and values to a ring of stages, at most MaxStages. While a warpgroup computes weights, the tensor cores have
// products of another one.
func Attention[S, O gpu.FloatArray](t gpu.Thread, q, k, v gpu.TensorMap3[uint32], out []uint32, scale float32, stages uint32, causal bool) {
	full := gpu.Shared[[MaxStages]gpu.MBarrier](t)
	empty := gpu.Shared[[MaxStages]gpu.MBarrier](t)
	asked := gpu.Shared[gpu.MBarrier](t)
	var scores gpu.FloatSums[S]
	var sums gpu.FloatSums[O]
	w := workOf(t, q.Sizes[1], k.Sizes[1], 2*scores.Len(), 2*sums.Len(), causal)
	if t.Idx() == 0 {
		asked.Init(1)
		for i := range stages {
			full[i].Init(1)
			empty[i].Init(w.groups * 4) // a warp waits for its own reads alone
		}
	}
	t.Sync()
	if t.Warp() == w.groups*4 {
		if t.Lane() == 0 {
			w.bring(q, k, v, asked, full, empty, stages)
		}
		return
	}
	group := t.Idx() / 128
	queries := w.queries[group*w.panels*GroupQueries*panelWords:]
	query := w.first + group*GroupQueries + t.Warp()%4*16 + t.Lane()/4
	at, before := turn{}, uint32(0) // the stage of this round, and of the one before
	perScore := scale * log2e
	above, below := row{largest: lowest}, row{largest: lowest} // of query and of query+8
	asked.Wait(0)
	for i := range w.rounds {
		full[at.stage].Wait(at.parity)
		keys, values := w.ring[at.stage*w.place:], w.ring[at.stage*w.place+w.place/2:]
		for s := range scores.Len() {
			scores.Set(s, 0)
		}
		t.FenceSums()
		for step := range sums.Len() / 8 {
			gpu.GroupMMAF16(t, &scores,
				gpu.SharedMatrix{Data: queries[step/4*GroupQueries*panelWords:], Offset: step % 4 * 32, Stride: 1024, Swizzle: 128},
				gpu.SharedMatrix{Data: keys[step/4*w.keys*panelWords:], Offset: step % 4 * 32, Stride: 1024, Swizzle: 128})
		}
		t.CommitSums()
		t.WaitSums(0) // for these, and for the products of the block before
		if i > 0 && t.Lane() == 0 {
			empty[before].Arrive()
		}
		if from := i * w.keys; from+w.keys > k.Sizes[1] || causal && from+w.keys > w.first+group*GroupQueries+1 {
			column := from + t.Lane()%4*2
			hide(&scores, 0, column, visible(query, k.Sizes[1], causal))
			hide(&scores, 2, column, visible(query+8, k.Sizes[1], causal))
		}
		grown := look(t, &scores, 0, &above)
		if grown = look(t, &scores, 2, &below) || grown; t.Any(^uint32(0), grown) {
			rescale(&sums, 0, &above, perScore)
			rescale(&sums, 2, &below, perScore)
		}
		var weights [16][2]uint32
		for j := range scores.Len() / 4 {
			weights[j][0] = weigh(&above, scores.At(4*j), scores.At(4*j+1), perScore)
			weights[j][1] = weigh(&below, scores.At(4*j+2), scores.At(4*j+3), perScore)
		}
		t.FenceSums()
		for step := range w.keys / 16 {
			left, right := weights[2*step], weights[2*step+1]
			gpu.GroupMMAF16From(t, &sums, [4]uint32{left[0], left[1], right[0], right[1]},
				gpu.SharedMatrix{Data: values[step*16*panelWords:], Leading: 2 * scores.Len() * panelWords * 4, Stride: 1024, Swizzle: 128, Transposed: true})
		}
		t.CommitSums()
		before = at.stage
		at.next(stages)
	}
	t.WaitSums(0)
	share(t, &above)
	share(t, &below)
	if query < q.Sizes[1] {
		store(t, &sums, 0, &above, out[(w.head*q.Sizes[1]+query)*sums.Len():])
	}
	if query+8 < q.Sizes[1] {
		store(t, &sums, 2, &below, out[(w.head*q.Sizes[1]+query+8)*sums.Len():])
	}
}
