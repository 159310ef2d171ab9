package waitfor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestStreams checks that a kernel of another stream is looked at that would write what is waited for: it has not
// started, since it is behind another one or since there is no room, or it has ended.
func TestStreams(t *testing.T) {
	sender, receiver := kernelOf(t, "Sender"), kernelOf(t, "Receiver")
	for _, c := range []struct {
		name     string
		launches func(flag, other device.Buffer) []device.Launch
		says     []string
	}{
		{"behind", func(flag, _ device.Buffer) []device.Launch {
			return []device.Launch{{Kernel: receiver, Grid: 1, Block: 32, Args: []any{flag}}, {Kernel: sender, Grid: 1, Block: 32, Args: []any{flag}}}
		}, []string{"{sent} (gpu.StoreRelease) of folklore.Sender, launch 2 on stream 0, could end the wait of [0], which has not started: it comes after a launch on stream 0",
			"launch folklore.Sender on another stream"}},
		{"no room", func(flag, _ device.Buffer) []device.Launch {
			return []device.Launch{{Kernel: receiver, Grid: 64, Block: 1024, Args: []any{flag}}, {Kernel: sender, Grid: 1, Block: 32, Args: []any{flag}, Stream: 1}}
		}, []string{"of folklore.Sender, launch 2 on stream 1, could end the wait of [0], no block of which has started", "launch folklore.Sender first"}},
		{"ended", func(flag, other device.Buffer) []device.Launch {
			return []device.Launch{{Kernel: receiver, Grid: 1, Block: 32, Args: []any{flag}}, {Kernel: sender, Grid: 1, Block: 32, Args: []any{other}, Stream: 1}}
		}, []string{"no line of the kernel writes flag[0]", "let a thread write flag[0]", "!Sender"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, "tiny")
			flag, err := d.Alloc("flag", device.U32, 1)
			require.NoError(t, err)
			other, err := d.Alloc("other", device.U32, 1)
			require.NoError(t, err)
			for _, b := range []device.Buffer{flag, other} {
				require.NoError(t, d.Write(b, []uint32{0}))
			}
			_, err = device.LaunchAll(context.Background(), d, c.launches(flag, other))
			require.Error(t, err)
			text := strings.Join(strings.Fields(err.Error()), " ")
			for _, s := range c.says {
				if s, not := strings.CutPrefix(s, "!"); not {
					assert.NotContains(t, text, s)
				} else {
					assert.Contains(t, text, marked(t, "Sender", s))
				}
			}
		})
	}
}

// TestRunningStream checks what is said of a kernel that waits for one of another stream that goes on, in whichever order
// they were launched: that it may still write the word, with no advice to change anything, if a budget ends both, and
// nothing if it does so in time.
func TestRunningStream(t *testing.T) {
	for _, first := range []string{"sender", "receiver"} {
		for count, late := range map[uint32]bool{1_000: false, 1 << 30: true} {
			d := openFor(t, "tiny", 400_000)
			var b [2]device.Buffer
			for i, name := range []string{"flag", "count"} {
				var err error
				b[i], err = d.Alloc(name, device.U32, 1)
				require.NoError(t, err)
				require.NoError(t, d.Write(b[i], []uint32{0}))
			}
			list := []device.Launch{
				{Kernel: kernelOf(t, "SlowSender"), Grid: 1, Block: 1, Args: []any{b[0], b[1], count}},
				{Kernel: kernelOf(t, "Receiver"), Grid: 1, Block: 1, Args: []any{b[0]}},
			}
			if first == "receiver" {
				slices.Reverse(list)
			}
			list[1].Stream = 1
			_, err := device.LaunchAll(context.Background(), d, list)
			if !late {
				require.NoError(t, err)
				continue
			}
			g := graphOf(t, err)
			text := strings.Join(strings.Fields(err.Error()), " ")
			assert.Contains(t, text, marked(t, "Receiver", "spins until flag[0] != 0; it is 0"), first)
			assert.Contains(t, text, marked(t, "SlowSender", "runs: {sent late} (gpu.StoreRelease) of folklore.SlowSender, launch"), first)
			assert.Contains(t, text, "would end the wait of [0], which goes on and may still come there: 0 of 1 blocks have ended", first)
			for _, a := range g.Advice {
				assert.Fail(t, "there is nothing to change", a.Text)
			}
			assert.NotContains(t, text, "wait or repeat themselves")
		}
	}
}

// TestInterrupted checks that a kernel that is ended by its caller says what its threads were doing if it has run for long, and
// that it is ended with the error of the context.
func TestInterrupted(t *testing.T) {
	for _, on := range []string{"tiny", "func"} {
		for after, explained := range map[time.Duration]bool{50 * time.Millisecond: false, 1500 * time.Millisecond: true} {
			d := openFor(t, on, 0)
			k := kernelOf(t, "Forever")
			word, err := d.Alloc("word", device.U32, 2)
			require.NoError(t, err)
			require.NoError(t, d.Write(word, []uint32{0, 0}))
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(after, cancel)
			_, err = d.Launch(ctx, device.Launch{Kernel: k, Grid: 2, Block: 1, Args: []any{word}})
			require.ErrorIs(t, err, context.Canceled)
			var stopped *device.InterruptedError
			if !explained {
				assert.False(t, errors.As(err, &stopped), on)
				continue
			}
			require.ErrorAs(t, err, &stopped, on)
			assert.Equal(t, "folklore.Forever", stopped.Kernel)
			text := strings.Join(strings.Fields(err.Error()), " ")
			assert.Regexp(t, `^kernel folklore.Forever had not ended after [\d,]+ `, text)
			assert.Contains(t, text, marked(t, "Forever", "spins until word[1] != 0; it is 0"))
			require.NotNil(t, stopped.Graph)
			assert.Len(t, stopped.Waiting, 2)
		}
	}
}

// TestEnough checks that a launch that its caller ends because it has seen enough is not explained, however long it has
// run.
func TestEnough(t *testing.T) {
	for _, on := range []string{"tiny", "func"} {
		d := openFor(t, on, 0)
		word, err := d.Alloc("word", device.U32, 2)
		require.NoError(t, err)
		require.NoError(t, d.Write(word, []uint32{0, 0}))
		ctx, cancel := context.WithCancelCause(context.Background())
		time.AfterFunc(1500*time.Millisecond, func() { cancel(device.ErrEnough) })
		_, err = d.Launch(ctx, device.Launch{Kernel: kernelOf(t, "Forever"), Grid: 2, Block: 1, Args: []any{word}})
		require.Equal(t, context.Canceled, err, on)
	}
}

// TestStoresOnTheirWay checks that blocks which wait for their turn are not found to hang while the store that gives a turn takes most of the time: the block
// that has executed it has ended, or ends next.
func TestStoresOnTheirWay(t *testing.T) {
	for _, cycles := range []int{1000, 2000} {
		cfg, err := config.Load("h200")
		require.NoError(t, err)
		cfg.Xbar.Request = cycles
		d, err := sim.New(cfg, sim.Options{Seed: 1})
		require.NoError(t, err)
		assert.NoError(t, launchOf(t, d, kernelOf(t, "Tickets"), device.Launch{Grid: 800, Block: 1}, []any{128}), "%d cycles to the L2", cycles)
		require.NoError(t, d.Close())
	}
}

// TestPartOfTheMachine checks that a launch is found to hang of which a part can never end while the rest goes on, and
// that one is not of which a part waits for what comes late.
func TestPartOfTheMachine(t *testing.T) {
	for _, on := range []string{"tiny", "h200", "func"} {
		for _, c := range []struct {
			kernel string
			grid   int
			args   []any
			hangs  bool
		}{
			{"Counting", 2, []any{1, 1}, true},
			{"CountingDeadlock", 3, []any{2, 2}, true},
			{"Late", 2, []any{2}, false},
			{"LateByOther", 3, []any{3}, false},
		} {
			err := launchOf(t, openFor(t, on, 40_000_000), kernelOf(t, c.kernel), device.Launch{Grid: c.grid, Block: 1}, c.args)
			if !c.hangs {
				assert.NoError(t, err, "%s on %s", c.kernel, on)
				continue
			}
			var h *device.HangError
			require.ErrorAs(t, err, &h, "%s on %s", c.kernel, on)
			assert.Equal(t, device.Hang, h.Kind)
			assert.Regexp(t, `^\d threads? waits? for words that no thread will write any more, in whatever order the others go on`, h.What)
		}
	}
}
