package waitfor_test

import (
	"embed"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
)

//go:embed testdata/mbarriers/*.go
var mbarriers embed.FS

// plantedHang is a kernel that hangs unless its parameter clean is 1, and what must be found: the first cause, and texts of the report.
type plantedHang struct {
	kernel string
	cause  device.CauseKind
	why    []string
}

// findsPlanted launches the kernels of a folder with the shape of a launch, and with n words for their answer: each hangs as it should, and
// its twin ends.
func findsPlanted(t *testing.T, files embed.FS, folder string, devices []string, shape device.Launch, n int, hangs []plantedHang) {
	t.Helper()
	tree, err := fs.Sub(files, "testdata/"+folder)
	require.NoError(t, err)
	c := compile.New()
	c.Mount(folder, tree)
	for _, on := range devices {
		for _, h := range hangs {
			t.Run(on+"/"+h.kernel, func(t *testing.T) {
				k, err := c.Kernel(t.Context(), folder+"."+h.kernel, nil)
				require.NoError(t, err)
				launch := func(clean uint32) error {
					d := open(t, on)
					out, err := d.Alloc("out", device.U32, n)
					require.NoError(t, err)
					l := shape
					l.Kernel, l.Args = k, []any{clean, out}
					if k.Params[1].Type != "[]uint32" {
						l.Args[1] = device.NewTensorMap2(out, [2]uint32{8, 8}, [2]uint32{8, 4}, 0)
					}
					_, err = d.Launch(t.Context(), l)
					return err
				}
				require.NoError(t, launch(1), "the twin ends")
				var hang *device.HangError
				require.ErrorAs(t, launch(0), &hang)
				require.NotEmpty(t, hang.Graph.Causes)
				assert.Equal(t, h.cause, hang.Graph.Causes[0].Kind)
				for _, text := range h.why {
					assert.Contains(t, strings.Join(strings.Fields(hang.Graph.Text), " "), text)
				}
			})
		}
	}
}

// mbarrierHangs are the kernels of testdata/mbarriers.
var mbarrierHangs = []plantedHang{
	{"LeftEarly", device.CauseArrivals, []string{
		"b lacks 32 of 64 arrivals: 32 threads arrived at mbarriers/mbarriers.go:17", "block 0, warp 1 (32 threads) left the kernel at mbarriers/mbarriers.go:14 without an arrival",
		"(checked: with an arrival of each thread that leaves there the launch ends)", "32 instead of 64 at mbarriers/mbarriers.go:11 (MBarrier.Init) (checked: with that the launch ends)",
	}},
	{"OtherPath", device.CauseArrivals, []string{"block 0, warp 1 (32 threads) came to a wait without an arrival", "32 instead of 64 at mbarriers/mbarriers.go:26 (MBarrier.Init) (checked"}},
	{"WrongCount", device.CauseArrivals, []string{"all 64 threads of the block have arrived, fewer than b was initialised for at mbarriers/mbarriers.go:44", "64 instead of 96 at mbarriers/mbarriers.go:44 (MBarrier.Init) (checked"}},
	{"WrongParity", device.CausePhase, []string{"waits for phase 2 of b (parity 1), in which no thread arrives: 1 of its phases is complete, by mbarriers/mbarriers.go:59", "wait for the other parity at mbarriers/mbarriers.go:64", "(checked: with that the launch ends)"}},
	{"NeverFlips", device.CauseCycle, []string{"let the parity at mbarriers/mbarriers.go:84 (MBarrier.Wait) change with each phase of full, of which 2 are complete: it is always 0"}},
	{"TooManyArrivals", device.CauseEarly, []string{"block 0, warp 0, lane 0 arrived in it 2 times, last at mbarriers/mbarriers.go:103", "block 0, warp 1, lane 0 came to mbarriers/mbarriers.go:108 (MBarrier.Arrive) only in a later phase"}},
	{"MoreBytes", device.CauseBytes, []string{"mbarriers/mbarriers.go:125 (MBarrier.ArriveExpect) expects 64 bytes; no copy is under way to it", "0 instead of 64 at mbarriers/mbarriers.go:125"}},
	{"Swapped", device.CauseCycle, []string{"such as a free buffer, wait for the other parity at mbarriers/mbarriers.go:149 (MBarrier.Wait): no phase of free[0] is complete"}},
	{"TwoPipelines", device.CauseCycle, []string{"in phase 1 (parity 0) with 0 of 32 arrivals", "let each thread arrive at what the others wait for before it waits itself"}},
	{"LastRound", device.CausePhase, []string{"waits for phase 5 of full (parity 0), in which no thread arrives: 4 of its phases are complete, by mbarriers/mbarriers.go:196"}},
	{"NotFreed", device.CauseCycle, []string{"ended by MBarrier.Arrive: mbarriers/mbarriers.go:224"}},
	{"ShortCopy", device.CauseBytes, []string{"all 1 arrivals have come to b, but 128 bytes that it expects have not: mbarriers/copies.go:15 (MBarrier.ArriveExpect) expects 256 bytes, the copy of mbarriers/copies.go:16 (gpu.CopyBulk) has brought 128", "128 instead of 256 at mbarriers/copies.go:15"}},
	{"NeverCopied", device.CauseBytes, []string{"256 bytes that it expects have not", "no copy is under way to it"}},
	{"OneLaneCopies", device.CauseArrivals, []string{"b lacks 24 of 32 arrivals: 8 threads arrived at mbarriers/copies.go:51 (MBarrier.ArriveCopied)"}},
	{"Overrun", device.CauseReused, []string{
		"block 0, warp 1, lane 0 missed phase 1 of full (parity 0)", "it did not look between the end of that phase and the end of phase 2, and waits for phase 3 now, which has the same parity",
		"completed phase 1 at mbarriers/mbarriers.go:262 (MBarrier.Arrive), and block 0, warp 0, lane 31 phase 2 at mbarriers/mbarriers.go:266",
		"let them arrive at a second mbarrier when they have, and wait for that before mbarriers/mbarriers.go:266 (MBarrier.Arrive)",
	}},
	{"InsideBranch", device.CauseBarrier, []string{"with 32 of 64 arrivals", "without mbarriers/mbarriers.go:244 (t.Sync) the launch ends"}},
}

// dropHangs are those of drops.go, in the same folder.
var dropHangs = []plantedHang{
	{"LeavesPipeline", device.CauseArrivals, []string{
		"block 0, warp 1 (32 threads) left the kernel at mbarriers/drops.go:14 without an arrival",
		"let threads drop out of b that leave at mbarriers/drops.go:14: MBarrier.ArriveDrop (checked: with that of each thread that leaves there the launch ends)",
	}},
	{"StaysBehind", device.CausePhase, []string{"waits for phase 3 of b (parity 0), in which no thread arrives: 2 of its phases are complete, by mbarriers/drops.go:3", "let no thread wait for a phase of b that begins when all have dropped out of it"}},
	{"DropsAndForgets", device.CauseArrivals, []string{"b lacks 16 of 48 arrivals", "32 threads arrived at mbarriers/drops.go:65 (MBarrier.Arrive); block 0, warp 1, lanes 16 to 31 (16 threads) left the kernel at mbarriers/drops.go:62 without an arrival"}},
}

// boxHangs are those of boxes.go, in the same folder.
var boxHangs = []plantedHang{
	{"EdgeBox", device.CauseBytes, []string{
		"all 1 arrivals have come to b, and copies have brought 64 bytes more than it expects: mbarriers/boxes.go:14 (MBarrier.ArriveExpect) expects 64 bytes, the copy of mbarriers/boxes.go:15 (gpu.CopyTensor2) has brought 128",
		"128 instead of 64 at mbarriers/boxes.go:14 (MBarrier.ArriveExpect) (checked",
	}},
	{"TwoBoxes", device.CauseBytes, []string{
		"mbarriers/boxes.go:30 (MBarrier.ArriveExpect) expects 256 bytes, the copy of mbarriers/boxes.go:31 (gpu.CopyTensor2) has brought 128",
	}},
}

// pendingHangs are those of pending.go, in the same folder.
var pendingHangs = []plantedHang{
	{"OtherBarrier", device.CauseBytes, []string{
		"mbarriers/pending.go:18 (MBarrier.ArriveExpect) expects 256 bytes; no copy is under way to it; copies bring 256 bytes more to full[1] than that expects",
		"what to change let the copies complete at full[0], where their bytes are expected, and not at full[1]",
	}},
	{"CopierLeft", device.CauseArrivals, []string{
		"full lacks 1 of 2 arrivals: 1 thread arrived at mbarriers/pending.go:34", "block 0, warp 0, lane 0 left the kernel at mbarriers/pending.go:39 without an arrival",
		"arrive as at mbarriers/pending.go:34 (MBarrier.Arrive) also on the path by which threads leave at mbarriers/pending.go:39 (checked",
	}},
	{"ParityOfRound", device.CauseCycle, []string{
		"mbarriers/pending.go:69:16 in ParityOfRound spins until the phase of parity 0 of free[1] is complete; it is in phase 1 (parity 0) with 0 of 32 arrivals",
		"ended by gpu.CopyBulk: mbarriers/pending.go:71:16 in ParityOfRound",
	}},
	{"TwoCopies", device.CauseCycle, []string{
		"ended by gpu.CopyBulk: mbarriers/pending.go:97:15 in TwoCopies, if t.Idx() == 32, by block 0, warp 1, lane 0, spinning [1]",
		"ended by gpu.CopyBulk: mbarriers/pending.go:92:15 in TwoCopies, if t.Idx() == 0, by block 0, warp 0, lane 0, spinning [0]",
		"each of these waits for the next: [0] -> [1] -> [0]; [2]",
	}},
	{"FlagBehindWait", device.CauseCycle, []string{
		"spins until flag != 0; it is 0", "ended by gpu.StoreRelease of 1: mbarriers/pending.go:123:19 in FlagBehindWait", "ended by MBarrier.Arrive: mbarriers/pending.go:128:14 in FlagBehindWait",
	}},
	{"LastTile", device.CausePhase, []string{"[0] waits for phase 4 of full (parity 1), in which no thread arrives: 3 of its phases are complete, by mbarriers/pending.go:149 (MBarrier.ArriveExpect)"}},
	{"ShortTile", device.CauseBytes, []string{
		"it is in phase 3 (parity 0) with 1 of 1 arrivals, and waits for 32 bytes", "mbarriers/pending.go:179 (MBarrier.ArriveExpect) expects 96 bytes, the copy of mbarriers/pending.go:181 (gpu.CopyBulk) has brought 64",
		"64 instead of 96 at mbarriers/pending.go:179",
	}},
	{"ExpectedTwice", device.CauseBytes, []string{
		"mbarriers/pending.go:201 (MBarrier.Expect) expects 256 bytes, mbarriers/pending.go:203 (MBarrier.ArriveExpect) expects 256 bytes, the copy of mbarriers/pending.go:204 (gpu.CopyBulk) has brought 256",
		"0 instead of 256 at mbarriers/pending.go:201 (MBarrier.Expect) (checked: with that the launch ends)",
	}},
	{"MoreCopied", device.CauseBytes, []string{
		"all 2 arrivals have come to full, and copies have brought 128 bytes more than it expects: mbarriers/pending.go:219 (MBarrier.ArriveExpect) expects 128 bytes",
		"256 instead of 128 at mbarriers/pending.go:219 (MBarrier.ArriveExpect) (checked",
	}},
	{"OneLaneArrives", device.CauseArrivals, []string{
		"full lacks 31 of 32 arrivals: 1 thread arrived at mbarriers/pending.go:239 (MBarrier.ArriveExpect)", "1 instead of 32 at mbarriers/pending.go:235 (MBarrier.Init) (checked: with that the launch ends)",
	}},
	{"CopyBehindSync", device.CauseBarrier, []string{"ended by gpu.CopyBulk: mbarriers/pending.go:260:15 in CopyBehindSync, if t.Idx() == 0, by block 0, warp 0, lane 0, at a barrier [1]", "without mbarriers/pending.go:257 (t.Sync) the launch ends"}},
	{"TrackedOnly", device.CauseArrivals, []string{
		"full lacks 64 of 64 arrivals; block 0, warps 0, 1 (64 threads) came to a wait without an arrival; the copies of mbarriers/pending.go:275 (MBarrier.TrackCopies) have arrived, but only beside what full was initialised for",
		"MBarrier.ArriveCopied in place of mbarriers/pending.go:275 (MBarrier.TrackCopies) (checked: with that the launch ends)",
	}},
	{"OtherStage", device.CauseArrivals, []string{"spins until the phase of parity 0 of full[1] is complete", "full[1] lacks 64 of 64 arrivals; block 0, warps 0, 1 (64 threads) came to a wait without an arrival"}},
}

// TestMBarriers launches kernels that wait at an mbarrier for ever, and their twins that end.
func TestMBarriers(t *testing.T) {
	for _, hangs := range [][]plantedHang{mbarrierHangs, pendingHangs, boxHangs, dropHangs} {
		findsPlanted(t, mbarriers, "mbarriers", []string{"func", "tiny", "h200"}, device.Launch{Grid: 1, Block: 64}, 64, hangs)
	}
}
