package run

import (
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/scheduler"
)

// Group is what each GPU of a group did in a run, and what its links carried. It
// is part of the object that --json prints.
type Group struct {
	GPUs  []OnGPU `json:"gpus"`
	Links []Link  `json:"links,omitempty"` // each direction of each link; the copies that place the graph are included
	// Pairs and Measures are left out if the scheme does not say what it sends.
	Pairs    []Sent    `json:"pairs,omitempty"`    // each ordered pair of GPUs
	Measures []Measure `json:"measures,omitempty"` // of all GPUs
}

// OnGPU is what one GPU did.
type OnGPU struct {
	GPU      int     `json:"gpu"`
	Launches int     `json:"launches"`
	Seconds  float64 `json:"kernel_seconds,omitempty"` // sum over its launches
	Sent     uint64  `json:"sent_bytes"`               // to other GPUs, according to the scheme
	Useful   *uint64 `json:"useful_bytes,omitempty"`   // of these; left out if they were not counted
	Received uint64  `json:"received_bytes"`
}

// Sent is what a GPU sent another one, according to the scheme.
type Sent struct {
	From       int      `json:"from"`
	To         int      `json:"to"`
	Bytes      uint64   `json:"bytes"`
	Useful     *uint64  `json:"useful_bytes,omitempty"`
	Efficiency *float64 `json:"communication_efficiency,omitempty"`
}

// Link is what a link carried in one direction.
type Link struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Kind  string  `json:"kind,omitempty"`
	Bytes uint64  `json:"bytes"`                  // payload
	Wire  uint64  `json:"wire_bytes,omitempty"`   // with headers, padding and requests
	Busy  float64 `json:"busy_seconds,omitempty"` // the time in which it was transmitting
}

// Measure is a figure of a run with its unit and its meaning.
type Measure struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	What  string  `json:"what"`
	Value float64 `json:"value"`
}

// groupOf describes what a group did; nil for a single device. The device must
// be open. c may be nil.
func groupOf(t *Timed, c *scheduler.Communication) *Group {
	g, ok := device.AsGroup(t)
	if !ok {
		return nil
	}
	out := &Group{}
	for i := range g.GPUs() {
		out.GPUs = append(out.GPUs, OnGPU{GPU: i, Launches: t.gpus[i].launches, Seconds: t.gpus[i].seconds})
	}
	for _, l := range g.Links() {
		out.Links = append(out.Links, Link(l))
	}
	if c != nil {
		out.communication(c)
	}
	return out
}

// causes say what is moved between GPUs, by the cause.
var causes = map[scheduler.Cause]string{
	scheduler.ForValues:   "values of vertices and updates, with numbers of vertices",
	scheduler.ForFrontier: "sets of vertices without values",
	scheduler.ForCounters: "how much there is to do, or was sent",
	scheduler.ForBarriers: "arrivals at barriers",
	scheduler.ForOther:    "all else",
}

// MeasureNames returns the names that measures of a group may have.
func MeasureNames() (names []string) {
	g := &Group{}
	c := &scheduler.Communication{Counted: true, Compute: 1}
	for _, cause := range scheduler.Causes {
		c.Remote = append(c.Remote, scheduler.CauseUse{Cause: cause})
	}
	g.communication(c)
	for _, m := range g.Measures {
		names = append(names, m.Name)
	}
	return names
}

// communication adds what a scheme says of what it sent.
func (g *Group) communication(c *scheduler.Communication) {
	if c.Counted {
		for i := range g.GPUs {
			g.GPUs[i].Useful = new(uint64)
		}
	}
	for _, p := range c.Pairs {
		s := Sent{From: p.From, To: p.To, Bytes: p.Bytes}
		if p.From >= len(g.GPUs) || p.To >= len(g.GPUs) {
			continue // of no GPU that there is
		}
		from := &g.GPUs[p.From]
		from.Sent += p.Bytes
		g.GPUs[p.To].Received += p.Bytes
		if c.Counted {
			*from.Useful += p.Useful
			s.Useful = &p.Useful
			if p.Bytes > 0 {
				share := float64(p.Useful) / float64(p.Bytes)
				s.Efficiency = &share
			}
		}
		g.Pairs = append(g.Pairs, s)
	}
	add := func(name, unit, what string, value float64) {
		g.Measures = append(g.Measures, Measure{name, unit, what, value})
	}
	add("bytes_sent", "byte", "values that GPUs sent each other, and numbers of vertices sent with them", float64(c.Bytes()))
	if c.Counted {
		add("useful_bytes", "byte", "of these, values that had changed since they were last sent and that the other GPU reads", float64(c.Useful()))
		add("communication_efficiency", "%", "useful bytes as a share of the bytes sent", 100*c.Efficiency())
	}
	add("bytes_per_arc", "byte", fmt.Sprintf("bytes sent per arc and iteration, for %d iterations", c.Iterations), c.PerArc())
	for _, u := range c.Remote {
		add(fmt.Sprintf("remote_%s", u.Cause), "byte", "what kernels and copies moved between GPUs: "+causes[u.Cause], float64(u.Bytes))
	}
	add("cut_arcs", "%", "arcs whose ends are on different GPUs, as a share of all", 100*c.CutShare())
	if c.Compute > 0 {
		add("compute_time", "s", "time in which a kernel ran on at least one GPU", c.Compute)
		add("transfer_time", "s", "time in which something was on its way from one GPU to another", c.Transfer)
		add("overlap", "s", "time in which both was so", c.Overlap)
	}
}
