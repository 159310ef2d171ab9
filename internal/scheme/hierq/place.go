package hierq

import "github.com/weft-gpu/weft/gpu"

// Place stores the values of the vertices that the host reached in the first iterations
// ("Use CPU to Expand First Few Levels"), one thread per vertex.
func Place[V gpu.Num](t gpu.Thread, values []V, reached []uint32, found []V) {
	for i := t.Global(); i < gpu.Len(reached); i += t.Stride() {
		values[reached[i]] = found[i]
	}
}
