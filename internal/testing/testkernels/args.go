package testkernels

import "github.com/weft-gpu/weft/gpu"

// Range is a part of Pack.
type Range struct {
	Lo, Hi uint32
	Scale  float32
}

// Pack is an argument with everything that an argument can hold.
type Pack struct {
	In    []uint32
	Range Range
	Add   [3]uint32
	Last  *uint32
	On    bool
	Small int8
}

// Packed sums p.In over p.Range and writes all that p holds.
func Packed(t gpu.Thread, p Pack, out []float32) {
	if t.Global() != 0 {
		return
	}
	sum := uint32(0)
	for i := p.Range.Lo; i < p.Range.Hi; i++ {
		sum += p.In[i]
	}
	out[0] = float32(sum) * p.Range.Scale
	out[1] = float32(p.Add[0] + 10*p.Add[1] + 100*p.Add[2])
	out[2] = float32(*p.Last)
	if p.On {
		out[3] = 1
	} else {
		out[3] = 0
	}
	out[4] = float32(p.Small)
}

// Scalars writes one value of each kind.
func Scalars(t gpu.Thread, out []float64, a uint32, b int32, c uint64, d int64, e float32, f float64, g bool, h uint8, i int16) {
	if t.Global() != 0 {
		return
	}
	out[0] = float64(a)
	out[1] = float64(b)
	out[2] = float64(c)
	out[3] = float64(d)
	out[4] = float64(e)
	out[5] = f
	out[6] = 0
	if g {
		out[6] = 1
	}
	out[7] = float64(h)
	out[8] = float64(i)
}

// Point is an element of a slice.
type Point struct {
	X, Y float32
	Tag  uint64
}

// Points swaps the coordinates of points.
func Points(t gpu.Thread, ps []Point) {
	if i := t.Global(); i < gpu.Len(ps) {
		p := ps[i]
		ps[i] = Point{X: p.Y, Y: p.X, Tag: p.Tag + uint64(i)}
	}
}

// Bound has a parameter that the host binds at compile time.
func Bound(t gpu.Thread, out []uint32, factor uint32) {
	if i := t.Global(); i < gpu.Len(out) {
		out[i] = i * factor
	}
}
