package testkernels

import "github.com/weft-gpu/weft/gpu"

// Primes and Steps are tables of constants that Tables reads.
var (
	Primes = [10]uint32{2, 3, 5, 7, 11, 13, 17, 19, 23, 29}
	Steps  = [3]Step{{-1, 0.5, [2]uint8{1, 2}}, {Scale: 1e100}, {40000, -0.25, [2]uint8{200, 255}}}
)

// Step has numbers of several sizes.
type Step struct {
	By    int32
	Scale float64
	Small [2]uint8
}

// Tables reads constants at indices that only the launch knows: of one table, and of one
// of structs.
func Tables(t gpu.Thread, at []uint32, out []uint32, scale []float64) {
	i := t.Global()
	out[i] = Primes[at[i]]
	s := &Steps[at[i]%3]
	scale[i] = s.Scale*float64(s.By) + float64(s.Small[i&1])
}

// TableSum adds up a part of a table.
func TableSum(t gpu.Thread, lo, hi uint32, out []uint32) {
	for _, p := range Primes[lo:hi] {
		out[0] += p
	}
}
