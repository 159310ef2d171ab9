package profile

// The default limits of a trace.
const (
	DefaultSamples = 1 << 13
	DefaultSpans   = 1 << 16
)

// Trace records events over time: launches, copies, blocks on SMs, and samples of how busy the parts of the machine
// are. Its size is bounded: if there are too many samples, their interval doubles; if there are too many blocks or
// launches, every other one is omitted.
type Trace struct {
	Launches []LaunchSpan
	Copies   []CopySpan
	Blocks   []BlockSpan
	Samples  []Sample
	// BlockStep means that Blocks contains only the blocks whose number in the grid is a multiple of it; SpanStep
	// means the same for launches and copies.
	BlockStep, SpanStep int
	// Links are the names of the links of a group of GPUs, each in one direction: "GPU 0 to switch"; nil for one GPU.
	Links []string
	// Interval is the number of cycles between two samples.
	Interval uint64

	// MaxSamples and MaxSpans limit the size: samples, and blocks, launches and copies each. They are set before the
	// trace is passed to sim.New.
	MaxSamples, MaxSpans int
}

// LaunchSpan is a launch that has ended. Times are simulated seconds since the device was created.
type LaunchSpan struct {
	GPU        int // in a group
	N          int // number of the launch on the GPU, from 0
	Kernel     string
	Stream     int
	Grid       int // blocks
	Block      int // threads per block
	Start, End float64
	Cycles     uint64
}

// CopySpan is a copy between host and device, or between two GPUs of a group.
type CopySpan struct {
	GPU        int    // whose command it is
	Way        string // in a group: "host to GPU 0", "GPU 0 to GPU 1"; "" for one GPU
	N          int    // number of the copy on the GPU, from 0
	Buffer     string
	ToHost     bool
	Bytes      int
	Start, End float64
}

// BlockSpan is a block on an SM.
type BlockSpan struct {
	GPU        int
	Kernel     string
	Block      int // number in the grid
	SM, Slot   int
	Start, End float64
}

// Sample is the state of the machine at one time. Counts are since the device was created.
type Sample struct {
	GPU   int
	At    float64 // simulated seconds
	Warps int     // resident warps
	// WarpSeconds is the time for which warps were resident, summed over warps; SMSeconds that for which SMs had blocks, summed
	// over SMs.
	WarpSeconds, SMSeconds float64
	// Warp instructions, and lanes that took part in them; sectors looked up in the L2, and the part of them of atomics, which
	// counts once for each lane on the most contended address; bytes transferred by DRAM.
	Instructions, ThreadInstructions, L2Sectors, L2Atomics, DRAMBytes uint64
	LSUQueue                                                          int     // instructions in the queues of all load-store units
	AtomicQueue                                                       float64 // operations that wait for the atomic unit with the longest queue
	L2Queue                                                           float64 // sectors that wait at the port of the L2 slice with the longest queue
	// LinkBytes are the bytes that each of Trace.Links has carried, with headers; nil for one GPU.
	LinkBytes []uint64
	DRAMQueue float64 // cycles of work pending in the DRAM channels, averaged
}

// NewTrace returns an empty trace of at most samples samples and at most spans blocks, launches and copies each; 0
// means DefaultSamples or DefaultSpans.
func NewTrace(samples, spans int) *Trace {
	if samples <= 0 {
		samples = DefaultSamples
	}
	if spans <= 0 {
		spans = DefaultSpans
	}
	return &Trace{BlockStep: 1, SpanStep: 1, Interval: 64, MaxSamples: max(samples, 2), MaxSpans: max(spans, 2)}
}
