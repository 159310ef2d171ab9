package native

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
)

// Group is several native devices with one memory. It runs commands one after another, in the
// order of the list.
type Group struct {
	*Device        // GPU 0, and the kernels of all
	Linked  bool   // whether Peer says that copies need no host
	Runs    int    // calls of Run so far
	Copied  [2]int // elements that copies took from GPU to GPU, and by the host
	members []*Device
}

var _ device.Group = (*Group)(nil)

// NewGroup returns a group of n devices that are linked.
func NewGroup(kernels map[string]any, n int) *Group {
	g := &Group{Device: New(kernels), Linked: true}
	g.owner = device.NewOwner() // one for all, as their memory is one
	g.members = []*Device{g.Device}
	for range n - 1 {
		g.members = append(g.members, &Device{Blocks: g.Blocks, entries: g.entries, owner: g.owner, memory: g.memory})
	}
	return g
}

// Capabilities returns Peers.
func (g *Group) Capabilities() device.Capabilities { return device.Peers }

// GPUs returns the number of devices.
func (g *Group) GPUs() int { return len(g.members) }

// GPU returns a device.
func (g *Group) GPU(i int) device.Device { return g.members[i] }

// Peer says whether the devices are linked. All addresses are valid everywhere.
func (g *Group) Peer(from, to int) device.Peer {
	return device.Peer{Copy: g.Linked || from == to, Access: true, Atomics: true}
}

// Where returns 0: all memory is one.
func (g *Group) Where(device.Buffer) (int, error) { return 0, nil }

// Links returns none.
func (g *Group) Links() []device.LinkUse { return nil }

// Run runs the commands in the order of the list.
func (g *Group) Run(ctx context.Context, cmds []device.Command) ([]device.Timing, error) {
	g.Runs++
	timings := make([]device.Timing, len(cmds))
	for i, c := range cmds {
		for _, a := range c.After {
			if a >= i {
				return timings, fmt.Errorf("command %d comes after command %d", i, a)
			}
		}
		rep, err := g.command(ctx, c)
		timings[i] = device.Timing{Start: float64(i), End: float64(i) + 1, Report: rep}
		if err != nil {
			return timings, fmt.Errorf("command %d on GPU %d: %w", i, c.GPU, err)
		}
	}
	return timings, nil
}

// command runs one command.
func (g *Group) command(ctx context.Context, c device.Command) (*device.Report, error) {
	d := g.members[c.GPU]
	switch {
	case c.Launch != nil:
		return d.Launch(ctx, *c.Launch)
	case c.Copy != nil:
		if c.Copy.Dst.Len != c.Copy.Src.Len || c.Copy.Dst.Elem != c.Copy.Src.Elem {
			return nil, fmt.Errorf("copy of %v to %v", c.Copy.Src, c.Copy.Dst)
		}
		g.Copied[0] += c.Copy.Src.Len
		return &device.Report{}, d.Write(c.Copy.Dst, g.slice(c.Copy.Src).Interface())
	case c.Write != nil:
		g.Copied[1] += c.Write.Buffer.Len
		return &device.Report{}, d.Write(c.Write.Buffer, c.Write.Host)
	}
	return &device.Report{}, d.Read(c.Read.Buffer, c.Read.Host)
}
