package link

import (
	"fmt"
	"testing"

	akita "github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/sim/config"
)

// sixLinks has GPUs of six links, of which each carries a packet of 240 bytes in 256 ns.
func sixLinks() config.Link {
	c := round(config.Cube)
	c.Links = 6
	return c
}

// TestCubeTimes sends messages over one link, over two and through a GPU. The times are computed by hand: 1,000 ns for each wire, and
// the bytes with their headers at 1 or 2 bytes a nanosecond.
func TestCubeTimes(t *testing.T) {
	for _, c := range []struct {
		from, to Node
		bytes    int
		want     float64
	}{
		{0, 1, 240, 256 + 1000},                   // one link
		{0, 3, 240, 128 + 1000},                   // two links
		{4, 0, 240, 128 + 1000},                   // two links, between the groups
		{0, 5, 240, 256 + 1000 + 128 + 1000},      // through GPU 1: one link, then two
		{0, 7, 240, 128 + 1000 + 128 + 1000},      // through GPU 4: two links, then two
		{3, 6, 240, 128 + 1000 + 256 + 1000},      // through GPU 2: two links, then one
		{0, 1, 24000, 25600 + 1000},               // ten chunks
		{0, 5, 24000, 25600 + 1000 + 1280 + 1000}, // the last chunk arrives at GPU 1, and is passed on
		{3, 6, 24000, 1280 + 1000 + 25600 + 1000}, // the first chunk arrives at GPU 2, and the others follow while it is passed on
	} {
		n, e := network(t, sixLinks(), 8)
		got := run(t, n, e, Message{From: c.from, To: c.to, Bytes: c.bytes, At: 50})
		require.Len(t, got, 1)
		assert.InDelta(t, 50+c.want, got[0].at, 1e-3, "%v to %v, %d bytes", c.from, c.to, c.bytes)
	}
}

// TestCubeShares has two messages share a wire, one that starts at a GPU and one that the GPU passes on: the wire carries both, and
// the other wires one. A message in the other direction is not in their way.
func TestCubeShares(t *testing.T) {
	n, e := network(t, sixLinks(), 8)
	got := run(t, n, e,
		Message{From: 0, To: 5, Bytes: 24000, Tag: 1}, // by GPU 1
		Message{From: 1, To: 5, Bytes: 48000, Tag: 2}, // 25,600 ns alone
		Message{From: 5, To: 1, Bytes: 48000, Tag: 3})
	at := map[uint64]float64{}
	for _, a := range got {
		at[a.tag] = a.at
	}
	// The wire from 1 to 5 begins at once and never rests until both have passed: 72,000 bytes are 76,800 with headers, at 2 bytes a
	// nanosecond. What GPU 0 sends arrives at half of the rate at which the wire takes it, so that it does not wait long.
	assert.InDelta(t, 76800/2+1000, at[2], 1)
	assert.Less(t, at[1], 25600+1000+2*1280+1000+1.0)
	assert.InDelta(t, 51200/2+1000, at[3], 1)
	carried := map[string]device.LinkUse{}
	for _, u := range n.Uses() {
		carried[u.From+" to "+u.To] = u
	}
	assert.EqualValues(t, 24000, carried["GPU 0 to GPU 1"].Bytes)
	assert.EqualValues(t, 72000, carried["GPU 1 to GPU 5"].Bytes)
	assert.EqualValues(t, 76800, carried["GPU 1 to GPU 5"].Wire)
	assert.InDelta(t, 76800/2*1e-9, carried["GPU 1 to GPU 5"].Busy, 1e-12)
	assert.EqualValues(t, 48000, carried["GPU 5 to GPU 1"].Bytes)
	assert.Zero(t, carried["GPU 0 to GPU 4"].Bytes)
}

// TestCubeWires checks that each GPU of the whole cube uses all its links, with six and with four, that there is a row for each
// direction of each of the 16 wires, and what the smallest time is.
func TestCubeWires(t *testing.T) {
	links := map[int]int{}
	for _, e := range cubeEdges {
		links[e.a] += e.links
		links[e.b] += e.links
	}
	for v := range cubeGPUs {
		assert.Equal(t, 6, links[v], "GPU %d", v)
	}
	for _, count := range []int{4, 6} {
		c := sixLinks()
		c.Links = count
		n, _ := network(t, c, cubeGPUs)
		rows := 0
		for _, u := range n.Uses() {
			if u.Kind == "NVLink 4" {
				rows++
			}
		}
		assert.Equal(t, 2*16, rows)
		assert.InDelta(t, 500, float64(n.Latency())*1e9, 1e-6)
		want := map[int]float64{4: 256, 6: 128}[count]
		n, e := network(t, c, cubeGPUs)
		assert.InDelta(t, want+1000, run(t, n, e, Message{From: 0, To: 3, Bytes: 240})[0].at, 1e-3)
	}
}

// TestCubeReachesAll sends a message between each two GPUs of the first two to eight: it arrives after one wire or two.
func TestCubeReachesAll(t *testing.T) {
	for gpus := 1; gpus <= cubeGPUs; gpus++ {
		for from := range gpus {
			for to := range gpus {
				if from == to {
					continue
				}
				n, e := network(t, sixLinks(), gpus)
				got := run(t, n, e, Message{From: Node(from), To: Node(to)})
				require.Len(t, got, 1, "%d to %d of %d", from, to, gpus)
				assert.Less(t, got[0].at, 2*(1000+16)+1.0)
				assert.Equal(t, device.Peer{Copy: true, Access: true, Link: "NVLink 4"}, n.Peer(from, to))
			}
		}
	}
}

func TestCubeErrors(t *testing.T) {
	c := sixLinks()
	mesh := c
	mesh.Topology = config.AllToAll
	_, err := New(akita.NewSerialEngine(), mesh, 9)
	require.EqualError(t, err, "links of 9 GPUs: NVLink 4 has 6 per GPU for 8 others; link.topology=switch joins more")
	_, err = New(akita.NewSerialEngine(), c, 9)
	require.EqualError(t, err, "links of 9 GPUs: link.topology=cube joins 8 at most; link.topology=switch joins more")
	for _, links := range []int{3, 5, 18} {
		c.Links = links
		_, err = New(akita.NewSerialEngine(), c, 8)
		require.EqualError(t, err, fmt.Sprintf("links of 8 GPUs: NVLink 4 has %d per GPU, and link.topology=cube needs 4 or 6", links))
	}
}

// TestCubeConserves checks for mixed traffic on the whole cube that every message arrives once, that a wire transmits one thing at a
// time, that packets of two GPUs stay in order also where others pass them on, and that a second run is the same.
func TestCubeConserves(t *testing.T) {
	once := func() []arrival {
		n, e := network(t, sixLinks(), cubeGPUs)
		free := map[int]akita.VTimeInSec{}
		n.Observe = func(s Sent) {
			assert.GreaterOrEqual(t, s.Start, free[s.Lane])
			free[s.Lane] = s.End
		}
		ms := traffic(cubeGPUs)
		when := map[uint64]Message{}
		for _, m := range ms {
			when[m.Tag] = m
		}
		got := run(t, n, e, ms...)
		require.Len(t, got, len(ms))
		newest := map[[2]Node]float64{}
		for _, a := range got {
			m, ok := when[a.tag]
			require.True(t, ok, "once")
			delete(when, a.tag)
			if pair := [2]Node{m.From, m.To}; m.Bytes <= 240 {
				assert.GreaterOrEqual(t, float64(m.At), newest[pair])
				newest[pair] = float64(m.At)
			}
		}
		return got
	}
	assert.Equal(t, once(), once())
}
