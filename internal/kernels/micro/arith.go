package micro

import "github.com/weft-gpu/weft/gpu"

// Step is one dependent step of arithmetic on x. The compiler does not know the value of y.
type Step[T gpu.Num] interface{ Do(x, y T) T }

// Latency runs a chain of dependent steps in one warp. The chain starts with a value that
// differs by lane, because newer GPUs compute a warp-uniform value once per warp, in a
// separate pipeline.
//
// The first thread stores the cycles of all steps to cycles[0]; end receives the results,
// so that the compiler keeps the chain.
func Latency[S Step[T], T gpu.Num](t gpu.Thread, y T, steps uint32, cycles []uint64, end []T) {
	var s S
	x := y + T(t.Lane())
	start := t.Clock()
	for range steps / 8 {
		x = s.Do(s.Do(s.Do(s.Do(x, y), y), y), y)
		x = s.Do(s.Do(s.Do(s.Do(x, y), y), y), y)
	}
	took := t.Clock() - start
	if t.Idx() == 0 {
		cycles[0] = took
	}
	end[t.Lane()] = x
}

// Throughput runs four independent chains of steps in every warp of a block. Cycles per
// step and warp are the interval at which an SM issues the operation.
func Throughput[S Step[T], T gpu.Num](t gpu.Thread, y T, steps uint32, cycles []uint64, end []T) {
	var s S
	x := y + T(t.Lane())
	a, b, c, d := x, x+y, x*y, x*y+y
	t.Sync()
	start := t.Clock()
	for range steps / 8 {
		a, b, c, d = s.Do(a, y), s.Do(b, y), s.Do(c, y), s.Do(d, y)
		a, b, c, d = s.Do(a, y), s.Do(b, y), s.Do(c, y), s.Do(d, y)
	}
	t.Sync()
	if t.Idx() == 0 {
		cycles[0] = t.Clock() - start
	}
	end[t.Idx()] = a + b + c + d
}

// The steps, one for each class of operation. Where the compiler would fold a chain of one
// operation, the step has two.
type (
	// AddXor is an integer addition and an exclusive or.
	AddXor struct{}
	// Mul is a 32-bit integer multiplication.
	Mul struct{}
	// Mad is an integer multiply-add.
	Mad struct{}
	// Add64 is a 64-bit addition and an exclusive or.
	Add64 struct{}
	// DivInt is an unsigned division.
	DivInt struct{}
	// Pop is a population count and an exclusive or.
	Pop struct{}
	// FAdd is a float32 addition.
	FAdd struct{}
	// FMul is a float32 multiplication.
	FMul struct{}
	// FMulAdd is a float32 fused multiply-add.
	FMulAdd struct{}
	// FSqrt is a float32 square root and an addition.
	FSqrt struct{}
	// FDiv is a float32 division.
	FDiv struct{}
	// DAdd is a float64 addition.
	DAdd struct{}
	// DMulAdd is a float64 fused multiply-add.
	DMulAdd struct{}
	// Convert converts uint32 to float32 and back.
	Convert struct{}
)

// Do returns (x+y)^y.
func (AddXor) Do(x, y uint32) uint32 { return (x + y) ^ y }

// Do returns x*x. The compiler would fold a chain of x*y into a power of y.
func (Mul) Do(x, _ uint32) uint32 { return x * x }

// Do returns x*y+y.
func (Mad) Do(x, y uint32) uint32 { return x*y + y }

// Do returns (x+y)^y.
func (Add64) Do(x, y uint64) uint64 { return (x + y) ^ y }

// Do returns y/(x|1).
func (DivInt) Do(x, y uint32) uint32 { return y / (x | 1) }

// Do returns popcount(x)^y.
func (Pop) Do(x, y uint32) uint32 { return gpu.PopCount(x) ^ y }

// Do returns x+y.
func (FAdd) Do(x, y float32) float32 { return x + y }

// Do returns x*y.
func (FMul) Do(x, y float32) float32 { return x * y }

// Do returns x*y+y, rounded once.
func (FMulAdd) Do(x, y float32) float32 { return gpu.FMA(x, y, y) }

// Do returns sqrt(x)+y.
func (FSqrt) Do(x, y float32) float32 { return gpu.Sqrt(x) + y }

// Do returns y/x.
func (FDiv) Do(x, y float32) float32 { return y / x }

// Do returns x+y.
func (DAdd) Do(x, y float64) float64 { return x + y }

// Do returns x*y+y, rounded once.
func (DMulAdd) Do(x, y float64) float64 { return gpu.FMA(x, y, y) }

// Do converts x to a float and back to an integer, and adds y.
func (Convert) Do(x, y uint32) uint32 { return uint32(float32(x)) + y }

// The entry points.
var (
	LatencyAddXor  = Latency[AddXor, uint32]
	LatencyMul     = Latency[Mul, uint32]
	LatencyMad     = Latency[Mad, uint32]
	LatencyAdd64   = Latency[Add64, uint64]
	LatencyDivInt  = Latency[DivInt, uint32]
	LatencyPop     = Latency[Pop, uint32]
	LatencyFAdd    = Latency[FAdd, float32]
	LatencyFMul    = Latency[FMul, float32]
	LatencyFMulAdd = Latency[FMulAdd, float32]
	LatencyFSqrt   = Latency[FSqrt, float32]
	LatencyFDiv    = Latency[FDiv, float32]
	LatencyDAdd    = Latency[DAdd, float64]
	LatencyDMulAdd = Latency[DMulAdd, float64]
	LatencyConvert = Latency[Convert, uint32]

	ThroughputAddXor  = Throughput[AddXor, uint32]
	ThroughputMul     = Throughput[Mul, uint32]
	ThroughputMad     = Throughput[Mad, uint32]
	ThroughputPop     = Throughput[Pop, uint32]
	ThroughputFAdd    = Throughput[FAdd, float32]
	ThroughputFMulAdd = Throughput[FMulAdd, float32]
	ThroughputFSqrt   = Throughput[FSqrt, float32]
	ThroughputDMulAdd = Throughput[DMulAdd, float64]
)
