//go:build !kernel

package scheduler

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
	// Counted reports whether Useful was counted.
	Counted bool `json:"counted"`
	// Compute is the time in which a kernel ran on at least one GPU, Transfer that in which
	// something was under way from one GPU to another, and Overlap that in which both was so,
	// in seconds. They are 0 on a device without a clock.
	Compute  float64 `json:"compute_seconds"`
	Transfer float64 `json:"transfer_seconds"`
	Overlap  float64 `json:"overlap_seconds"`
}

// PairUse is what one GPU sent another one. If it passed through the memory of the host, it
// counts once.
type PairUse struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Bytes  uint64 `json:"bytes"`  // values, and numbers of vertices sent with them
	Useful uint64 `json:"useful"` // bytes of useful values
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
