package unionfind

import "github.com/weft-gpu/weft/gpu"

// Join is the kernel that puts two forests of the same vertices together, one thread per vertex: it hooks each vertex to its parent in
// the other one, which has edges that f does not have, such as those of another GPU.
func Join(t gpu.Thread, f Forest, parents []uint32) {
	for v := t.Global(); v < gpu.Len(parents); v += t.Stride() {
		if parent := parents[v]; parent != v {
			f.Link(v, parent)
		}
	}
}
