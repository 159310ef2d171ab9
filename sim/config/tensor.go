package config

// Tensor are the tensor cores, of which each sub-core has one. A value of 0 stands for what was published of the GPU that the
// machine models: see [GPU.TensorCore].
type Tensor struct {
	Half          int `name:"half" doc:"cycles for which a product of m16n8k16 of f16 or bf16 keeps the tensor core of a sub-core; half as many with half of k; 0: by compute capability"`
	TF32          int `name:"tf32" doc:"as tensor.half, m16n8k8 of tf32"`
	Integer       int `name:"integer" doc:"as tensor.half, m16n8k32 of 8-bit integers"`
	Bits          int `name:"bits" doc:"as tensor.half, m16n8k256 of bits; a quarter with half of k and of the rows"`
	Double        int `name:"double" doc:"as tensor.half, m8n8k4 of f64"`
	Latency       int `name:"latency" doc:"cycles from the issue of a product of half of k, as m16n8k8 of f16, until a dependent instruction can issue; 0: by compute capability"`
	Step          int `name:"step" doc:"further cycles of one of full k, as m16n8k16 of f16; 0: by compute capability"`
	DoubleLatency int `name:"double_latency" doc:"as tensor.latency, m8n8k4 of f64"`
}

// published are the tensor cores by the smallest compute capability that has them, times 10.
//
// 7.0, which has those of wmma on f16 alone: the peak of the V100 whitepaper (125 TFLOPS on 80 SMs at 1,530 MHz) is 512 products per cycle of an
// SM. Its latencies are those of 9.0: no V100 was measured.
//
// 8.0: the peaks of the A100 whitepaper (312 TFLOPS of f16 and bf16, 156 of tf32, 19.5 of f64, 624 TOPS of 8-bit integers and 4,992 of
// bits, on 108 SMs at 1,410 MHz) are 1,024, 512, 64, 2,048 and 16,384 products per cycle of an SM. Latencies are
// those of 9.0: no A100 was measured.
//
// 9.0: measured on an H200 (results/hw/asynchronous): 6.1 cycles of a sub-core for the full shapes of f16, bf16, tf32, 8-bit integers and
// bits, 4 for all smaller ones, 16 for m8n8k4 of f64; latencies of 17.3, 24.5 and 26.1 cycles, the loop included. 6 cycles are 66.7% of the 2,048, 1,024
// and 4,096 products per cycle of an SM that wgmma has (H100 whitepaper: 989.4 TFLOPS of f16, 494.7 of tf32, 1,978.9 TOPS of 8-bit
// integers), and 16 of f64 half of its peak (66.9 TFLOPS).
var published = []struct {
	capability int
	tensor     Tensor
}{
	{90, Tensor{Half: 6, TF32: 6, Integer: 6, Bits: 6, Double: 16, Latency: 17, Step: 7, DoubleLatency: 26}},
	{80, Tensor{Half: 8, TF32: 8, Integer: 8, Bits: 8, Double: 16, Latency: 17, Step: 7, DoubleLatency: 26}},
	{70, Tensor{Half: 16, TF32: 16, Integer: 16, Bits: 16, Double: 16, Latency: 17, Step: 7, DoubleLatency: 26}},
}

// general is what machines have that model no GPU, or one without tensor cores.
const general = 80

// TensorCore returns the parameters of the tensor cores, with values for those that are 0. A machine that models no GPU has those
// of 8.0.
func (g *GPU) TensorCore() Tensor {
	t, known, capability := g.Tensor, Tensor{}, g.Capability()
	if capability < published[len(published)-1].capability {
		capability = general
	}
	for _, p := range published {
		if capability >= p.capability {
			known = p.tensor
			break
		}
	}
	for _, v := range []struct{ to, from *int }{
		{&t.Half, &known.Half}, {&t.TF32, &known.TF32}, {&t.Integer, &known.Integer}, {&t.Bits, &known.Bits}, {&t.Double, &known.Double},
		{&t.Latency, &known.Latency}, {&t.Step, &known.Step}, {&t.DoubleLatency, &known.DoubleLatency},
	} {
		if *v.to == 0 {
			*v.to = *v.from
		}
	}
	return t
}
