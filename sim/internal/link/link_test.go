package link

import (
	"testing"

	akita "github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/config"
)

// round has numbers that are easy to add up: a packet of 240 bytes takes 256 ns.
func round(topology string) config.Link {
	return config.Link{
		Kind: "nvlink4", Topology: topology, Links: 1, Bandwidth: 1, Latency: 1000, Header: 16, Payload: 240, Flit: 16, Chunk: 2400,
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
