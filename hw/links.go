package hw

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weft-gpu/weft/device"
)

// fromHost stands for the host in the place of a number of a GPU.
const fromHost = -1

// carried is what a link carried in one direction by commands of lists.
type carried struct {
	bytes uint64 // without those that Device.toDevice and toHost count
	busy  float64
	spans []span // of the list that ran last
}

// span is the time of a copy.
type span struct{ start, end float64 }

// carry counts a copy from one GPU to another one, or from or to the host. Without a link between the GPUs the data take
// those of both GPUs to the host.
func (g *Group) carry(from, to int, bytes int, t span) {
	if from != fromHost && to != fromHost && !g.peers[from][to].Access {
		g.carry(from, fromHost, bytes, t)
		g.carry(fromHost, to, bytes, t)
		return
	}
	c := g.links[[2]int{from, to}]
	if c == nil {
		c = &carried{}
		g.links[[2]int{from, to}] = c
	}
	c.bytes += uint64(bytes)
	c.spans = append(c.spans, t)
}

// sum adds the times of the last list to those in which links were busy; a time in which several copies ran counts once.
func (g *Group) sum() {
	for _, c := range g.links {
		slices.SortFunc(c.spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
		end := 0.0
		for i, s := range c.spans {
			if i == 0 || s.start > end {
				end = s.start
			}
			if s.end > end {
				c.busy += s.end - end
				end = s.end
			}
		}
		c.spans = c.spans[:0]
	}
}

// Links returns what copies have carried so far: from each GPU to each other one, and between the host and each GPU. The
// bytes are counted here, not by the hardware: what kernels load from and store to the memory of another GPU is not among
// them. Wire is 0, since it is not known. Busy is the time in which a copy of Run took the link; those of Write and Read
// of a single GPU are not timed.
func (g *Group) Links() []device.LinkUse {
	var all []device.LinkUse
	use := func(from, to int, kind string) *device.LinkUse {
		all = append(all, device.LinkUse{From: place(from), To: place(to), Kind: kind})
		u := &all[len(all)-1]
		if c := g.links[[2]int{from, to}]; c != nil {
			u.Bytes, u.Busy = c.bytes, c.busy
		}
		return u
	}
	for i := range g.gpus {
		for j := range g.gpus {
			if i != j && g.peers[i][j].Access {
				use(i, j, g.Peer(i, j).Link)
			}
		}
	}
	for i, d := range g.gpus {
		use(fromHost, i, "").Bytes += d.toDevice
		use(i, fromHost, "").Bytes += d.toHost
	}
	return all
}

// place names a GPU or the host.
func place(i int) string {
	if i == fromHost {
		return "host"
	}
	return fmt.Sprintf("GPU %d", i)
}
