package waitfor_test

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
)

//go:embed testdata/folklore/*.go
var folklore embed.FS

// folk is a kernel of testdata/folklore that never ends, and what its explanation must say.
type folk struct {
	kernel string
	l      device.Launch
	args   []any
	on     string           // "" for both h200 and func
	cause  device.CauseKind // of the first cause
	// says are texts of the explanation, with spaces for line breaks. "{spin}" stands for the line that ends in
	// "// spin"; a text that begins with "!" must not be there.
	says []string
}

var folks = []folk{
	{"EarlyReturn", device.Launch{Grid: 6, Block: 1}, []any{1, []uint32{9, 2, 3, 4, 5, 6}, 1}, "", device.CauseNotReleased, []string{
		"spins until lock[0] == 0; it is 1", "block 0, warp 0, lane 0 set lock[0] from 0", "to 1 at {spin} (gpu.AtomicCAS)",
		"has left the kernel at {bad} without {give}", "execute {give} (gpu.AtomicExch) on every path", "(checked: with that the launch ends)", "!value overwritten"}},
	{"TicketSkipped", device.Launch{Grid: 6, Block: 1}, []any{1, 1, []uint32{1, 1, 0, 1, 1, 1}}, "", device.CauseNotPassed, []string{
		"serving[0] is 2, the number that block 2, warp 0, lane 0 drew at {draw}", "that thread has left the kernel at {unserved}", "!blocks 0 to 2", "(checked: with that before each exit the launch ends)"}},
	{"TicketLate", device.Launch{Grid: 2, Block: 1}, []any{1, 1, uint32(3000)}, "func", device.CauseCycle, []string{"!no thread drew"}},
	{"Lapped", device.Launch{Grid: 3, Block: 1}, []any{1, 1, uint32(3)}, "", device.CauseReused, []string{
		"set count[0] from 0, with which the wait would have ended, to 1 at {arrive}", "and waits for it itself", "a generation"}},
	{"Dining", device.Launch{Grid: 5, Block: 1}, []any{5, 1}, "", device.CauseCycle, []string{
		"[0] -> [1] -> [2] -> [3] -> [4] -> [0]", "spins until fork[1] == 0; it is 1 set to 1 by block 1, warp 0, lane 0", "called at {left} in Dining", "in the same order, such as that of the smaller index first, and not wait for each other between the two, at {meet} (gpu.Load) (checked: with both the launch ends)"}},
	{"BackoffSecond", device.Launch{Grid: 2, Block: 1}, []any{2, 3}, "", device.CauseCycle, []string{
		"spins until lock[1] == 0; it is 1; its loop", "{second}", "[0] -> [1] -> [0]", "!waits for nobody", "!it is not known"}},
	{"DelaySecond", device.Launch{Grid: 2, Block: 1}, []any{2, 3}, "", device.CauseCycle, []string{
		"spins until lock[1] == 0; it is 1", "{second}", "[0] -> [1] -> [0]", "!waits for nobody"}},
	{"Twice", device.Launch{Grid: 2, Block: 1}, []any{2, 2}, "", device.CauseNotReleased, []string{
		"block 0, warp 0, lane 0 set lock[0] from 0", "called at {first} in Twice, and waits for it itself", "do not take lock[0] again in a thread that has it", "(checked: without that wait the launch ends)"}},
	{"WrongWord", device.Launch{Grid: 3, Block: 1}, []any{2, 1}, "", device.CauseNotReleased, []string{
		"block 0, warp 0, lane 0 set lock[0] from 0", "no line gives it back: {give} (gpu.AtomicExch) writes lock[1]", "give lock[0] back in the thread that has taken it, as it was (checked: with that the launch ends)"}},
	{"ReadersLeft", device.Launch{Grid: 5, Block: 1}, []any{2, 1}, "", device.CauseNotReleased, []string{
		"block 3, warp 0, lane 0 has changed readers[0] in one direction and not back", "execute {out} (gpu.AtomicAdd) on every path"}},
	{"TwoSemaphores", device.Launch{Grid: 4, Block: 1}, []any{[]uint32{1}}, "", device.CauseNotReleased, []string{
		"set free[0] from 1, with which the wait would have ended, to 0 at {take}", "without {more}"}},
	{"Missing", device.Launch{Grid: 9, Block: 1}, []any{8}, "", device.CauseNoWriter, []string{
		"spins on flag[5]; its value is 0, and the loop would end with 1", "{set} (gpu.Store) writes other elements (flag[0 to 4, 6, 7]): block 6, warp 0, lane 0 would write flag[5] there, but does it only if t.Block() != 0 && t.Block() != 6", "execute {set} (gpu.Store) on every path by which a thread leaves", "(checked: "}},
	{"MissingMany", device.Launch{Grid: 101, Block: 1}, []any{100}, "func", device.CauseNoWriter, []string{
		"spins on flag[5]; its value is 0, and the loop would end with 1; it may wait for other words too: not all that its loop reads were examined"}},
	{"MissingCount", device.Launch{Grid: 9, Block: 1}, []any{8}, "", device.CauseNoWriter, []string{"spins on flag[5]; its value is 0, and the loop would end with 1"}},
	{"MissingFirst", device.Launch{Grid: 9, Block: 1}, []any{8}, "", device.CauseNoWriter, []string{"spins on flag[5]; its value is 0, and the loop would end with 1"}},
	{"MissingLanes", device.Launch{Grid: 9, Block: 32}, []any{8}, "", device.CauseNoWriter, []string{"spins on flag[5]; its value is 0, and the loop would end with 1"}},
	{"WrongCount", device.Launch{Grid: 3, Block: 64}, []any{1}, "", device.CauseNoWriter, []string{
		"spins until arrived[0] >= 4; it is 3", "{come} (gpu.AtomicAdd) is executed by no thread any more", "arrived[0] is 3 when all have written it"}},
	{"LostSignal", device.Launch{Grid: 2, Block: 1}, []any{1, 1}, "", device.CauseOverwritten, []string{
		"flag[0] was 1, with which the wait would have ended: block 0, warp 0, lane 0 stored that at {signal}", "block 1, warp 0, lane 0 set it to 0 at {clear}", "do not execute {clear} (gpu.Store) after the signal (checked: without it the launch ends)"}},
	{"QueueFull", device.Launch{Grid: 2, Block: 1}, []any{1, 1, 4}, "", device.CauseNoWriter, []string{
		"spins until (9 - tail[0]) < 4; it is 5", "set to 5 by block 1, warp 0, lane 0: gpu.StoreRelease: {eat}"}},
	{"Counting", device.Launch{Grid: 2, Block: 1}, []any{1, 1}, "", device.CauseNoWriter, []string{
		"hangs: 1 thread waits for words that no thread will write any more", "in Counting spins until flag[0] != 0; it is 0", "no line of the kernel writes flag[0]"}},
	{"Periods", device.Launch{Grid: 3, Block: 1}, []any{3, 1}, "h200", device.CauseNoWriter, []string{
		"hangs: 3 threads wait for words that no thread will write any more", "spins until flag[0] != 0; it is 0; its loop", "no line of the kernel writes flag[0]"}},
	{"Polite", device.Launch{Grid: 2, Block: 1}, []any{2, 1}, "tiny", device.CauseRunning, []string{
		"livelocks: the whole machine is in the same state every", "goes round in a loop (lines 9 to 11) that changes lock[0] (0 and 1) and lock[1] (0 and 1)",
		"would leave its loop at {try} (gpu.AtomicCAS) if lock[1] stayed 0 until it comes there", "at {own} (gpu.AtomicCAS)", "wait for a time that differs from thread to thread"}},
	{"PoliteDining", device.Launch{Grid: 3, Block: 1}, []any{3, 1}, "tiny", device.CauseRunning, []string{
		"livelocks", "each time it comes there, another thread has just changed it", "{left} (gpu.AtomicCAS), by block 0, warp 0, lane 0 at {put back} (gpu.AtomicExch)",
		"wait for a time that differs from thread to thread", "!taken and not given back"}},
	{"Counters", device.Launch{Grid: 2, Block: 1}, []any{1, 1}, "tiny", device.CauseRunning, []string{
		"livelocks", "loop (lines 42 to 44) that changes word[0]", "comes back to where it was, for ever", "no value of a word that it reads was found with which it leaves its loop", "let what [0] tests be a condition that some value meets", "!wait for a time that differs"}},
	{"StaleCopy", device.Launch{Grid: 2, Block: 1}, []any{1, 2}, "", device.CauseRunning, []string{
		"its loop looks at a copy of flag[0], which it read at {copy} (gpu.LoadAcquire) before the loop and which is 0; flag[0] is 1 in memory now", "read flag[0] in the loop", "(checked: with that the launch ends)"}},
	{"WriterStarves", device.Launch{Grid: 4, Block: 1}, []any{1, 1}, "tiny", device.CauseRunning, []string{
		"livelocks", "block 0, warp 0, lane 0", "spins until readers[0] == 0", "[0] looks at readers[0] at {writer} (gpu.AtomicCAS), and the value that it waits for never comes", "{enter} (gpu.AtomicAdd)", "{leave} (gpu.AtomicCAS)", "let the threads that change readers[0] hold off while [0] waits", "!wait for a time that differs"}},
	{"QueueLock", device.Launch{Grid: 3, Block: 1}, []any{1, 4, 4, 1}, "", device.CauseExited, []string{
		"spins until locked[2] == 0; it is 1", "block 0, warp 0, lane 0 would execute {hand over} (gpu.StoreRelease), and has left the kernel without it", "!too early", "execute {hand over} (gpu.StoreRelease) on every path by which a thread leaves (checked: with its value before the threads leave there the launch ends)"}},
	{"EarlyReset", device.Launch{Grid: 4, Block: 1}, []any{1, 1}, "", device.CauseOverwritten, []string{
		"count[0] was 4, with which the wait would have ended: block 3, warp 0, lane 0 stored that at {come}", "set it to 0 at {reset}", "do not execute {reset} (gpu.Store) after the signal (checked: without it the launch ends)"}},
	{"LostCount", device.Launch{Grid: 3, Block: 1}, []any{1, []uint32{6}, []uint32{1, 1, 0, 1, 1, 1}}, "", device.CauseCycle, []string{
		"spins on left[0]; its value is 1, and the loop would end with 0", "left[0] has come from 6 to 1, in 5 steps at {finished} (gpu.AtomicAdd), which is executed only if task[...] != 0", "execute {finished} (gpu.AtomicAdd) on every path that is counted", "!wait for a time that differs", "!spins on head[0]"}},
	{"SmallRing", device.Launch{Grid: 2, Block: 1}, []any{1, 1, 4, 1}, "", device.CauseCycle, []string{
		"spins until (4 - tail[0]) < 4; it is 0", "spins until head[0] >= 8; it is 4", "[0] -> [1] -> [0]", "let [0] wait only from 8 on, not from 4", "(checked: with 8 at {full} (gpu.LoadAcquire) the launch ends)", "!count what is unfinished"}},
	{"WrongIndex", device.Launch{Grid: 4, Block: 1}, []any{4, 5}, "", device.CauseNoWriter, []string{
		"spins until flag[1] != 0", "{ready} (gpu.StoreRelease) writes other elements (flag[2 to 4]): block 0, warp 0, lane 0 would write flag[1] there, but does it only if t.Block() != 0", "let a thread write flag[1]"}},
	{"WarpTicket", device.Launch{Grid: 3, Block: 32}, []any{1, 1, 1}, "", device.CauseNotPassed, []string{
		"serving[0] is 1, a number that no thread drew at {draw}", "pass on the turn as far as numbers are drawn: {draw} (gpu.AtomicAdd) draws 32 at once, and serving[0] advances by 1 at {pass} (gpu.StoreRelease)", "!let every thread that draws"}},
	{"BarrierInLoop", device.Launch{Grid: 4, Block: 1}, []any{1, []uint32{3, 3, 2, 3}}, "", device.CauseExited, []string{
		"spins until count[0] >= 12; it is 11", "block 2, warp 0, lane 0 has come to {arrive} (gpu.AtomicAdd) 2 times, and has left the kernel at {rounds}; those that wait have come there up to 3 times", "let all threads come to {arrive} (gpu.AtomicAdd) as often as the others", "!does not wait for count"}},
	{"CheckedTwice", device.Launch{Grid: 4, Block: 1}, []any{1, 2, 1}, "", device.CauseNoWriter, []string{
		"spins until state[0] == 2; it is 1", "gpu.AtomicCAS: {begin}:19 in CheckedTwice, which has left the kernel at {empty}", "only if size[0] != 0", "execute {ready} (gpu.StoreRelease) on every path by which a thread leaves, also on that at {empty} (checked: "}},
	{"LookBack", device.Launch{Grid: 6, Block: 1}, []any{6, []uint32{1, 1, 0, 1, 1, 1}}, "", device.CauseNoWriter, []string{
		"spins until status[2] != 0; it is 0", "block 2, warp 0, lane 0 would write status[2] there, but does it only if items[...] != 0, and has left the kernel at {no items}", "execute {publish} (gpu.StoreRelease) on every path by which a thread leaves, also on that at {no items} (checked: "}},
	{"SequenceLeft", device.Launch{Grid: 3, Block: 1}, []any{1, 3}, "", device.CauseExited, []string{
		"spins until (seq[0] & 1) == 0; it is 1", "block 0, warp 0, lane 0 would execute {even} (gpu.AtomicAdd), and has left the kernel at {nothing} without it", "execute {even} (gpu.AtomicAdd) on every path by which a thread leaves, also on that at {nothing} (checked: "}},
	{"SharedLock", device.Launch{Grid: 1, Block: 64}, []any{1}, "h200", device.CauseBarrier, []string{
		"spins until lock == 0; it is 1 (shared memory)", "set to 1 by block 0, warp 0, lane 0: gpu.AtomicCAS: {take}", "missing: warp 1, lane 0, spinning [0]", "move the barrier", "(checked: without {all} (t.Sync) the launch ends)"}},
	{"WrongPhase", device.Launch{Grid: 1, Block: 64}, []any{32}, "", device.CauseCycle, []string{
		"spins until full == 2; it is 0 (shared memory)", "let what is stored to full be what the next one waits for: [0] waits until full == 2, [1] waits until full == 3, and it is 0, which block 0, warp 1, lane 0 stored at {emptied} (gpu.StoreRelease)", "!same order"}},
	{"Divergent", device.Launch{Grid: 1, Block: 64}, []any{64, 1}, "", device.CauseNoWriter, []string{
		"block 0, warp 0 (32 threads)", "spins until flag[0] != 0; it is 0", "only if t.Idx() >= 32 && work[...] != 0", "execute {signal} (gpu.Store) on every path by which a thread leaves, also on that at {else} (checked: "}},
	// With so many words, a look meets either value on an h200: where both buffers are in one kilobyte, it comes whenever the word is 0, and its blocks wait for 1.
	{"Retry", device.Launch{Grid: 3, Block: 1}, []any{300, 1}, "", device.CauseRunning, []string{
		"livelocks", "blocks 1, 2, warp 0, lane 0 (2 threads)", "goes round in a loop (lines 61 to 66) that changes word[0] (1 and 7)", "no value of a word that it reads was found with which it leaves its loop", "let what [0] tests be a condition that some value meets", "!wait for a time that differs", "spins until done[0] != 0; it is 0"}},
	{"LastBlock", device.Launch{Grid: 1060, Block: 1024}, []any{1060}, "", device.CauseNotResident, []string{
		"!executed by no thread", "{set} (gpu.StoreRelease), but cannot start"}},
	{"GridCount", device.Launch{Grid: 1060, Block: 1024}, []any{1}, "h200", device.CauseNotResident, []string{
		"by blocks 264 to 1059, warps 0 to 31 (815,104 threads), not resident", "launch at most 264 blocks"}},
	{"Far", device.Launch{Grid: 1 << 16, Block: 64}, []any{1 << 22}, "tiny", device.CauseNotResident, []string{
		"block 65535 would execute {set} (gpu.Store), but cannot start before another block ends"}},
	{"Far", device.Launch{Grid: 1 << 18, Block: 32}, []any{1 << 23}, "tiny", device.CauseUnexamined, []string{
		"it is not known who would write flag[0]: no thread that was examined executes {set} (gpu.Store) for it, and 4,194,048 of 8,388,608 threads of the launch were not examined",
		"!executed by no thread", "!let a thread write"}},
}

// kernelOf compiles a kernel of testdata/folklore.
func kernelOf(t testing.TB, name string) *device.Kernel {
	tree, err := fs.Sub(folklore, "testdata/folklore")
	require.NoError(t, err)
	c := compile.New()
	c.Mount("folklore", tree)
	k, err := c.Kernel(context.Background(), "folklore."+name, nil)
	require.NoError(t, err)
	return k
}

// launchOf launches a kernel. A number is a buffer of so many zeros, a slice a buffer with its content, and all else an
// argument as it is.
func launchOf(t testing.TB, d device.Device, k *device.Kernel, l device.Launch, args []any) error {
	l.Kernel, l.Args = k, nil
	for i, a := range args {
		data, isData := a.([]uint32)
		if n, ok := a.(int); ok {
			data, isData = make([]uint32, n), true
		}
		if isData {
			b, err := d.Alloc(k.Params[i].Name, device.U32, len(data))
			require.NoError(t, err)
			require.NoError(t, d.Write(b, data))
			a = b
		}
		l.Args = append(l.Args, a)
	}
	_, err := d.Launch(context.Background(), l)
	return err
}

// marked returns a text with "{mark}" replaced by the line of the sources that ends in "// mark".
func marked(t testing.TB, kernel, text string) string {
	return regexp.MustCompile(`\{[\w ]+\}`).ReplaceAllStringFunc(text, func(mark string) string {
		files, err := fs.Glob(folklore, "testdata/folklore/*.go")
		require.NoError(t, err)
		shared := ""
		for _, f := range files {
			src, err := fs.ReadFile(folklore, f)
			require.NoError(t, err)
			inside := false
			for i, line := range strings.Split(string(src), "\n") {
				if strings.HasPrefix(line, "func ") {
					inside = strings.HasPrefix(line, "func "+kernel+"(")
				}
				if strings.HasSuffix(line, "// "+mark[1:len(mark)-1]) {
					at := fmt.Sprintf("%s:%d", strings.TrimPrefix(f, "testdata/"), i+1)
					if inside {
						return at
					}
					shared = at
				}
			}
		}
		require.NotEmpty(t, shared, "no line is marked %s", mark)
		return shared
	})
}

// TestFolklore checks that the explanation of each kernel names the cause: the word, the line, the threads, and a cure.
func TestFolklore(t *testing.T) {
	for _, c := range folks {
		on := []string{c.on}
		if c.on == "" {
			on = []string{"h200", "func"}
		}
		for _, on := range on {
			t.Run(c.kernel+" "+on, func(t *testing.T) {
				err := launchOf(t, openFor(t, on, 50_000_000), kernelOf(t, c.kernel), c.l, c.args)
				g := graphOf(t, err)
				t.Log(err)
				text := strings.Join(strings.Fields(err.Error()), " ")
				for _, s := range c.says {
					if s, not := strings.CutPrefix(s, "!"); not {
						assert.NotContains(t, text, marked(t, c.kernel, s))
					} else if !strings.Contains(text, marked(t, c.kernel, s)) {
						assert.Fail(t, "it does not say "+marked(t, c.kernel, s), err.Error())
					}
				}
				if assert.NotEmpty(t, g.Causes, err.Error()) {
					assert.Equal(t, c.cause, g.Causes[0].Kind, err.Error())
				}
			})
		}
	}
}
