package attention

import "github.com/weft-gpu/weft/gpu"

const (
	log2e  = 1.4426950408889634
	lowest = -0x1.fffffep127 // of a float32
)

// A row of scores lies over four lanes beside each other: each has the pairs 4*j+of and 4*j+of+1 of its sums, of is 0 or 2.

// row is what a thread knows of a row.
type row struct {
	largest float32 // of all its scores so far, of the four lanes
	before  float32 // the same without those of the last block
	sum     float32 // of the weights of this lane's scores
}

// hide sets the scores of a row to the lowest number whose keys are not among the first seen ones. column is that of the thread's first score.
func hide[S gpu.FloatArray](scores *gpu.FloatSums[S], of, column, seen uint32) {
	for j := range scores.Len() / 4 {
		for i := range uint32(2) {
			x := scores.At(4*j + of + i)
			if column+8*j+i >= seen {
				x = lowest
			}
			scores.Set(4*j+of+i, x)
		}
	}
}

// look looks for the largest score of a row, and reports whether it is larger than all before.
func look[S gpu.FloatArray](t gpu.Thread, scores *gpu.FloatSums[S], of uint32, r *row) (grown bool) {
	most := r.largest
	for j := range scores.Len() / 4 {
		most = max(most, scores.At(4*j+of), scores.At(4*j+of+1))
	}
	most = max(most, gpu.ShflXor(t, ^uint32(0), most, 1))
	most = max(most, gpu.ShflXor(t, ^uint32(0), most, 2))
	r.before, r.largest = r.largest, most
	return most > r.before
}

// rescale makes the sums of a row those of weights that are relative to its largest score now. scale is that of scores to powers of 2.
func rescale[O gpu.FloatArray](sums *gpu.FloatSums[O], of uint32, r *row, scale float32) {
	by := gpu.ApproxExp2((r.before - r.largest) * scale)
	r.sum *= by
	for j := range sums.Len() / 4 {
		sums.Set(4*j+of, sums.At(4*j+of)*by)
		sums.Set(4*j+of+1, sums.At(4*j+of+1)*by)
	}
}

// weigh adds the weights of two scores to their sum, and returns them in f16.
func weigh(r *row, x, y, scale float32) uint32 {
	x = gpu.ApproxExp2(gpu.FMA(x, scale, -r.largest*scale))
	y = gpu.ApproxExp2(gpu.FMA(y, scale, -r.largest*scale))
	r.sum += x + y
	return gpu.PackF16(x, y)
}

// share adds the weights of the other three lanes.
func share(t gpu.Thread, r *row) {
	r.sum += gpu.ShflXor(t, ^uint32(0), r.sum, 1)
	r.sum += gpu.ShflXor(t, ^uint32(0), r.sum, 2)
}

// store stores the quotients of the sums of a row and of its weights in f16, two to a word.
func store[O gpu.FloatArray](t gpu.Thread, sums *gpu.FloatSums[O], of uint32, r *row, out []uint32) {
	by := 1 / r.sum
	for j := range sums.Len() / 4 {
		out[4*j+t.Lane()%4] = gpu.PackF16(sums.At(4*j+of)*by, sums.At(4*j+of+1)*by)
	}
}
