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

// TestMBarriers launches kernels that wait at an mbarrier for ever, and their twins that end.
func TestMBarriers(t *testing.T) {
	findsPlanted(t, mbarriers, "mbarriers", []string{"func", "tiny", "h200"}, device.Launch{Grid: 1, Block: 64}, 64, mbarrierHangs)
}
