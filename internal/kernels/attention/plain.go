package attention

import "github.com/weft-gpu/weft/gpu"

// A block of Plain has PlainThreads threads, four for each of PlainQueries queries, and takes PlainKeys keys and their values at once.
const (
	PlainThreads = 128
	PlainQueries = PlainThreads / 4
	PlainKeys    = 32
)

// PlainBytes returns how much dynamic shared memory a block of Plain needs for rows of width numbers.
func PlainBytes(width uint32) uint32 { return 2 * PlainKeys * width * 4 }

// quarter are every fourth number of a row.
type quarter interface{ [16]float32 | [32]float32 }

// Plain is Attention on float32, without tensor cores and copies in bulk. Rows have 4*len(A) numbers, 64 or 128, of which a thread has every fourth
// one. Each head has queries rows of q and out, and keys rows of k and v.
func Plain[A quarter](t gpu.Thread, q, k, v, out []float32, queries, keys uint32, scale float32, causal bool) {
	tile := gpu.DynamicShared[float32](t) // keys, and values behind them
	var own, sums A
	width, perScore := 4*uint32(len(own)), scale*log2e
	tiles := (queries + PlainQueries - 1) / PlainQueries
	head, first := t.Block()/tiles, t.Block()%tiles*PlainQueries
	query := first + t.Idx()/4
	at := (head*queries+query)*width + t.Idx()%4
	if query < queries {
		for d := range uint32(len(own)) {
			own[d] = q[at+4*d]
		}
	}
	largest, sum := float32(lowest), float32(0)
	last, seen := visible(first+PlainQueries-1, keys, causal), visible(query, keys, causal)
	for from := uint32(0); from < last; from += PlainKeys {
		n := min(PlainKeys, last-from)
		t.Sync()
		for w := t.Idx(); w < n*width; w += PlainThreads {
			tile[w], tile[PlainKeys*width+w] = k[(head*keys+from)*width+w], v[(head*keys+from)*width+w]
		}
		t.Sync()
		for key := range n {
			i, score := key*width+t.Idx()%4, float32(0)
			for d := range uint32(len(own)) {
				score = gpu.FMA(own[d], tile[i+4*d], score)
			}
			score += gpu.ShflXor(t, ^uint32(0), score, 1)
			score += gpu.ShflXor(t, ^uint32(0), score, 2)
			if from+key >= seen {
				score = lowest
			}
			most := max(largest, score)
			by, weight := gpu.ApproxExp2((largest-most)*perScore), gpu.ApproxExp2((score-most)*perScore)
			largest, sum = most, gpu.FMA(sum, by, weight)
			for d := range uint32(len(own)) {
				sums[d] = gpu.FMA(weight, tile[PlainKeys*width+i+4*d], sums[d]*by)
			}
		}
	}
	if query < queries {
		for d := range uint32(len(own)) {
			out[at+4*d] = sums[d] / sum
		}
	}
}
