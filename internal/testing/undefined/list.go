package undefined

// Row is something that a kernel can do.
type Row struct {
	Kernel string // of package misuse, which does it
	Block  int    // threads of the block that shows it
	What   string
	Source string // what says that it is undefined, or defined
	// Strict is part of the error on devices that are strict, and Launch that of
	// gpu.Launch; "" if the kernel ends well there. Native is set if they differ.
	Strict string
	Native string
	// Lax describes what happens on simulated machines that are not strict.
	Lax string
}

// Launch returns part of the error of gpu.Launch; "" if the kernel ends well.
func (r *Row) Launch() string {
	switch r.Native {
	case "":
		return r.Strict
	case EndsWell:
		return ""
	}
	return r.Native
}

// EndsWell stands for no error.
const EndsWell = "-"

// The sources.
const (
	shflSync   = "PTX ISA, `shfl.sync`; CUDA C++ Programming Guide, warp shuffle functions: a value of a lane that does not take part is undefined"
	memberMask = "PTX ISA, `vote.sync` and the other `.sync`: undefined if the thread is not in `membermask`"
	sameMask   = "PTX ISA: waits for all non-exited threads of `membermask` with the same mask; up to `sm_6x` they must have converged"
	nonExited  = "PTX ISA: the lanes of `membermask` that have not exited take part"
	aligned    = "PTX ISA, `barrier.aligned`; CUDA, `__syncthreads`: all threads of the block must evaluate the condition alike"
	returned   = "CUDA C++ Programming Guide, since Volta: the barrier waits for all non-exited threads"
	redAndSync = "PTX ISA, `barrier`: `.red` must not be mixed with `.sync`"
	wholeWarp  = "PTX ISA, `barrier`: the number of threads is a multiple of the warp size"
	unwritten  = "CUDA: memory has no initial value"
)

const (
	noLane     = "the value is undefined"
	goneAround = "has gone to the end of the kernel: all threads of a block must come to it"
	notTheSame = "all threads of a block must come to the same"
	poisoned   = "an arbitrary number that depends on the seed: out of range as an index, NaN as a float"
	asSilicon  = "as on the GPU: from Volta on each thread that has not exited counts, before that each warp"
	stops      = "an error, too"
)

// Rows is the list: first what is undefined, then what is defined although it
// looks alike.
var Rows = []Row{
	{Kernel: "ShuffleMissing", Block: 48, What: "a shuffle reads a lane that the last warp of the block lacks", Source: shflSync, Strict: noLane, Lax: poisoned},
	{Kernel: "ShuffleExited", Block: 64, What: "a shuffle reads a lane that has exited", Source: shflSync, Strict: noLane, Lax: poisoned},
	{Kernel: "ShuffleOutside", Block: 32, What: "a shuffle reads a lane that is not in its mask", Source: shflSync, Strict: noLane, Lax: poisoned},
	{Kernel: "MaskWithoutSelf", Block: 32, What: "the mask of a collective lacks the thread's own lane", Source: memberMask, Strict: "own", Lax: "the collective ignores the lane"},
	{Kernel: "MaskElsewhere", Block: 32, What: "a mask names a lane that does not call the collective", Source: sameMask, Strict: "which are not here", Native: "hangs", Lax: "a hang where lanes are independent, else the lane takes no part"},
	{Kernel: "MasksDiffer", Block: 32, What: "lanes that name each other give different masks", Source: sameMask, Strict: "gives another mask", Native: "hangs", Lax: "each lane gets the result for its own mask"},
	{Kernel: "SyncAround", Block: 64, What: "some threads of a warp go around a `Sync`, and the kernel goes on after it", Source: aligned, Strict: goneAround, Lax: asSilicon},
	{Kernel: "SyncAroundEnd", Block: 64, What: "some threads of a warp go around a `Sync` at the end of the kernel", Source: aligned, Strict: goneAround, Lax: asSilicon},
	{Kernel: "SyncAroundWarp", Block: 64, What: "whole warps go around a `Sync`", Source: aligned, Strict: goneAround, Lax: asSilicon},
	{Kernel: "CountAround", Block: 64, What: "some threads go around a `SyncCount`", Source: aligned, Strict: goneAround, Lax: asSilicon},
	{Kernel: "OrAround", Block: 64, What: "some threads go around a `SyncOr` in a condition", Source: aligned, Strict: goneAround, Lax: asSilicon},
	{Kernel: "SyncRounds", Block: 64, What: "threads leave a loop with a `Sync` after different rounds", Source: aligned, Strict: goneAround, Lax: asSilicon},
	{Kernel: "SyncTwice", Block: 64, What: "some threads skip the first of two `Sync`", Source: aligned, Strict: notTheSame, Lax: asSilicon},
	{Kernel: "SyncArms", Block: 64, What: "a `Sync` in both arms of an `if` whose condition differs by lane", Source: aligned, Strict: notTheSame, Lax: asSilicon},
	{Kernel: "SyncArmsWarp", Block: 64, What: "a `Sync` in both arms of an `if` whose condition differs by warp", Source: aligned, Strict: notTheSame, Lax: asSilicon},
	{Kernel: "AndArms", Block: 64, What: "a `SyncAnd` in both arms of an `if` whose condition differs by lane", Source: aligned, Strict: notTheSame, Lax: asSilicon},
	{Kernel: "SyncKinds", Block: 64, What: "threads wait at barriers of different kinds", Source: redAndSync, Strict: "barriers of different kinds", Lax: stops},
	{Kernel: "NamedPart", Block: 64, What: "only a part of a warp comes to a named barrier", Source: wholeWarp, Strict: "which are not here", Native: "hangs", Lax: "a hang where lanes are independent, else the warp counts as a whole"},
	{Kernel: "SharedUnwritten", Block: 64, What: "an atomic or ordered load of shared memory that no thread of the block has written", Source: unwritten, Strict: "written", Lax: "poison"},
	{Kernel: "SharedUnwrittenPlain", Block: 64, What: "a plain load of such shared memory", Source: unwritten, Strict: "written", Native: EndsWell, Lax: "poison"},
	{Kernel: "GlobalUnwritten", Block: 64, What: "a load of a buffer that neither the host nor a thread has written", Source: unwritten, Strict: "written", Native: EndsWell, Lax: "poison"},
	{Kernel: "DivideByZero", Block: 32, What: "an integer division by zero", Source: "PTX ISA, `div`: the result is unspecified", Strict: "divi", Lax: stops},
	{Kernel: "OutOfRange", Block: 32, What: "an index out of range", Source: "PTX ISA, addresses", Strict: "out of range", Lax: stops},
	{Kernel: "Misaligned", Block: 32, What: "a load or store of 8 or 16 bytes that is not aligned", Source: "PTX ISA, alignment of `ld` and `st`", Strict: "multiple of", Lax: stops},

	{Kernel: "ShuffleBeyond", Block: 64, What: "`ShflUp` or `ShflDown` beyond the warp: the lane keeps its own value", Source: "PTX ISA, `shfl.sync`: a lane out of range; for distances of 32 and more a select"},
	{Kernel: "MaskMissing", Block: 48, What: "a mask names lanes that the last warp lacks, or that have exited: they take no part", Source: nonExited},
	{Kernel: "SyncReturned", Block: 64, What: "threads have returned before the others come to a `Sync`: nobody waits for them", Source: returned},
	{Kernel: "DivideOverflow", Block: 32, What: "the least integer divided by -1: the least integer", Source: "the Go language; `div` of a GPU"},
	{Kernel: "ShiftFar", Block: 32, What: "a shift by the width or more: 0, or the sign", Source: "PTX ISA, `shl` and `shr`; the Go language"},
	{Kernel: "FloatTooLarge", Block: 32, What: "a float that does not fit an integer: the nearest one, and 0 for NaN", Source: "PTX ISA, `cvt`: clamps; of 8 and 16 bits as well"},
}
