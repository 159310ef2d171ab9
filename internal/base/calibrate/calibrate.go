package calibrate

import "time"

const (
	steps   = 1 << 22
	repeats = 5
	words   = 1 << 16 // 256 KiB: larger than L1, within L2 on current machines
)

// Name says what the rate counts.
const Name = "steps of a dependent load, multiply, shift and xor over 256 KiB"

// Measured is the rate of the loop, measured in the same run as the results
// that it accompanies, so that their rates can be compared across machines.
type Measured struct {
	What string  `json:"what"`
	Rate float64 `json:"per_second"`
}

// Run returns the steps per second of the fastest of several repeats; it takes
// about 100 ms. One step is a dependent load from 256 KiB and four integer
// operations: like an interpreter, it is bound by latency, not by issue width.
func Run() (stepsPerSecond float64) {
	var table [words]uint32
	x := uint32(2463534242)
	for i := range table {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		table[i] = x
	}
	best := time.Duration(1<<63 - 1)
	for range repeats {
		start := time.Now()
		x = walk(&table, x)
		best = min(best, time.Since(start))
	}
	if x == 0 { // never true: keeps the loop from being removed
		return 0
	}
	return steps / best.Seconds()
}

// walk follows the table; the result depends on every step.
func walk(table *[words]uint32, x uint32) uint32 {
	for range steps {
		x = (x^table[x%words])*2654435761 + 1
		x ^= x >> 15
	}
	return x | 1
}
