package langtest

import "github.com/weft-gpu/weft/gpu"

type spot struct {
	X    int16
	Far  bool
	W    float64
	Pair [2]uint8
}

// Tables of constants.
var (
	squares = [16]uint32{0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225}
	signed  = [...]int8{-128, -1, 0, 127, 5: -5, 7: 9}
	weights = [8]float32{0.5, 1.0 / 3, -2, 1e10, size * 2, 0, 7, 8}
	wide    = [4]int64{-1 << 63, 1<<63 - 1, -1, squaresSum}
	steps   = [3][2]int32{{1, -1}, {2}, {-3, 3}}
	spots   = [...]spot{{-7, true, 0.25, [2]uint8{1, 2}}, {X: 300, W: -1e300}, {Pair: [2]uint8{200}}}
	flags   = [4]bool{true, 2: true}
	none    = [5]uint16{}
)

const (
	size       = 21
	squaresSum = 1240
)

// Tables reads package variables at run-time and constant indices.
func Tables(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	w.put(0, squares[x&15]+squares[3]+uint32(len(squares)))
	w.put(1, uint32(int32(signed[x&7]))^uint32(int32(signed[0])))
	w.mix(2, gpu.Float32bits(weights[x&7]), gpu.Float32bits(weights[4]))
	w.put64(3, uint64(wide[x&3])+uint64(wide[3]))
	s := spots[x%3]
	f := uint32(0)
	if s.Far != spots[0].Far || flags[x>>3&3] && flags[2] {
		f = 1
	}
	w.mix(5, uint32(int32(s.X)), uint32(gpu.Float64bits(s.W)>>32), uint32(s.Pair[x&1]), f, uint32(spots[1].X), uint32(none[x%5]+none[1]))
	sum := int32(0)
	for i := range steps {
		row := &steps[i]
		sum = sum*3 + row[x&1]
	}
	for _, v := range squares[x&3 : 6] {
		sum += int32(v)
	}
	for i, v := range squares {
		sum = sum*5 + int32(v)*int32(i)
	}
	for _, s := range spots {
		sum += int32(s.X) + int32(s.Pair[x&1])
	}
	for _, row := range steps {
		sum ^= row[x>>1&1]
	}
	w.put(6, uint32(sum))
	w.put(7, gpu.Load(&squares[x&7])+last(&steps[x%3]))
}

func last(p *[2]int32) uint32 { return uint32(p[len(p)-1]) }
