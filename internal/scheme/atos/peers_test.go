//go:build !kernel

package atos

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// newPair returns the peers of two GPUs, each with half of the vertices.
func newPair(vertices, boxes, log, words uint32) (pair [2]*Peers) {
	half := vertices / 2
	for i := range pair {
		pair[i] = &Peers{Bounds: []uint32{vertices - half*uint32(i)}, First: half * uint32(i), Count: half, Boxes: boxes, Bits: log,
			Inbox: make([]uint64, words*boxes<<log), Took: make([]uint32, boxes), Sent: make([]uint32, boxes), Seen: make([]uint32, boxes)}
	}
	for i, p := range pair {
		p.Outbox[0], p.Taken[0] = pair[1-i].Inbox, pair[1-i].Took
	}
	return pair
}

// TestOwners checks by hand who has which vertices of three GPUs, of which the second one has none.
func TestOwners(t *testing.T) {
	bounds := []uint32{0, 4, 4, 9}
	want := [3][]uint32{1: {0, 0, 0, 0, 1, 1, 1, 1, 1}, 0: {9, 9, 9, 9, 1, 1, 1, 1, 1}, 2: {0, 0, 0, 0, 9, 9, 9, 9, 9}}
	for i, owners := range want {
		p := &Peers{First: bounds[i], Count: bounds[i+1] - bounds[i]}
		for k := range 3 {
			if k != i {
				p.Bounds = append(p.Bounds, bounds[k+1])
			}
		}
		for v, owner := range owners {
			if owner == 9 {
				require.True(t, p.own(uint32(v)), "GPU %d, vertex %d", i, v)
			} else {
				require.False(t, p.own(uint32(v)), "GPU %d, vertex %d", i, v)
				require.Equal(t, owner, p.owner(uint32(v)), "GPU %d, vertex %d", i, v)
			}
		}
	}
}

// TestPeers sends messages from one block to another by way of boxes of 4 places, which are much fewer than the messages. Each arrives once, with its value. Positions begin
// just before the largest number.
func TestPeers(t *testing.T) {
	t.Run("uint32", func(t *testing.T) { passes(t, func(i uint32) uint32 { return ^i }) })
	t.Run("uint64", func(t *testing.T) { passes(t, func(i uint32) uint64 { return uint64(i)<<32 | 7 }) })
	t.Run("float32", func(t *testing.T) { passes(t, func(i uint32) float32 { return float32(i) + 0.5 }) })
	t.Run("float64", func(t *testing.T) { passes(t, func(i uint32) float64 { return float64(i) + 1e-9 }) })
}

func passes[V gpu.Num](t *testing.T, value func(i uint32) V) {
	passesTo[scheduler.WarpPerVertex](t, value)
	passesTo[scheduler.BlockPerVertex](t, value)
	passesTo[scheduler.ThreadPerVertex](t, value)
}

func passesTo[M scheduler.Mapping, V gpu.Num](t *testing.T, value func(i uint32) V) {
	const n, log = 600, 2
	for _, boxes := range []uint32{1, 2} {
		pair := newPair(2*n, boxes, log, words[V]())
		from, to := pair[0], pair[1]
		for b := range boxes {
			before := ^uint32(0) - 40
			from.Sent[b], from.Seen[b], to.Took[b] = before, before, before
			// What was in the places one round before.
			for i := range uint32(1 << log) {
				position := before - 1<<log + i
				to.Inbox[place[V](to, b, position)] = to.sign(position)
			}
		}
		var got [2 * n]atomic.Uint32
		var left atomic.Int32
		left.Store(n)
		bad := make(chan string, n)
		err := gpu.Launch(2, 64, func(th gpu.Thread) {
			if th.Block() == 0 {
				for i := th.Idx(); i < n; i += th.BlockDim() {
					for sent := false; !sent; {
						sent = send(th, from, n+i, func() V { return value(i) })
					}
				}
				return
			}
			var m M
			w := scheduler.Worker[uint32]{Index: th.Idx() % 32, Size: 32, Number: th.Warp()}
			switch m.Team() {
			case scheduler.OneBlock:
				w.Index, w.Size, w.Number = th.Idx(), 64, 0
			case scheduler.OneThread:
				w.Index, w.Size, w.Number = 0, 1, th.Idx()
			}
			for more := true; more; {
				for b := range boxes {
					receive[M](th, to, w, b, func(v uint32, x V) {
						if got[v].Add(1) != 1 || x != value(v-n) {
							bad <- fmt.Sprint(v, x)
						}
						left.Add(-1)
					})
				}
				more = scheduler.Once(th, m, func() uint32 { return uint32(left.Load()) }) > 0
			}
		})
		require.NoError(t, err)
		require.Empty(t, bad)
		for v := range uint32(n) {
			require.Equal(t, uint32(1), got[n+v].Load(), "message %d", v)
		}
	}
}
