//go:build !kernel

package scheduler

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// Communication is what the GPUs of a group sent each other in a run, and when. A value that
// was sent to a GPU is useful if that GPU has an arc that reads it, and it has changed since it
// was last sent.
type Communication struct {
	Pairs []PairUse `json:"pairs"` // each ordered pair of GPUs, by From and To
	// Arcs is the number of arcs of the graph, and Iterations how often they were visited.
	Arcs       int `json:"arcs"`
	Iterations int `json:"iterations"`
	// Cut is the number of arcs whose ends are on different GPUs.
	Cut int `json:"cut_arcs"`
	// Remote is what GPUs moved between them, by cause; nil if the device does not count it.
	Remote []CauseUse `json:"remote,omitempty"`
	// Counted reports whether Useful was counted.
	Counted bool `json:"counted"`
	// Compute is the time in which a kernel ran on at least one GPU, Transfer that in which
	// something was under way from one GPU to another, and Overlap that in which both was so,
	// in seconds. They are 0 on a device without a clock.
	Compute  float64 `json:"compute_seconds"`
	Transfer float64 `json:"transfer_seconds"`
	Overlap  float64 `json:"overlap_seconds"`
}

// Cause is why the GPUs of a group move data between them.
type Cause string

// The causes.
const (
	ForValues   Cause = "values"   // values of vertices, and updates, with the numbers of the vertices sent with them
	ForFrontier Cause = "frontier" // sets of vertices without values
	ForCounters Cause = "counters" // how much there is to do, or was sent
	ForBarriers Cause = "barriers" // arrivals
	ForOther    Cause = "other"    // what the scheme does not name
)

// Causes are all causes, in the order of tables.
var Causes = []Cause{ForValues, ForFrontier, ForCounters, ForBarriers, ForOther}

// CauseUse is what the GPUs of a group have moved between them for a cause: by loads, stores and atomics of kernels, and by copies.
type CauseUse struct {
	Cause Cause  `json:"cause"`
	Bytes uint64 `json:"bytes"`
}

// ByCause returns the bytes of each cause that a scheme names, and of others if there are some: what a device counts now, without what it had
// counted before. Arrays of the algorithm belong to values. It is nil if the device counts none.
func ByCause(remote map[string]Cause, before, now []device.RemoteUse) (list []CauseUse) {
	if now == nil {
		return nil
	}
	bytes := map[Cause]uint64{}
	for _, c := range remote {
		bytes[c] += 0
	}
	for _, u := range now {
		if i := slices.IndexFunc(before, func(b device.RemoteUse) bool { return b.Buffer == u.Buffer }); i >= 0 {
			u.Bytes -= before[i].Bytes
		}
		cause := cmp.Or(remote[u.Buffer], ForOther)
		if strings.HasPrefix(u.Buffer, arrayPrefix) {
			cause = ForValues
		}
		if u.Bytes > 0 {
			bytes[cause] += u.Bytes
		}
	}
	for _, c := range Causes {
		if n, ok := bytes[c]; ok {
			list = append(list, CauseUse{c, n})
		}
	}
	return list
}

// PairUse is what one GPU sent another one. If it passed through the memory of the host, it
// counts once.
type PairUse struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Bytes  uint64 `json:"bytes"`  // values, and numbers of vertices sent with them
	Useful uint64 `json:"useful"` // bytes of useful values
}

// PairUses returns each ordered pair of so many GPUs, by From and To, with nothing sent.
func PairUses(gpus int) (pairs []PairUse) {
	for from := range gpus {
		for to := range gpus {
			if from != to {
				pairs = append(pairs, PairUse{From: from, To: to})
			}
		}
	}
	return pairs
}

// Bytes returns the bytes that were sent, over all pairs.
func (c *Communication) Bytes() (sum uint64) {
	for _, p := range c.Pairs {
		sum += p.Bytes
	}
	return sum
}

// Useful returns the useful bytes, over all pairs.
func (c *Communication) Useful() (sum uint64) {
	for _, p := range c.Pairs {
		sum += p.Useful
	}
	return sum
}

// Efficiency returns the useful part of what was sent (communication efficiency; Khorasani et
// al., PACT 2015, slide 5), from 0 to 1. It is 0 if nothing was sent, or useful bytes were not
// counted.
func (c *Communication) Efficiency() float64 {
	if sent := c.Bytes(); sent > 0 && c.Counted {
		return float64(c.Useful()) / float64(sent)
	}
	return 0
}

// CutShare returns the share of arcs whose ends are on different GPUs, from 0 to 1.
func (c *Communication) CutShare() float64 {
	if c.Arcs == 0 {
		return 0
	}
	return float64(c.Cut) / float64(c.Arcs)
}

// PerArc returns the bytes sent for each arc that was visited: per arc and iteration.
func (c *Communication) PerArc() float64 {
	if visited := float64(c.Arcs) * float64(c.Iterations); visited > 0 {
		return float64(c.Bytes()) / visited
	}
	return 0
}
