package link

import (
	"math/rand/v2"
	"testing"

	akita "github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
)

// round has numbers that are easy to add up: a packet of 240 bytes takes 256 ns.
func round(topology string) config.Link {
	return config.Link{
		Kind: "nvlink4", Topology: topology, Links: 1, Bandwidth: 1, Latency: 1000, Header: 16, Payload: 240, Flit: 16, Chunk: 2400, Atomic: 64,
		Root: 2, HostBandwidth: 0.5, HostLatency: 500, HostHeader: 10, HostPayload: 100, PeerCopy: true, PeerAccess: true,
	}
}

// arrival is a message that arrived, with the time in ns.
type arrival struct {
	tag uint64
	at  float64
}

// run sends messages, whose times are in ns, and returns the arrivals in the order of Deliver.
func run(t *testing.T, n *Network, e *akita.SerialEngine, ms ...Message) (list []arrival) {
	t.Helper()
	n.Deliver = func(m Message, at akita.VTimeInSec) {
		assert.GreaterOrEqual(t, float64(at-e.CurrentTime()), float64(n.Notice())*(1-1e-9))
		list = append(list, arrival{m.Tag, float64(at) * 1e9})
	}
	for _, m := range ms {
		m.At *= nano
		n.Send(m)
	}
	require.NoError(t, e.Run())
	return list
}

func network(t *testing.T, c config.Link, gpus int) (*Network, *akita.SerialEngine) {
	t.Helper()
	e := akita.NewSerialEngine()
	n, err := New(e, c, gpus)
	require.NoError(t, err)
	return n, e
}

func TestSerialisation(t *testing.T) {
	for _, topology := range []string{config.AllToAll, config.Switch} {
		for _, c := range []struct {
			bytes int
			want  float64
		}{
			{0, 16}, {1, 32}, {16, 32}, {240, 256}, {241, 256 + 32}, {2400, 2560}, {24000, 25600}, {24001, 25600 + 32},
		} {
			n, e := network(t, round(topology), 2)
			got := run(t, n, e, Message{From: 0, To: 1, Bytes: c.bytes, At: 50})
			require.Len(t, got, 1)
			assert.InDelta(t, 50+c.want+1000, got[0].at, 1e-3, "%s: %d bytes", topology, c.bytes)
		}
	}
}

// TestAtomicPackets checks that operands of atomics take more packets, with headers of their own.
func TestAtomicPackets(t *testing.T) {
	c := round(config.AllToAll)
	c.AtomicHeader = 24
	n, e := network(t, c, 2)
	got := run(t, n, e, Message{From: 0, To: 1, Bytes: 128, Atomic: true})
	assert.InDelta(t, 128+2*24+1000, got[0].at, 1e-3)
}

// TestContention has two GPUs send to a third one at once: over a switch, its link is shared; with a wire between each
// two GPUs, nothing is.
func TestContention(t *testing.T) {
	for _, c := range []struct {
		topology string
		gpus     int
		want     float64 // when the last byte has arrived
	}{
		{config.Switch, 3, 2*25600 + 1000},
		{config.AllToAll, 3, 25600 + 1000},
		{config.RootComplex, 3, 2*25600 + 1000},
	} {
		l := round(c.topology)
		if c.topology == config.AllToAll {
			l.Links = 2
		}
		n, e := network(t, l, c.gpus)
		got := run(t, n, e, Message{From: 0, To: 2, Bytes: 24000, Tag: 1}, Message{From: 1, To: 2, Bytes: 24000, Tag: 2})
		require.Len(t, got, 2)
		assert.InDelta(t, c.want, got[1].at, 1300, c.topology)
		assert.Less(t, got[1].at-got[0].at, 2600.0, "%s: they take turns, chunk by chunk", c.topology)
	}
}

// TestDirections has two GPUs send to each other: neither slows the other down.
func TestDirections(t *testing.T) {
	for _, topology := range []string{config.AllToAll, config.Switch, config.RootComplex} {
		n, e := network(t, round(topology), 2)
		got := run(t, n, e, Message{From: 0, To: 1, Bytes: 24000}, Message{From: 1, To: 0, Bytes: 24000})
		require.Len(t, got, 2)
		for _, a := range got {
			assert.InDelta(t, 25600+1000, a.at, 2600, topology) // a chunk waits for one at the root complex
		}
	}
}

// TestTimes checks what a network says about its times: Notice is the latency of the last lane.
func TestTimes(t *testing.T) {
	for _, c := range []struct {
		topology        string
		gpus            int
		latency, notice float64 // ns
	}{
		{config.AllToAll, 2, 500, 250}, {config.Switch, 4, 500, 250}, {config.RootComplex, 4, 1000, 500}, {config.Switch, 1, 500, 250},
	} {
		n, _ := network(t, round(c.topology), c.gpus)
		assert.InDelta(t, c.latency, float64(n.Latency())*1e9, 1e-6, c.topology)
		assert.InDelta(t, c.notice, float64(n.Notice())*1e9, 1e-6, c.topology)
	}
}

func TestErrors(t *testing.T) {
	_, err := New(akita.NewSerialEngine(), round(config.Switch), 0)
	require.EqualError(t, err, "links: 0 GPUs")
	cfg, err := config.Load("v100")
	require.NoError(t, err)
	_, err = New(akita.NewSerialEngine(), cfg.Link, 7)
	require.NoError(t, err)
	_, err = New(akita.NewSerialEngine(), cfg.Link, 8)
	require.EqualError(t, err, "links of 8 GPUs: NVLink 2 has 6 per GPU for 7 others; link.topology=cube or switch joins more")
	n, _ := network(t, round(config.Switch), 2)
	assert.PanicsWithValue(t, "link: message from GPU 1 to GPU 2, of 2 GPUs and the host", func() { n.Send(Message{From: 1, To: 2}) })
	assert.PanicsWithValue(t, "link: message from host to host, of 2 GPUs and the host", func() { n.Send(Message{From: Host, To: Host}) })
}

func TestPeer(t *testing.T) {
	cfg, err := config.Load("gtx780")
	require.NoError(t, err)
	n, _ := network(t, cfg.Link, 3)
	assert.Equal(t, device.Peer{Copy: true, Access: true, Link: "PCIe 3"}, n.Peer(0, 2))
	assert.Equal(t, device.Peer{Copy: true, Access: true, Atomics: true}, n.Peer(1, 1))
	require.NoError(t, cfg.Set("link.kind", "nvlink4"))
	require.NoError(t, cfg.Set("link.peer_access", "false"))
	n, _ = network(t, cfg.Link, 3)
	assert.Equal(t, device.Peer{Copy: true, Link: "NVLink 4"}, n.Peer(0, 2))
}

// TestOrder sends packets that share their time, packets that are submitted out of order, and one that passes a
// transfer.
func TestOrder(t *testing.T) {
	n, e := network(t, round(config.Switch), 2)
	got := run(t, n, e,
		Message{From: 0, To: 1, Bytes: 24000, Tag: 9}, Message{From: 0, To: 1, Bytes: 16, Tag: 4, At: 300},
		Message{From: 0, To: 1, Bytes: 16, Tag: 1, At: 100}, Message{From: 0, To: 1, Bytes: 240, Tag: 2, At: 100}, Message{From: 0, To: 1, Tag: 3, At: 100})
	var tags []uint64
	for _, a := range got {
		tags = append(tags, a.tag)
	}
	assert.Equal(t, []uint64{1, 2, 3, 4, 9}, tags)
	assert.InDelta(t, 2560+32+256+16+32+1000, got[3].at, 1, "after the chunk that was on its way")
	assert.InDelta(t, 25600+32+256+16+32+1000, got[4].at, 1)
}

// TestFair has packets and a transfer share a link: each gets half of its bytes.
func TestFair(t *testing.T) {
	for _, from := range []Node{0, 2} { // of the same sender, and of another one
		n, e := network(t, round(config.Switch), 3)
		ms := []Message{{From: 0, To: 1, Bytes: 24000, Tag: 1}}
		for range 200 {
			ms = append(ms, Message{From: from, To: 1, Bytes: 240, Tag: 2})
		}
		got := run(t, n, e, ms...)
		for i, a := range got {
			if a.tag == 1 {
				assert.InDelta(t, 2*25600, a.at, 5200, "from %v", from)
				assert.InDelta(t, 100, i, 25)
			}
		}
	}
}

// TestRootShared has three GPUs send to the host: their links could carry 3 GB/s, the root complex 2 GB/s.
func TestRootShared(t *testing.T) {
	n, e := network(t, round(config.RootComplex), 3)
	var ms []Message
	for i := range 3 {
		ms = append(ms, Message{From: Node(i), To: Host, Bytes: 240000})
	}
	got := run(t, n, e, ms...)
	require.Len(t, got, 3)
	assert.InEpsilon(t, 3*256000/2, got[2].at, 0.03)
	for _, u := range n.Uses() {
		if u.To == "host" {
			assert.Equal(t, device.LinkUse{From: "root complex", To: "host", Kind: "NVLink 4", Bytes: 720000, Wire: 768000, Busy: u.Busy}, u)
			assert.InEpsilon(t, 768000/2e9, u.Busy, 1e-9)
		}
	}
}

// traffic is a fixed mixture of packets and transfers between all nodes.
func traffic(gpus int) (list []Message) {
	x := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		m := Message{From: Node(x.IntN(gpus+1) - 1), To: Node(x.IntN(gpus+1) - 1), At: akita.VTimeInSec(x.IntN(300_000)), Tag: uint64(i)}
		if m.From == m.To {
			continue
		}
		if m.Bytes = x.IntN(200); x.IntN(20) == 0 {
			m.Bytes = x.IntN(20_000)
		}
		list = append(list, m)
	}
	return list
}

// TestConservation checks for mixed traffic that every message arrives once, that each lane carries what its messages
// need and transmits one thing at a time, and that a second run is the same.
func TestConservation(t *testing.T) {
	for _, topology := range []string{config.AllToAll, config.Switch, config.RootComplex} {
		c := round(topology)
		c.Links = 3
		once := func() ([]arrival, []device.LinkUse) {
			n, e := network(t, c, 4)
			free, sum := map[int]akita.VTimeInSec{}, map[int]int{}
			n.Observe = func(s Sent) {
				assert.GreaterOrEqual(t, s.Start, free[s.Lane])
				assert.Greater(t, s.End, s.Start)
				free[s.Lane] = s.End
				sum[s.Lane] += s.Wire
			}
			ms := traffic(4)
			got := run(t, n, e, ms...)
			require.Len(t, got, len(ms))
			first, last := map[Node]int{}, map[Node]int{}
			when := map[uint64]Message{}
			for _, m := range ms {
				first[m.From] += m.Bytes
				last[m.To] += m.Bytes
				when[m.Tag] = m
			}
			for _, a := range got {
				m, ok := when[a.tag]
				require.True(t, ok, "once")
				assert.GreaterOrEqual(t, a.at, float64(m.At)+float64(n.Latency())*1e9*(1-1e-9))
				delete(when, a.tag)
			}
			sent, received := map[string]uint64{}, map[string]uint64{}
			for i, u := range n.Uses() {
				sent[u.From] += u.Bytes
				received[u.To] += u.Bytes
				assert.EqualValues(t, sum[i], u.Wire)
				assert.GreaterOrEqual(t, u.Wire, u.Bytes)
			}
			for v := range first {
				assert.EqualValues(t, first[v], sent[v.String()], v)
				assert.EqualValues(t, last[v], received[v.String()], v)
			}
			return got, n.Uses()
		}
		a, ua := once()
		b, ub := once()
		assert.Equal(t, a, b)
		assert.Equal(t, ua, ub)
	}
}

// TestAsAkita compares transfers over a root complex with those over the PCIe network of Akita 3.1.0, which moves each
// flit of 16 bytes through its switches in 1 ns: 1 MiB from each of some GPUs to another one, with a quarter of
// headers.
func TestAsAkita(t *testing.T) {
	for senders, want := range map[int]float64{1: 82574, 2: 164296, 3: 246134} {
		c := config.Link{Kind: "pcie3", Topology: config.RootComplex, Links: 1, Bandwidth: 16, Latency: 300, Header: 64, Payload: 256, Flit: 16, Chunk: 4096, Root: 1e4}
		n, e := network(t, c, senders+1)
		var ms []Message
		for i := range senders {
			ms = append(ms, Message{From: Node(i + 1), To: 0, Bytes: 1 << 20})
		}
		got := run(t, n, e, ms...)
		assert.InEpsilon(t, want, got[senders-1].at, 0.005, "%d senders", senders)
	}
}

// BenchmarkTransfer sends 16 MiB between two H200, BenchmarkPackets remote loads with their answers.
func BenchmarkTransfer(b *testing.B) {
	cfg, err := config.Load("h200")
	require.NoError(b, err)
	e := akita.NewSerialEngine()
	n, err := New(e, cfg.Link, 2)
	require.NoError(b, err)
	b.SetBytes(16 << 20)
	b.ReportAllocs()
	for b.Loop() {
		n.Send(Message{From: 0, To: 1, Bytes: 16 << 20})
		require.NoError(b, e.Run())
	}
}

func BenchmarkPackets(b *testing.B) {
	cfg, err := config.Load("h200")
	require.NoError(b, err)
	e := akita.NewSerialEngine()
	n, err := New(e, cfg.Link, 2)
	require.NoError(b, err)
	n.Deliver = func(m Message, at akita.VTimeInSec) {
		if m.To == 1 {
			n.Send(Message{From: 1, To: 0, Bytes: 128, At: at})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		now := e.CurrentTime()
		for i := range 1000 {
			n.Send(Message{From: 0, To: 1, At: now + akita.VTimeInSec(i)*0.4e-9})
		}
		require.NoError(b, e.Run())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/message")
}
