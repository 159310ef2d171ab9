package sim

import (
	"github.com/weft-gpu/weft/internal/mma"
	"github.com/weft-gpu/weft/sim/config"
)

// least is for how many cycles any product keeps the tensor core of its sub-core at least: measured on an H100, for m8n8k128 of bits and all
// shapes of half of k (results/hw/asynchronous).
const least = 4

// fewerRows is how many cycles sooner than that of 16 rows the result of a product of 8 rows is there, on an H200 (the same).
const fewerRows = 3

// tensorTiming returns the latency of a product of matrices, and the cycles for which it keeps the tensor core of its sub-core. Both
// are given for the largest shape of a type; others take as much of the interval as they have of its products. Products of 8-bit floats
// are twice as many in the same time as those of f16, as their peaks are (H100 whitepaper: 1,978.9 TFLOPS beside 989.4); that mma.sync
// reaches as much of it as with f16 is an estimate.
func tensorTiming(v *mma.Variant, t config.Tensor) (latency, interval uint32) {
	cycles, products := 0, 0
	switch v.A {
	case mma.F64:
		return doubleTiming(v, t)
	case mma.TF32:
		cycles, products = t.TF32, 16*8*8
	case mma.S8, mma.U8:
		cycles, products = t.Integer, 16*8*32
	case mma.E4M3, mma.E5M2:
		cycles, products = t.Half, 16*8*32
	case mma.B1:
		cycles, products = t.Bits, 16*8*256
	default:
		cycles, products = t.Half, 16*8*16
	}
	latency = uint32(t.Latency)
	if v.Products() == products {
		latency += uint32(t.Step)
	}
	if v.M == 8 {
		latency -= fewerRows
	}
	return latency, uint32(max(least, (cycles*v.Products()+products-1)/products))
}

// doubleTiming is tensorTiming for numbers of 64 bits. Those of 16 rows are of compute capability 9.0 and later: they have the published peak,
// twice what m8n8k4 has (config.Tensor). That a result is there as long after the last product as that of m8n8k4 is an estimate.
func doubleTiming(v *mma.Variant, t config.Tensor) (latency, interval uint32) {
	const small = 8 * 8 * 4
	interval = uint32(t.Double)
	if v.M == 16 {
		interval = max(interval*uint32(v.Products())/small/2, least)
	}
	return uint32(t.DoubleLatency) + interval - min(uint32(t.Double), interval), interval
}
