package compare

import "strings"

// Kind is what a side of a comparison is.
type Kind string

const (
	Simulated  Kind = "simulated"
	Functional Kind = "functional" // counts operations of the Program, and has no clock
	GPU        Kind = "GPU"
	Record     Kind = "record" // of a GPU
)

// silicon reports that a side was measured on a GPU.
func (k Kind) silicon() bool { return k == GPU || k == Record }

// The words for how far two sides are apart.
const (
	MeasureError      = "error"      // of a model against what a GPU did
	MeasureDifference = "difference" // of two models, or two GPUs
)

// Measure says what the difference of a from b is: an error only where a is a
// model of a machine and b was measured on one.
func Measure(a, b Kind) string {
	if a == Simulated && b.silicon() {
		return MeasureError
	}
	return MeasureDifference
}

// incomparable are counters that Nsight Compute and our devices both have under
// one name, and whose values say nothing about each other.
var incomparable = []struct{ names, why string }{
	{"dram__bytes_read.sum dram__bytes_write.sum lts__t_sectors_lookup_hit.sum lts__t_sectors_lookup_miss.sum lts__t_sector_hit_rate.pct dram__row_hit_rate.pct",
		"Nsight Compute runs a kernel several times, and from the second time on its data is in the L2"},
	{"lts__t_sectors_op_read.sum lts__t_sectors_op_write.sum",
		"a GPU's include what the profiler itself reads and writes; lts__t_sectors_srcunit_tex_op_read.sum and _write.sum are what SMs ask for"},
	{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
		"a GPU counts shuffles, and about two a warp in kernels without shared memory; of shared atomics alone it compares"},
}

// Incomparable is why a counter of two sides does not compare; "" where it does.
func Incomparable(name string, a, b Kind) string {
	if a.silicon() == b.silicon() {
		return ""
	}
	for _, x := range incomparable {
		for n := range strings.FieldsSeq(x.names) {
			if n == name {
				return x.why
			}
		}
	}
	return ""
}
