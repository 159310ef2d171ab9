package devicetest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// GroupContract runs the test of a device.Group on groups of two GPUs that open returns; each
// part has its own group.
func GroupContract(t *testing.T, open func(t *testing.T) device.Group, traits Traits) {
	k, err := Kernels()
	require.NoError(t, err)
	for _, part := range []struct {
		name string
		test func(b *groupBench)
	}{
		{"Names", testGroupNames}, {"Places", testGroupPlaces}, {"Copies", testGroupCopies}, {"Remote", testGroupRemote}, {"Order", testGroupOrder},
		{"Streams", testGroupStreams}, {"Lists", testGroupLists}, {"Faults", testGroupFaults}, {"Cancel", testGroupCancel}, {"Total", testGroupTotal}, {"Close", testGroupClose}, {"CloseDuring", testGroupCloseDuring},
	} {
		t.Run(part.name, func(t *testing.T) {
			g := open(t)
			b := &groupBench{bench: &bench{T: t, Device: g, kernels: k, traits: traits}, g: g}
			part.test(b)
			require.NoError(t, g.Close())
		})
	}
}

// groupBench is one part of the test with its group.
type groupBench struct {
	*bench
	g device.Group
}

// on allocates words on a GPU and writes them.
func (b *groupBench) on(gpu int, name string, words ...uint32) device.Buffer {
	b.Helper()
	d := b.g.GPU(gpu)
	buf, err := d.Alloc(name, device.U32, len(words))
	require.NoError(b, err)
	require.NoError(b, d.Write(buf, words))
	return buf
}

// words returns the contents of a buffer.
func (b *groupBench) words(buf device.Buffer) []uint32 {
	b.Helper()
	at, err := b.g.Where(buf)
	require.NoError(b, err)
	out := make([]uint32, buf.Len)
	require.NoError(b, b.g.GPU(at).Read(buf, out))
	return out
}

// cmd returns a launch of one block of 32 threads as a command.
func (b *groupBench) cmd(gpu int, name string, args ...any) device.Command {
	b.Helper()
	return device.Command{GPU: gpu, Launch: &device.Launch{Kernel: b.kernel(name), Grid: 1, Block: 32, Args: args}}
}

// run runs commands that must not fail, and checks what every Timing promises.
func (b *groupBench) run(cmds ...device.Command) []device.Timing {
	b.Helper()
	clock := b.g.Capabilities().Has(device.Clock)
	before := b.g.Now()
	times, err := b.g.Run(context.Background(), cmds)
	require.NoError(b, err)
	require.Len(b, times, len(cmds))
	last := map[[2]int]int{}
	for i, x := range times {
		c := &cmds[i]
		require.NotNil(b, x.Report, i)
		assert.GreaterOrEqual(b, x.End, x.Start, i)
		if clock {
			assert.GreaterOrEqual(b, x.Start, before, i)
			assert.LessOrEqual(b, x.End, b.g.Now(), i)
		}
		for _, a := range c.After {
			assert.GreaterOrEqual(b, x.Start, times[a].End, "%d after %d", i, a)
		}
		stream := [2]int{c.GPU, c.Stream}
		if a, ok := last[stream]; ok {
			assert.GreaterOrEqual(b, x.Start, times[a].End, "%d after %d, on one stream", i, a)
		}
		last[stream] = i
		if c.Launch != nil {
			assert.Equal(b, 1, x.Report.Launches, i)
		}
	}
	return times
}

func upTo(n, from uint32) []uint32 {
	words := make([]uint32, n)
	for i := range words {
		words[i] = from + uint32(i)
	}
	return words
}

func testGroupNames(b *groupBench) {
	assert.True(b, b.g.Capabilities().Has(device.Peers))
	_, ok := device.AsGroup(b.g)
	assert.True(b, ok)
	require.Equal(b, 2, b.g.GPUs())
	for i, suffix := range []string{"#0", "#1"} {
		d := b.g.GPU(i)
		assert.Equal(b, b.g.Name()+suffix, d.Name())
		assert.False(b, d.Capabilities().Has(device.Peers), "a GPU of a group is a single one")
		assert.Equal(b, device.Peer{Copy: true, Access: true, Atomics: true}, b.g.Peer(i, i))
		o, err := d.Occupancy(b.kernel("Iota"), 32)
		require.NoError(b, err)
		assert.Positive(b, o.BlocksPerSM)
	}
}

// testGroupPlaces checks that each GPU has a memory of its own, and that a buffer says where it is.
func testGroupPlaces(b *groupBench) {
	first, second := b.on(0, "first", 1, 2, 3), b.on(1, "second", 4, 5, 6)
	own := buffer(b.bench, "own", device.U32, uint32(7))
	for _, c := range []struct {
		buf device.Buffer
		gpu int
	}{{first, 0}, {second, 1}, {second.Slice(1, 2), 1}, {own, 0}} {
		at, err := b.g.Where(c.buf)
		require.NoError(b, err)
		assert.Equal(b, c.gpu, at, c.buf.Name)
	}
	assert.NotEqual(b, first.Addr, second.Addr)
	assert.Equal(b, []uint32{4, 5, 6}, b.words(second))
	three := make([]uint32, 3)
	assert.EqualError(b, b.g.GPU(0).Write(second, three), "write: buffer second is on GPU 1, not on GPU 0")
	assert.EqualError(b, b.g.GPU(0).Read(second, three), "read: buffer second is on GPU 1, not on GPU 0")
	assert.EqualError(b, b.g.Read(second, three), "read: buffer second is on GPU 1, not on GPU 0")
	assert.EqualError(b, b.g.GPU(1).Free(first), "free: buffer first is on GPU 0, not on GPU 1")
	require.NoError(b, b.g.GPU(1).Free(second))
	_, err := b.g.Where(second)
	assert.EqualError(b, err, "buffer second was freed")
	_, err = b.g.Where(device.Buffer{Name: "x", Elem: device.U32, Addr: 1 << 59, Len: 1})
	assert.EqualError(b, err, "buffer x is not of this device")
	require.NoError(b, b.g.Free(own))
}

// testGroupCopies checks copies between all pairs of GPUs, of whole buffers and of parts.
func testGroupCopies(b *groupBench) {
	for from := range 2 {
		for to := range 2 {
			src, dst := b.on(from, "src", upTo(100, 1)...), b.on(to, "dst", make([]uint32, 100)...)
			sent := b.sent(from, to)
			times := b.run(device.Command{GPU: from, Copy: &device.Copy{Dst: dst.Slice(10, 60), Src: src.Slice(0, 50)}},
				device.Command{GPU: to, After: []int{0}, Copy: &device.Copy{Dst: dst.Slice(60, 61), Src: src.Slice(99, 100)}})
			want := make([]uint32, 100)
			copy(want[10:], upTo(50, 1))
			want[60] = 100
			assert.Equal(b, want, b.words(dst), "%d to %d", from, to)
			n, ok := times[0].Report.Counter(device.BytesCopied)
			assert.True(b, ok)
			assert.InDelta(b, 200, n, 0)
			if from != to && b.g.Links() != nil {
				assert.GreaterOrEqual(b, b.sent(from, to), sent+204, "%d to %d", from, to)
			}
		}
	}
}

// sent returns the payload that left a GPU, or entered the other one if the two share no link.
func (b *groupBench) sent(from, to int) (bytes uint64) {
	for _, l := range b.g.Links() {
		if l.From == []string{"GPU 0", "GPU 1"}[from] && (l.To != "host" || !b.g.Peer(from, to).Copy) {
			bytes += l.Bytes
		}
		assert.GreaterOrEqual(b, l.Busy, 0.0)
	}
	return bytes
}

// carried returns the payload of all links that join GPUs alone, each message counted where it leaves a GPU; 0 if there are none.
func (b *groupBench) carried() (bytes uint64) {
	for _, l := range b.g.Links() {
		if strings.HasPrefix(l.From, "GPU") && (l.Kind == "" || strings.HasPrefix(l.Kind, "NVLink")) {
			bytes += l.Bytes
		}
	}
	return bytes
}

// counted returns what was moved between GPUs to and from buffers of a name.
func (b *groupBench) counted(name string) (bytes uint64) {
	for _, u := range device.RemoteUses(b.g) {
		if u.Buffer == name {
			bytes += u.Bytes
		}
	}
	return bytes
}

// testGroupRemote checks kernels that load, store and update memory of another GPU.
func testGroupRemote(b *groupBench) {
	if !b.g.Peer(0, 1).Access {
		far := b.on(1, "far", make([]uint32, 32)...)
		_, err := b.g.Run(context.Background(), []device.Command{b.cmd(0, "Iota", far)})
		var arg *device.ArgError
		require.ErrorAs(b, err, &arg)
		assert.EqualError(b, err, "command 0 on GPU 0: launch of testkernels.Iota: buffer far is on GPU 1, whose memory kernels on GPU 0 cannot reach; copy it")
		return
	}
	for gpu := range 2 {
		far, near := b.on(1-gpu, "far", make([]uint32, 32)...), b.on(gpu, "near", make([]uint32, 4)...)
		carried, counted := b.carried(), b.counted("far")
		b.run(b.cmd(gpu, "Iota", far), b.cmd(gpu, "Vector", far, near, uint32(8)))
		assert.Equal(b, upTo(32, 1), b.words(far))
		if counted = b.counted("far") - counted; device.RemoteUses(b.g) != nil {
			assert.GreaterOrEqual(b, counted, uint64(4*32+16), "the stores of Iota, and the loads of Vector")
			if carried = b.carried() - carried; carried > 0 {
				assert.Equal(b, carried, counted, "all that links between GPUs have carried")
			}
		}
		assert.Equal(b, []uint32{9, 10, 11, 12}, b.words(near))
		_, err := b.g.GPU(1-gpu).Launch(context.Background(), *b.cmd(0, "Iota", near).Launch)
		require.NoError(b, err)
		assert.Equal(b, []uint32{1, 2, 3, 4}, b.words(near), "a launch outside a list")
		if !b.g.Peer(gpu, 1-gpu).Atomics {
			continue
		}
		next := b.on(1-gpu, "next", 100)
		out := []device.Buffer{b.on(0, "out0", make([]uint32, 32)...), b.on(1, "out1", make([]uint32, 32)...)}
		b.run(b.cmd(0, "Tickets", next, out[0]), b.cmd(1, "Tickets", next, out[1]))
		assert.ElementsMatch(b, upTo(64, 100), append(b.words(out[0]), b.words(out[1])...), "both GPUs draw tickets at the same time")
	}
}

// testGroupOrder checks a chain of commands over both GPUs.
func testGroupOrder(b *groupBench) {
	near, far := b.on(0, "near", make([]uint32, 32)...), b.on(1, "far", make([]uint32, 32)...)
	out := make([]uint32, 32)
	reverse := b.cmd(1, "Reverse", far)
	reverse.After = []int{1}
	times := b.run(
		device.Command{GPU: 0, Write: &device.HostCopy{Buffer: near, Host: upTo(32, 5)}},
		device.Command{GPU: 0, Copy: &device.Copy{Dst: far, Src: near}},
		reverse,
		device.Command{GPU: 0, Stream: 2, After: []int{2}, Copy: &device.Copy{Dst: near, Src: far}},
		device.Command{GPU: 0, Stream: 2, Read: &device.HostCopy{Buffer: near, Host: out}},
	)
	for i := range out {
		assert.EqualValues(b, 36-i, out[i])
	}
	for i, name := range map[int]string{0: device.BytesToDevice, 1: device.BytesCopied, 3: device.BytesCopied, 4: device.BytesToHost} {
		n, ok := times[i].Report.Counter(name)
		assert.True(b, ok, name)
		assert.InDelta(b, 128, n, 0, name)
	}
}

// testGroupStreams checks commands that may run at the same time.
func testGroupStreams(b *groupBench) {
	var cmds []device.Command
	var out []device.Buffer
	for i := range 8 {
		buf := b.on(i%2, "out", make([]uint32, 32)...)
		c := b.cmd(i%2, "Iota", buf)
		c.Stream = i / 2
		cmds, out = append(cmds, c), append(out, buf)
	}
	b.run(cmds...)
	for _, buf := range out {
		assert.Equal(b, upTo(32, 1), b.words(buf))
	}
}

// testGroupLists checks lists that are empty or invalid, of which nothing runs.
func testGroupLists(b *groupBench) {
	times, err := b.g.Run(context.Background(), nil)
	require.NoError(b, err)
	assert.Empty(b, times)
	near, far := b.on(0, "near", 0), b.on(1, "far", 0)
	one := []uint32{1}
	for _, c := range []struct {
		cmd  device.Command
		want string
	}{
		{device.Command{GPU: 2, Write: &device.HostCopy{Buffer: far, Host: one}}, "command 1: there is no GPU 2 in " + b.g.Name() + ", which has 2; they are numbered from 0"},
		{device.Command{GPU: 0, Write: &device.HostCopy{Buffer: far, Host: one}}, "command 1 on GPU 0: write: buffer far is on GPU 1, not on GPU 0"},
		{device.Command{GPU: 1, Stream: -1, Copy: &device.Copy{Dst: far, Src: near}}, "command 1 on GPU 1: stream -1; streams are numbered from 0"},
		{device.Command{GPU: 1, After: []int{1}, Copy: &device.Copy{Dst: far, Src: near}}, "command 1 on GPU 1: it begins after command 1, which is not earlier in the list"},
		{device.Command{GPU: 1}, "command 1 on GPU 1: it has no Launch, Copy, Write or Read"},
	} {
		times, err := b.g.Run(context.Background(), []device.Command{{Write: &device.HostCopy{Buffer: near, Host: one}}, c.cmd})
		require.EqualError(b, err, c.want)
		require.Len(b, times, 2)
		assert.Nil(b, times[0].Report)
		assert.Equal(b, []uint32{0}, b.words(near), "nothing ran")
	}
	_, err = b.g.Run(context.Background(), []device.Command{b.cmd(1, "Iota")})
	var arg *device.ArgError
	require.ErrorAs(b, err, &arg)
	assert.EqualError(b, err, "command 0 on GPU 1: launch of testkernels.Iota: argument 1 (out []uint32) is missing: the kernel takes (out []uint32)")
}

// testGroupFaults checks that a fault names its command, and that what ended before has a report.
func testGroupFaults(b *groupBench) {
	if !b.traits.Faults {
		return
	}
	near, far := b.on(0, "near", make([]uint32, 64)...), b.on(1, "far", make([]uint32, 64)...)
	bad := b.cmd(1, "Index", far, 99)
	bad.Launch.Grid, bad.After = 2, []int{0}
	last := b.cmd(0, "Iota", near)
	last.After = []int{1}
	times, err := b.g.Run(context.Background(), []device.Command{b.cmd(0, "Iota", near), bad, last})
	var fault *device.Fault
	require.ErrorAs(b, err, &fault)
	assert.Equal(b, "s[i] = 1", line(b.bench, fault.At[0]))
	assert.ErrorContains(b, err, "command 1 on GPU 1: kernel testkernels.Index: ")
	require.Len(b, times, 3)
	require.NotNil(b, times[0].Report)
	assert.Equal(b, 1, times[0].Report.Launches)
	assert.Nil(b, times[2].Report)
}

func testGroupCancel(b *groupBench) {
	near := b.on(0, "near", make([]uint32, 32)...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	times, err := b.g.Run(ctx, []device.Command{b.cmd(0, "Iota", near)})
	require.ErrorIs(b, err, context.Canceled)
	require.Len(b, times, 1)
	assert.Nil(b, times[0].Report)
	if b.traits.Keeps {
		assert.Equal(b, make([]uint32, 32), b.words(near))
	}
}

// testGroupTotal checks that the total of the group is the sum over its GPUs.
func testGroupTotal(b *groupBench) {
	near, far := b.on(0, "near", make([]uint32, 32)...), b.on(1, "far", make([]uint32, 32)...)
	b.run(b.cmd(0, "Iota", near), b.cmd(1, "Iota", far), b.cmd(1, "Iota", far))
	b.words(far)
	total := b.g.Total()
	assert.Equal(b, 3, total.Launches)
	for _, name := range []string{device.BytesToDevice, device.BytesToHost} {
		n, ok := total.Counter(name)
		assert.True(b, ok, name)
		assert.InDelta(b, map[string]float64{device.BytesToDevice: 256, device.BytesToHost: 128}[name], n, 0, name)
	}
	if b.g.Capabilities().Has(device.Counters) {
		var sum float64
		for i := range 2 {
			n, ok := b.g.GPU(i).Total().Counter("smsp__inst_executed.sum")
			assert.True(b, ok)
			assert.Positive(b, n)
			sum += n
		}
		n, _ := total.Counter("smsp__inst_executed.sum")
		assert.InDelta(b, sum, n, 0)
	}
}

// testGroupClose checks that only the group can be closed.
func testGroupClose(b *groupBench) {
	far := b.on(1, "far", 1)
	require.NoError(b, b.g.GPU(1).Close())
	assert.Equal(b, []uint32{1}, b.words(far))
	require.NoError(b, b.g.Close())
	_, err := b.g.GPU(1).Alloc("x", device.U32, 1)
	assert.ErrorContains(b, err, "the device is closed")
	_, err = b.g.Run(context.Background(), []device.Command{{GPU: 1, Read: &device.HostCopy{Buffer: far, Host: []uint32{0}}}})
	assert.ErrorContains(b, err, "the device is closed")
}

// testGroupCloseDuring closes the group during a list whose launches on both GPUs do not end by
// themselves.
func testGroupCloseDuring(b *groupBench) {
	near, far := b.on(0, "near", 0), b.on(1, "far", 0)
	list := []device.Command{b.cmd(0, "Endless", near), b.cmd(1, "Endless", far)}
	runs, ended := make(chan struct{}), make(chan struct{})
	ctx := &watched{Context: context.Background(), left: 5, then: func() { close(runs) }}
	var err error
	go func() {
		_, err = b.g.Run(ctx, list)
		close(ended)
	}()
	soon(b.bench, runs, "the list has begun")
	require.NoError(b, b.g.Close())
	_, late := b.g.GPU(1).Alloc("x", device.U32, 1)
	assert.EqualError(b, late, "alloc x: the device is closed")
	soon(b.bench, ended, "the list has ended")
	require.ErrorIs(b, err, device.ErrClosed)
	_, err = b.g.Run(context.Background(), list)
	assert.ErrorContains(b, err, "the device is closed")
}
