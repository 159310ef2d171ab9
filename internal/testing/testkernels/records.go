package testkernels

import "github.com/weft-gpu/weft/gpu"

// Quad is 16 bytes that are loaded and stored with one access.
type Quad struct {
	A uint32
	B float32
	C int32
	D uint32
}

// Broad is 16 bytes in two parts, Couple 8 bytes.
type (
	Broad  struct{ X, Y float64 }
	Couple struct{ K, V uint32 }
)

// Records moves structs as a whole: in turn, through shared memory, and changed.
func Records(t gpu.Thread, in, out []Quad, wide []Broad, couples []Couple) {
	s := gpu.Shared[[64]Quad](t)
	i, l := t.Global(), t.Idx()
	s[l] = in[i]
	w := wide[i]
	w.X, w.Y = w.Y, -w.X
	wide[i] = w
	c := couples[i]
	couples[i] = Couple{c.V + 1, c.K}
	t.Sync()
	q := s[t.BlockDim()-1-l]
	q.B *= 2
	q.C = -q.C
	out[i] = q
}

// RecordParts loads structs of which it uses a part: one word, and one half.
func RecordParts(t gpu.Thread, in []Quad, out []uint32) {
	i := t.Global()
	a, b := in[i], in[t.Stride()-1-i]
	out[i] = a.D ^ (b.A + gpu.Float32bits(b.B))
}

// Record copies one struct per thread.
func Record(t gpu.Thread, in, out []Quad) { out[t.Global()] = in[t.Global()] }
