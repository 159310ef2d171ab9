package kernels

import "github.com/weft-gpu/weft/scheduler"

// [NN], [Heat] and [Circuit] compute the next value of a vertex from the mean of the values of
// its in-neighbors, weighted by the arcs. A gather has one sum, so the first iteration gathers
// the sum of the weights of each vertex; the later ones gather the weighted sum of values.

// fixed is what a vertex has instead of its sum of weights if it keeps its value.
const fixed = -1

// weighted returns what arc e adds to the sum of its target: its weight as long as the target
// has no total, and the value of its source times its weight afterwards.
func weighted(e scheduler.Edge, total []float32, src float32) (float32, bool) {
	w := float32(e.Weight())
	//weft:racy the lanes of a team read this before the shuffles to which it leads; the one that stores it does so afterwards
	if total[e.Dst] == 0 {
		return w, true
	}
	return w * src, true
}
