package device_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// host is a device whose memory is slices, and whose clock counts operations.
type host struct {
	device.Device
	data   map[uint64][]uint32
	ops    float64
	closed bool
}

func (h *host) Name() string                      { return "host" }
func (h *host) Capabilities() device.Capabilities { return device.Clock }
func (h *host) Now() float64                      { return h.ops }
func (h *host) Total() *device.Report             { return &device.Report{Launches: 1} }
func (h *host) Close() error                      { h.closed = true; return nil }

func (h *host) Write(b device.Buffer, src any) error {
	h.ops++
	return h.set(b, src.([]uint32))
}

func (h *host) set(b device.Buffer, src []uint32) error {
	if len(src) != b.Len {
		return fmt.Errorf("write to %s: the lengths differ", b.Name)
	}
	h.data[b.Addr] = append([]uint32(nil), src...)
	return nil
}

func (h *host) Read(b device.Buffer, dst any) error {
	h.ops++
	copy(dst.([]uint32), h.data[b.Addr])
	return nil
}

func (h *host) Launch(_ context.Context, l device.Launch) (*device.Report, error) {
	h.ops++
	if l.Kernel == nil {
		return nil, errors.New("no kernel")
	}
	return &device.Report{Launches: 1, Seconds: 1}, nil
}

// two is a group of two GPUs. A buffer on GPU 1 has bit 40 set, one that was freed bit 41.
type two struct {
	device.Group
	access bool
}

func (two) Name() string { return "twins" }
func (two) GPUs() int    { return 2 }
func (two) Where(b device.Buffer) (int, error) {
	if b.Addr>>41 != 0 {
		return 0, fmt.Errorf("buffer %s was freed", b.Name)
	}
	return int(b.Addr >> 40), nil
}
func (t two) Peer(int, int) device.Peer { return device.Peer{Access: t.access} }

func on(gpu int, name string, n int) device.Buffer {
	return device.Buffer{Name: name, Elem: device.U32, Addr: uint64(gpu)<<40 + 4096, Len: n}
}

func TestCheckCommands(t *testing.T) {
	a, b := on(0, "a", 8), on(1, "b", 8)
	freed := on(2, "gone", 8)
	launch := &device.Launch{Kernel: &device.Kernel{Name: "k.K"}}
	write := &device.HostCopy{Buffer: a}
	with := func(args ...any) *device.Launch { return &device.Launch{Kernel: launch.Kernel, Args: args} }
	floats := b
	floats.Elem = device.F32
	other := a
	other.Addr += 4
	type pair struct {
		n      uint32
		hidden device.Buffer
	}
	for _, c := range []struct {
		cmd  device.Command
		want string
	}{
		{device.Command{Launch: launch}, ""},
		{device.Command{GPU: 1, Stream: 3, After: []int{0}, Read: &device.HostCopy{Buffer: b}}, ""},
		{device.Command{GPU: 1, Copy: &device.Copy{Dst: b, Src: a}}, ""},
		{device.Command{Launch: with(a, uint32(1), nil, device.Buffer{})}, ""},
		{device.Command{GPU: 2, Launch: launch}, "command 1: there is no GPU 2 in twins, which has 2; they are numbered from 0"},
		{device.Command{GPU: -1, Launch: launch}, "command 1: there is no GPU -1 in twins, which has 2; they are numbered from 0"},
		{device.Command{Stream: -1, Launch: launch}, "command 1 on GPU 0: stream -1; streams are numbered from 0"},
		{device.Command{After: []int{0, 1}, Launch: launch}, "command 1 on GPU 0: it begins after command 1, which is not earlier in the list"},
		{device.Command{After: []int{-1}, Launch: launch}, "command 1 on GPU 0: it begins after command -1, which is not earlier in the list"},
		{device.Command{}, "command 1 on GPU 0: it has no Launch, Copy, Write or Read"},
		{device.Command{Launch: launch, Write: write, Read: write}, "command 1 on GPU 0: it has a Launch and a Write and a Read; each command has one of them"},
		{device.Command{GPU: 1, Write: write}, "command 1 on GPU 1: write: buffer a is on GPU 0, not on GPU 1"},
		{device.Command{Read: &device.HostCopy{Buffer: freed}}, "command 1 on GPU 0: read: buffer gone was freed"},
		{device.Command{Copy: &device.Copy{Dst: floats, Src: a}}, "command 1 on GPU 0: copy of a to b: elements of uint32 to elements of float32"},
		{device.Command{Copy: &device.Copy{Dst: b, Src: a.Slice(1, 8)}}, "command 1 on GPU 0: copy of a to b: 7 elements to 8; use Buffer.Slice for a part"},
		{device.Command{Copy: &device.Copy{Dst: other, Src: a}}, "command 1 on GPU 0: copy of a to a: they overlap"},
		{device.Command{Copy: &device.Copy{}}, "command 1 on GPU 0: copy of  to : there is no buffer of 0 elements of ?"},
		{device.Command{Copy: &device.Copy{Dst: freed, Src: a}}, "command 1 on GPU 0: copy: buffer gone was freed"},
		{device.Command{Copy: &device.Copy{Dst: b, Src: b.Slice(0, 8)}}, "command 1 on GPU 0: copy of b to b: they overlap"},
		{device.Command{Copy: &device.Copy{Dst: on(1, "c", 0), Src: on(1, "d", 0)}}, "command 1 on GPU 0: copy of d on GPU 1 to c on GPU 1; it is a command of one of these two"},
		{device.Command{Launch: &device.Launch{Stream: 2}}, "command 1 on GPU 0: its Launch has stream 2; set Command.Stream instead"},
		{device.Command{Launch: with(a, b)}, "command 1 on GPU 0: launch of k.K: buffer b is on GPU 1, whose memory kernels on GPU 0 cannot reach; copy it"},
		{device.Command{GPU: 1, Launch: with([2]any{uint32(1), pair{1, a}})}, "command 1 on GPU 1: launch of k.K: buffer a is on GPU 0, whose memory kernels on GPU 1 cannot reach; copy it"},
		{device.Command{Launch: with(freed)}, ""}, // the launch's own error says more
	} {
		err := device.CheckCommands(two{}, []device.Command{{Launch: launch}, c.cmd})
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, c.want)
	}
	require.NoError(t, device.CheckCommands(two{access: true}, []device.Command{{Launch: with(a, b)}}))
	var arg *device.ArgError
	require.ErrorAs(t, device.CheckAccess(two{}, 1, *with(a)), &arg)
}

// A single device runs the commands of a list in its order.
func TestAlone(t *testing.T) {
	h := &host{data: map[uint64][]uint32{}}
	g := device.Alone(h)
	got, ok := device.AsGroup(g)
	require.True(t, ok)
	require.Equal(t, g, got)
	require.Equal(t, g, device.Alone(g), "a group stays as it is")
	_, ok = device.AsGroup(h)
	require.False(t, ok)
	assert.Equal(t, "host", g.Name())
	assert.Equal(t, "host#0", g.GPU(0).Name())
	assert.False(t, g.GPU(0).Capabilities().Has(device.Peers))
	assert.Equal(t, device.Peer{Copy: true, Access: true, Atomics: true}, g.Peer(0, 0))
	assert.Empty(t, g.Links())
	assert.PanicsWithValue(t, "device: GPU 1 of host, which has 1; they are numbered from 0", func() { g.GPU(1) })
	require.NoError(t, g.GPU(0).Close())
	require.False(t, h.closed)

	a := on(0, "a", 2)
	b := a
	b.Name, b.Addr = "b", 8192
	out := make([]uint32, 2)
	cmds := []device.Command{
		{Write: &device.HostCopy{Buffer: a, Host: []uint32{3, 4}}},
		{Stream: 1, After: []int{0}, Copy: &device.Copy{Dst: b, Src: a}},
		{Launch: &device.Launch{Kernel: &device.Kernel{}}},
		{Stream: 1, Read: &device.HostCopy{Buffer: b, Host: out}},
	}
	times, err := g.Run(t.Context(), cmds)
	require.NoError(t, err)
	assert.Equal(t, []uint32{3, 4}, out)
	require.Len(t, times, 4)
	for i, name := range []string{device.BytesToDevice, device.BytesCopied, "", device.BytesToHost} {
		if name != "" {
			v, ok := times[i].Report.Counter(name)
			assert.True(t, ok && v == 8, name)
		}
	}
	assert.Equal(t, 1, times[2].Report.Launches)
	assert.Equal(t, [][2]float64{{0, 1}, {1, 3}, {3, 5}, {5, 5}},
		[][2]float64{{times[0].Start, times[0].End}, {times[1].Start, times[1].End}, {times[2].Start, times[2].End}, {times[3].Start, times[3].End}})
	copied, _ := g.Total().Counter(device.BytesCopied)
	assert.InDelta(t, 8, copied, 0)

	cmds[2].Launch = &device.Launch{}
	times, err = g.Run(t.Context(), cmds)
	require.EqualError(t, err, "command 2 on GPU 0: no kernel")
	require.Len(t, times, 4)
	assert.NotNil(t, times[1].Report)
	assert.Nil(t, times[3].Report)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = g.Run(ctx, cmds)
	require.ErrorIs(t, err, context.Canceled)
	_, err = g.Run(t.Context(), []device.Command{{GPU: 1}})
	require.EqualError(t, err, "command 0: there is no GPU 1 in host, which has 1; they are numbered from 0")
}

// wrapped is a device in a wrapper.
type wrapped struct{ device.Wrapper }

// A group stays one if it is wrapped, and a device becomes none.
func TestWrapper(t *testing.T) {
	h := &host{data: map[uint64][]uint32{}}
	_, ok := device.AsGroup(wrapped{device.Wrapper{Device: h}})
	require.False(t, ok)
	g, ok := device.AsGroup(wrapped{device.Wrapper{Device: device.Alone(h)}})
	require.True(t, ok)
	assert.Equal(t, 1, g.GPUs())
	assert.Equal(t, "host#0", g.GPU(0).Name())
	at, err := g.Where(on(0, "a", 1))
	require.NoError(t, err)
	assert.Zero(t, at)
	assert.True(t, g.Peer(0, 0).Copy)
	assert.Empty(t, g.Links())
	times, err := g.Run(t.Context(), []device.Command{{Launch: &device.Launch{Kernel: &device.Kernel{}}}})
	require.NoError(t, err)
	assert.Equal(t, 1, times[0].Report.Launches)
}
