package attention

import "github.com/weft-gpu/weft/gpu"

// work is what a block computes, and where its factors are in shared memory.
type work struct {
	head, first  uint32 // a head, and the number there of the block's first query
	groups       uint32 // warpgroups with queries
	panels       uint32 // boxes beside each other in a row
	keys, rounds uint32 // keys of a stage, and how often a stage is filled
	queries      []uint32
	ring         []uint32 // stages of place words each: keys, and their values in the second half
	place        uint32
}

// workOf returns the work of the block of t among blocks with so many queries and keys of each head, of width numbers each.
func workOf(t gpu.Thread, queries, all, keys, width uint32, causal bool) (w work) {
	w.groups, w.panels, w.keys, w.place = t.BlockDim()/128, width/panel, keys, keys*width
	tiles := (queries + w.groups*GroupQueries - 1) / (w.groups * GroupQueries)
	w.head, w.first = t.Block()/tiles, t.Block()%tiles*w.groups*GroupQueries
	w.rounds = (visible(w.first+w.groups*GroupQueries-1, all, causal) + keys - 1) / keys
	w.queries = gpu.DynamicShared[uint32](t)
	w.ring = w.queries[w.groups*GroupQueries*width/2:]
	return w
}

// bring copies the block's queries, and keys and values as early as their stages are empty.
func (w *work) bring(q, k, v gpu.TensorMap3[uint32], asked *gpu.MBarrier, full, empty *[MaxStages]gpu.MBarrier, stages uint32) {
	asked.ArriveExpect(w.groups * w.panels * q.Bytes)
	for i := range w.groups * w.panels {
		gpu.CopyTensor3(&w.queries[i*GroupQueries*panelWords], q, int32(i%w.panels*panelWords), int32(w.first+i/w.panels*GroupQueries), int32(w.head), asked)
	}
	var at turn
	for i := range w.rounds {
		empty[at.stage].Wait(at.parity ^ 1) // at once in the first round of the ring
		full[at.stage].ArriveExpect(w.panels * (k.Bytes + v.Bytes))
		for p := range w.panels {
			to := at.stage*w.place + p*w.keys*panelWords
			gpu.CopyTensor3(&w.ring[to], k, int32(p*panelWords), int32(i*w.keys), int32(w.head), &full[at.stage])
			gpu.CopyTensor3(&w.ring[to+w.place/2], v, int32(p*panelWords), int32(i*w.keys), int32(w.head), &full[at.stage])
		}
		at.next(stages)
	}
}

// turn is a stage of the ring, and the parity of the phases of its barriers in this round of the ring.
type turn struct{ stage, parity uint32 }

func (r *turn) next(stages uint32) {
	if r.stage++; r.stage == stages {
		r.stage, r.parity = 0, r.parity^1
	}
}

// visible returns how many keys a query sees.
func visible(query, keys uint32, causal bool) uint32 {
	if causal {
		return min(keys, query+1)
	}
	return keys
}
