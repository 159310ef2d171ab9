//go:build cgo && linux

package hw_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/hw/internal/fakecuda"
	"github.com/weft-gpu/weft/hw/internal/worker"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
)

// fake is the environment variable that makes children of this process use a driver without a GPU.
const fake = "WEFT_HW_TEST_FAKE"

func installFake() {
	if os.Getenv(fake) != "" {
		fakecuda.Install()
		interpret()
	}
}

// stands maps kernels of the contract test to the fake driver's kernels that replace them.
var stands = map[string]string{
	"Iota": fakecuda.Iota, "Through": fakecuda.Increment, "Late": fakecuda.Slow, "Spin": fakecuda.Hang,
	"Index": fakecuda.Illegal, "Endless": fakecuda.Crash,
}

// openFake opens the device without a GPU.
func openFake(t testing.TB, opts hw.Options) *hw.Device {
	t.Helper()
	t.Setenv(fake, "1")
	t.Setenv(worker.ByMain, "1") // after TestMain has installed the driver
	opts.Substitute = map[string]hw.Binary{}
	for kernel, entry := range stands {
		opts.Substitute["testkernels."+kernel] = hw.Binary{Code: []byte("a fake"), Entry: entry}
	}
	d, err := hw.Open("hw", 0, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// kernel returns a kernel of the contract test.
func kernel(t testing.TB, name string) *device.Kernel {
	t.Helper()
	kernels, err := devicetest.Kernels()
	require.NoError(t, err)
	k, err := kernels.Kernel(t.Context(), "testkernels."+name, nil)
	require.NoError(t, err)
	return k
}

// still checks that a device still works.
func still(t *testing.T, d *hw.Device) {
	t.Helper()
	b, err := d.Alloc("numbers", device.U32, 64)
	require.NoError(t, err)
	_, err = d.Launch(t.Context(), device.Launch{Kernel: kernel(t, "Iota"), Grid: 2, Block: 32, Args: []any{b}})
	require.NoError(t, err)
	got := make([]uint32, 64)
	require.NoError(t, d.Read(b, got))
	require.Equal(t, uint32(63), got[63])
	require.NoError(t, d.Free(b))
}

// systems are the features that a driver may lack.
var systems = []string{"", fakecuda.NoPinning, fakecuda.NoMapping, fakecuda.NoGraphs, fakecuda.OldGraphs, fakecuda.CoarseClock}

// TestHeavyCopies checks that written data is read back, for any length and number of goroutines, with pinned memory
// and without.
func TestHeavyCopies(t *testing.T) {
	for _, without := range systems {
		t.Run("without "+without, func(t *testing.T) {
			if without != "" {
				t.Setenv(without, "1")
			}
			d := openFake(t, hw.Options{})
			assert.Equal(t, without != fakecuda.NoPinning, d.Info().Pinned)
			assert.Equal(t, without == "" || without == fakecuda.OldGraphs, d.Info().Answers)
			r := rand.New(rand.NewPCG(1, 2))
			const slot = worker.SlotBytes
			for _, n := range []int{0, 1, 4, slot - 1, slot, slot + 1, 2*slot + 3, 3 * slot, 4*slot - 1, 4*slot + 1, 9*slot + 77} {
				for _, copiers := range []int{1, 3} {
					defer hw.SetCopiers(hw.SetCopiers(copiers))
					b, err := d.Alloc("bytes", device.U8, n)
					require.NoError(t, err)
					want, got := make([]byte, n), make([]byte, n)
					for i := range want {
						want[i] = byte(r.Uint32())
					}
					require.NoError(t, d.Write(b, want))
					require.NoError(t, d.Read(b, got))
					require.True(t, string(want) == string(got), "%d bytes by %d", n, copiers)
					twin, err := d.Alloc("twin", device.U8, n)
					require.NoError(t, err)
					require.NoError(t, d.Copy(t.Context(), device.Copy{Dst: twin, Src: b}))
					clear(got)
					require.NoError(t, d.Read(twin, got))
					require.True(t, string(want) == string(got), "%d bytes on the GPU", n)
					require.NoError(t, d.Free(twin))
					require.NoError(t, d.Free(b))
				}
			}
			still(t, d)
		})
	}
}

// TestAnswers checks that a launch with an answer has the same effect as its separate steps, even if the GPU clears
// the answer ahead of the next launch.
func TestAnswers(t *testing.T) {
	for _, without := range systems {
		t.Run("without "+without, func(t *testing.T) {
			if without != "" {
				t.Setenv(without, "1")
			}
			d := openFake(t, hw.Options{})
			count, err := d.Alloc("count", device.U64, 2)
			require.NoError(t, err)
			require.NoError(t, d.Write(count, []uint64{40, 7}))
			l := device.Launch{Kernel: kernel(t, "Through"), Grid: 1, Block: 32, Args: []any{count, uint64(0)}}
			ask := func(clear bool) []uint64 {
				t.Helper()
				to := []uint64{99, 99, 99}
				rep, err := device.LaunchRead(t.Context(), d, l, device.Answer{Buffer: count, To: to, Clear: clear})
				require.NoError(t, err)
				require.Equal(t, 1, rep.Launches)
				return to
			}
			read := func() []uint64 {
				t.Helper()
				to := make([]uint64, 2)
				require.NoError(t, d.Read(count, to))
				return to
			}
			assert.Equal(t, []uint64{41, 7, 99}, ask(false))
			assert.Equal(t, []uint64{42, 7, 99}, ask(false))
			assert.Equal(t, []uint64{1, 0, 99}, ask(true))
			assert.Equal(t, []uint64{1, 0, 99}, ask(true))
			assert.Equal(t, []uint64{1, 0, 99}, ask(true), "cleared again")
			assert.Equal(t, []uint64{1, 0}, read(), "the answer is still there")
			assert.Equal(t, []uint64{1, 0, 99}, ask(true))
			require.NoError(t, d.Write(count.Slice(1, 2), []uint64{5}))
			assert.Equal(t, []uint64{1, 5}, read(), "and where a part is written")
			assert.Equal(t, []uint64{1, 0, 99}, ask(true))
			assert.Equal(t, []uint64{2, 0, 99}, ask(false), "and for a launch that does not clear it")
			assert.Equal(t, []uint64{1, 0, 99}, ask(true))
			_, err = d.Launch(t.Context(), l)
			require.NoError(t, err)
			assert.Equal(t, []uint64{2, 0}, read(), "and for one that asks nothing")
			assert.Equal(t, []uint64{1, 0, 99}, ask(true))
			assert.Equal(t, []uint64{1, 0}, read())

			_, err = device.LaunchRead(t.Context(), d, l, device.Answer{Buffer: count, To: []uint64{1}})
			assert.EqualError(t, err, "read of count: 2 elements of uint64 (16 bytes) to a []uint64 of 8 bytes")
			require.NoError(t, d.Free(count))
			still(t, d)
		})
	}
}

// TestAnswersApart checks that answers in different buffers are cleared ahead of time as long as no other launch may use
// them, and that any series of launches, reads, writes and copies finds in each buffer what it would without that.
func TestAnswersApart(t *testing.T) {
	const buffers = 7 // more than are cleared at a time
	d := openFake(t, hw.Options{})
	var counts [buffers]device.Buffer
	var want [buffers][2]uint64
	alloc := func(i int) {
		var err error
		counts[i], err = d.Alloc("count", device.U64, 2)
		require.NoError(t, err)
		require.NoError(t, d.Write(counts[i], []uint64{5, uint64(i)}))
		want[i] = [2]uint64{5, uint64(i)}
	}
	for i := range counts {
		alloc(i)
	}
	launch := func(i int) device.Launch {
		return device.Launch{Kernel: kernel(t, "Through"), Grid: 1, Block: 32, Args: []any{counts[i], uint64(0)}}
	}
	ask := func(run, answer int, clear bool) {
		t.Helper()
		to := make([]uint64, 2)
		_, err := device.LaunchRead(t.Context(), d, launch(run), device.Answer{Buffer: counts[answer], To: to, Clear: clear})
		require.NoError(t, err)
		if clear {
			want[answer] = [2]uint64{}
		}
		want[run][0]++
		require.Equal(t, want[answer][:], to)
	}
	for range 3 { // a loop with two kernels, each with its own answer
		ask(0, 0, true)
		ask(1, 1, true)
	}
	assert.Equal(t, 2, hw.Cleared(d), "neither kernel can reach the other's answer")
	ask(0, 1, true)
	assert.Equal(t, 1, hw.Cleared(d), "the kernel uses buffer 0, whose answer is back in it")
	r := rand.New(rand.NewPCG(1, 2))
	most := 0
	for range 200 {
		i, j := r.IntN(buffers), r.IntN(buffers)
		switch r.IntN(16) {
		case 0, 1:
			to := make([]uint64, 2)
			require.NoError(t, d.Read(counts[i], to))
			require.Equal(t, want[i][:], to)
		case 2:
			want[i][1] = r.Uint64()
			require.NoError(t, d.Write(counts[i].Slice(1, 2), want[i][1:]))
		case 3:
			if i != j {
				require.NoError(t, d.Copy(t.Context(), device.Copy{Dst: counts[i], Src: counts[j]}))
				want[i] = want[j]
			}
		case 4:
			_, err := d.Launch(t.Context(), launch(i))
			require.NoError(t, err)
			want[i][0]++
		case 5:
			require.NoError(t, d.Free(counts[i]))
			alloc(i)
		case 6:
			ask(i, j, false)
		case 7:
			ask(i, j, true)
		default:
			ask(i, i, true)
		}
		most = max(most, hw.Cleared(d))
	}
	assert.Equal(t, 4, most)
	for i := range counts {
		to := make([]uint64, 2)
		require.NoError(t, d.Read(counts[i], to))
		require.Equal(t, want[i][:], to)
	}
}

// TestAnswerSizes checks that answers of unsuitable size for one request are fetched in steps.
func TestAnswerSizes(t *testing.T) {
	d := openFake(t, hw.Options{})
	for _, n := range []int{1, 3, 4, worker.MaxAnswer, worker.MaxAnswer + 4} {
		b, err := d.Alloc("bytes", device.U8, n)
		require.NoError(t, err)
		to := make([]byte, n)
		_, err = d.LaunchRead(t.Context(), device.Launch{Kernel: kernel(t, "Late"), Grid: 1, Block: 32, Args: []any{device.Buffer{}}},
			device.Answer{Buffer: b, To: to, Clear: true})
		require.NoError(t, err)
		assert.Equal(t, make([]byte, n), to)
	}
	tot := d.Total()
	for _, name := range []string{device.BytesToDevice, device.BytesToHost} {
		n, ok := tot.Counter(name)
		assert.True(t, ok)
		assert.EqualValues(t, 8+2*worker.MaxAnswer+4, n, name)
	}
}

// TestChildFails checks that a crash of the child, a hang, an illegal access and the end of a context each return an
// error that says what happened, in time, and that the device continues with a new child.
func TestChildFails(t *testing.T) {
	d := openFake(t, hw.Options{Deadline: 200 * time.Millisecond})
	one := func(ctx context.Context, name string, args ...any) error {
		start := time.Now()
		_, err := d.Launch(ctx, device.Launch{Kernel: kernel(t, name), Grid: 4, Block: 16, Args: args})
		require.Less(t, time.Since(start), 5*time.Second)
		return err
	}
	for range 2 {
		w := word(t, d)
		err := one(t.Context(), "Spin", w)
		var hang *device.HangError
		require.ErrorAs(t, err, &hang)
		require.EqualError(t, err, "kernel testkernels.Spin hangs: it exceeded its deadline of 200ms on hw and was killed")
		require.ErrorContains(t, d.Read(w, make([]uint32, 1)), "read: buffer word", "the old memory is gone")

		// The driver said 2,048 / 16 blocks on an SM, before its process was ended.
		fit := 128 * d.Info().SMs
		for blocks, more := range map[int]string{fit: "", fit + 1: fmt.Sprintf("; %d of %d blocks fit at once, 128 on each of %d SMs", fit, fit+1, d.Info().SMs)} {
			_, err := d.Launch(t.Context(), device.Launch{Kernel: kernel(t, "Spin"), Grid: blocks, Block: 16, Args: []any{word(t, d)}})
			text := "kernel testkernels.Spin hangs: it exceeded its deadline of 200ms on hw and was killed" + more
			if more == "" {
				require.EqualError(t, err, text)
				continue
			}
			require.ErrorContains(t, err, text)
			require.ErrorContains(t, err, fmt.Sprintf(": if threads wait for blocks that have not begun, launch at most %d blocks", fit))
		}
		still(t, d)

		err = one(t.Context(), "Index", word(t, d), 1)
		var f *device.Fault
		require.ErrorAs(t, err, &f)
		require.Equal(t, "cuStreamQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700): as the tests want it", f.What)
		still(t, d)

		pid := hw.ChildPID(d)
		err = one(t.Context(), "Endless", word(t, d))
		require.ErrorIs(t, err, worker.ErrEnded)
		require.EqualError(t, err, "hw: the child process that holds the GPU ended: the driver fell over")
		require.NotEqual(t, pid, hw.ChildPID(d))
		still(t, d)

		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		require.ErrorIs(t, one(ctx, "Spin", word(t, d)), context.DeadlineExceeded)
		cancel()
		still(t, d)
	}
}

// TestAnswerFails checks the same for launches with an answer.
func TestAnswerFails(t *testing.T) {
	d := openFake(t, hw.Options{Deadline: 200 * time.Millisecond})
	for name, says := range map[string]string{"Spin": "exceeded its deadline", "Index": "CUDA_ERROR_ILLEGAL_ADDRESS", "Endless": "the driver fell over"} {
		w := word(t, d)
		args := []any{w}
		if name == "Index" {
			args = append(args, 1)
		}
		_, err := d.LaunchRead(t.Context(), device.Launch{Kernel: kernel(t, name), Grid: 1, Block: 32, Args: args}, device.Answer{Buffer: w, To: make([]uint32, 1), Clear: true})
		require.ErrorContains(t, err, says)
		still(t, d)
	}
}

// TestKilled checks that a child killed from outside is noticed by a waiting request and by the next one.
func TestKilled(t *testing.T) {
	d := openFake(t, hw.Options{})
	for _, later := range []bool{false, true} {
		pid := hw.ChildPID(d)
		kill := func() { assert.NoError(t, syscall.Kill(pid, syscall.SIGKILL)) }
		w := word(t, d)
		name := "Spin"
		if later {
			name = "Iota"
			kill()
		} else {
			defer time.AfterFunc(100*time.Millisecond, kill).Stop()
		}
		_, err := d.Launch(t.Context(), device.Launch{Kernel: kernel(t, name), Grid: 1, Block: 32, Args: []any{w}})
		require.ErrorIs(t, err, worker.ErrEnded)
		require.EqualError(t, err, "hw: the child process that holds the GPU ended (signal: killed)")
		still(t, d)
	}
}

// TestIdle checks that a child that waits for its parent uses no CPU time.
func TestIdle(t *testing.T) {
	d := openFake(t, hw.Options{})
	still(t, d)
	time.Sleep(50 * time.Millisecond)
	before := ticks(t, hw.ChildPID(d))
	time.Sleep(500 * time.Millisecond)
	assert.LessOrEqual(t, ticks(t, hw.ChildPID(d))-before, 5, "hundredths of a second")
	still(t, d)
}

// ticks returns the CPU time of a process.
func ticks(t *testing.T, pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := strings.Fields(string(b)[strings.LastIndex(string(b), ")")+1:])
	var user, system int
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	require.NoError(t, err)
	return user + system
}

// TestClosed checks that a child ends with its device.
func TestClosed(t *testing.T) {
	d := openFake(t, hw.Options{})
	pid := hw.ChildPID(d)
	w := word(t, d)
	require.NoError(t, d.Close())
	require.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
	require.ErrorContains(t, d.Write(w, []uint32{1}), "write: buffer word: the device is closed")
	_, err := d.Alloc("more", device.U32, 1)
	require.EqualError(t, err, "alloc more: the device is closed")
}

// TestMessageInParts checks that a kernel may be longer than the shared memory.
func TestMessageInParts(t *testing.T) {
	t.Setenv(fake, "1")
	t.Setenv(worker.ByMain, "1")
	for _, text := range []string{"a fake", "a broken one"} {
		code := text + strings.Repeat(" ", worker.Slots*worker.SlotBytes+12345)
		d, err := hw.Open("hw", 0, hw.Options{Substitute: map[string]hw.Binary{"testkernels.Iota": {Code: []byte(code), Entry: fakecuda.Iota}}})
		require.NoError(t, err)
		info, err := d.Function(kernel(t, "Iota"))
		if text == "a fake" {
			require.NoError(t, err)
			assert.Equal(t, 1024, info.MaxThreads)
			still(t, d)
		} else {
			assert.ErrorContains(t, err, "build of testkernels.Iota: cuModuleLoadDataEx: CUDA_ERROR (500)")
		}
		require.NoError(t, d.Close())
	}
}

// TestInProcess checks the same without a child process.
func TestInProcess(t *testing.T) {
	fakecuda.Install()
	t.Setenv(worker.InProcess, "1")
	d := openFake(t, hw.Options{})
	assert.Zero(t, hw.ChildPID(d))
	assert.False(t, d.Info().Answers, "a profiler would see a kernel that is not the user's")
	still(t, d)
	w := word(t, d)
	to := make([]uint32, 1)
	_, err := d.LaunchRead(t.Context(), device.Launch{Kernel: kernel(t, "Iota"), Grid: 1, Block: 1, Args: []any{w}}, device.Answer{Buffer: w, To: to, Clear: true})
	require.NoError(t, err)
	assert.Zero(t, to[0])
}
