package sim

import (
	"fmt"
	"math"
	"strings"

	akita "github.com/sarchlab/akita/v3/sim"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/core/simt"
	"github.com/weft-gpu/weft/sim/config"
	"github.com/weft-gpu/weft/sim/internal/link"
)

// Group is several simulated GPUs of one host. It implements device.Group. It is not safe for concurrent use, but Close is.
//
// An event of one Akita engine simulates all GPUs for at most as many cycles as it is known in advance that a message
// arrives: whatever a GPU sends meanwhile reaches the others later, so it does not matter which of them is simulated
// first, or whether several are at the same time; see groupRounds.
type Group struct {
	*Device // GPU 0
	gpus    []*Device
	engine  *akita.SerialEngine
	rounds  groupRounds
	net     *link.Network
	carried []device.LinkUse // by earlier networks; see connect
	period  float64          // seconds per cycle
	clock   *host
	plan    *plan // the commands that run; nil between calls of Run
	// copiedBytes is how much Run has copied from buffer to buffer.
	copiedBytes uint64
	remote      device.RemoteBytes
}

var _ device.Group = (*Group)(nil)

// MaxGPUs is the largest number of GPUs of a group.
const MaxGPUs = 16

// NewGroup creates n simulated GPUs with the machine cfg, which is copied, joined by the links that cfg names. The
// error says which parameters or options are inconsistent.
func NewGroup(cfg *config.GPU, n int, opts Options) (*Group, error) {
	switch {
	case n < 1 || n > MaxGPUs:
		return nil, fmt.Errorf("a group of %d GPUs; it may have 1 to %d", n, MaxGPUs)
	case opts.Sample != 0:
		return nil, fmt.Errorf("sampling is for one GPU, not for a group")
	case opts.Control != nil:
		return nil, fmt.Errorf("a schedule or a progress model is for one GPU, not for a group")
	}
	capacities := make([]uint64, n)
	for i := range capacities {
		capacities[i] = uint64(cfg.DRAM.Capacity) << 20
	}
	g := &Group{engine: akita.NewSerialEngine(), clock: &host{}, remote: device.RemoteBytes{}}
	for i, mem := range simt.NewMemories(capacities...) {
		d, err := newDevice(cfg, opts, mem)
		if err != nil {
			return nil, err
		}
		d.group, d.host = g, g.clock
		d.comp.number, d.comp.engine, d.comp.group, d.comp.wakes = i, g.engine, g, never
		d.m.attach(g, i)
		// One profile, one trace and one race detector see the whole group.
		if i > 0 {
			d.m.hooks.share(g.gpus[0].m.hooks)
		}
		g.gpus = append(g.gpus, d)
	}
	g.Device, g.period = g.gpus[0], g.gpus[0].comp.period
	if err := g.connect(); err != nil {
		return nil, err
	}
	// Nothing that a GPU sends within this time reaches another one in it (conservative parallel simulation: the lookahead of
	// Chandy and Misra).
	window := max(uint64(float64(g.net.Notice())/g.period), 1)
	for _, d := range g.gpus {
		d.comp.window = window
	}
	return g, nil
}

// connect joins the GPUs by new links, which know nothing of what they have carried.
func (g *Group) connect() error {
	net, err := link.New(g.engine, g.cfg.Link, len(g.gpus))
	if err != nil {
		return err
	}
	if g.net != nil {
		g.carried = g.Links()
	}
	g.net, net.Deliver = net, g.deliver
	for _, d := range g.gpus {
		d.m.links.guests = newGuests(g)
	}
	return nil
}

// attach makes a new machine the one of a GPU of a group.
func (m *machine) attach(g *Group, gpu int) {
	m.links.group, m.links.moved, m.gpu = g, device.RemoteBytes{}, gpu
	m.run = &running{over: true}
}

// Name returns "sim:", the name of the machine and the number of GPUs: "sim:h200x2".
func (g *Group) Name() string { return fmt.Sprintf("sim:%sx%d", g.cfg.Name, len(g.gpus)) }

// GroupCapabilities are the capabilities of a group of simulated GPUs. The page of a running simulation shows one GPU.
const GroupCapabilities = Capabilities&^(device.Schedules|device.Page|device.CycleLevel) | device.Peers

// Capabilities returns GroupCapabilities.
func (g *Group) Capabilities() device.Capabilities { return GroupCapabilities }

// GPUs returns the number of GPUs.
func (g *Group) GPUs() int { return len(g.gpus) }

// GPU returns a GPU. Its buffers have addresses that no other GPU of the group has.
func (g *Group) GPU(i int) device.Device {
	device.MustHaveGPU(g, i)
	return g.gpus[i]
}

// Where returns the number of the GPU that has a buffer.
func (g *Group) Where(b device.Buffer) (gpu int, err error) { return g.mem.Where(b) }

// Peer returns how one GPU reaches the memory of another.
func (g *Group) Peer(from, to int) device.Peer {
	device.MustHaveGPU(g, from)
	device.MustHaveGPU(g, to)
	return g.net.Peer(from, to)
}

// reaches returns an error if a launch on a GPU uses the memory of another one in a way that the links do not allow.
func (g *Group) reaches(gpu int, l *simt.Grid) error {
	if err := device.CheckAccess(g, gpu, l.Launch); err != nil {
		return err
	}
	for i := range l.Prog.Code {
		in := &l.Prog.Code[i]
		if !in.Op.IsAtomic() || in.Root < 0 {
			continue
		}
		if a := l.Roots[in.Root].Alloc; a != nil && a.GPU != gpu && !g.Peer(gpu, a.GPU).Atomics {
			return noAtomics(l.Kernel.Name, a, gpu)
		}
	}
	return nil
}

// noAtomics is the error of a launch that updates memory of another GPU atomically, where links cannot.
func noAtomics(kernel string, a *simt.Allocation, gpu int) error {
	return &device.ArgError{Kernel: kernel, What: fmt.Sprintf("buffer %s is on GPU %d, whose memory kernels on GPU %d cannot update atomically", a.Name, a.GPU, gpu)}
}

// Links returns what each link has carried so far.
func (g *Group) Links() []device.LinkUse {
	uses := g.net.Uses()
	for i, u := range g.carried {
		uses[i].Bytes, uses[i].Wire, uses[i].Busy = uses[i].Bytes+u.Bytes, uses[i].Wire+u.Wire, uses[i].Busy+u.Busy
	}
	return uses
}

// RemoteUses returns what was moved between GPUs; see device.RemoteUse.
func (g *Group) RemoteUses() []device.RemoteUse { return g.remote.Uses() }

// Engine returns the Akita engine that runs all GPUs of the group.
func (g *Group) Engine() akita.Engine { return g.engine }

// Close frees the memory of all GPUs; later uses return errors.
func (g *Group) Close() error {
	g.mem.Close(func() {
		for _, d := range g.gpus {
			d.code = nil
		}
	})
	return nil
}

// Total returns the sum over all launches on all GPUs so far, with the time of the host.
func (g *Group) Total() *device.Report {
	var sum counters
	for _, d := range g.gpus {
		c := d.m.snapshot()
		sum.add(&c)
	}
	r := g.total(&sum, g.gpus...)
	r.Counters = append(r.Counters, counter.Reported(device.BytesCopied, float64(g.copiedBytes)))
	r.Counters = append(r.Counters, linkCounters(g.Links())...)
	return r
}

// linkCounters sums up what links have carried: those between GPUs and those to the host. Transmitted and received are
// as the GPUs see them.
func linkCounters(links []device.LinkUse) []device.Counter {
	var tx, txUser, rx, rxUser, up, down uint64
	for _, l := range links {
		from, to := strings.HasPrefix(l.From, "GPU"), strings.HasPrefix(l.To, "GPU")
		switch {
		// Nsight Compute counts links between GPUs and the link to the host apart: nvltx and nvlrx, pcie.
		case !strings.HasPrefix(l.Kind, "NVLink"):
			if from {
				up += l.Wire
			}
			if to {
				down += l.Wire
			}
			continue
		case from:
			tx, txUser = tx+l.Wire, txUser+l.Bytes
		}
		if to {
			rx, rxUser = rx+l.Wire, rxUser+l.Bytes
		}
	}
	return []device.Counter{
		counter.Reported("nvltx__bytes.sum", float64(tx)), counter.Reported("nvltx__bytes_data_user.sum", float64(txUser)),
		counter.Reported("nvlrx__bytes.sum", float64(rx)), counter.Reported("nvlrx__bytes_data_user.sum", float64(rxUser)),
		counter.Reported("pcie__write_bytes.sum", float64(up)), counter.Reported("pcie__read_bytes.sum", float64(down)),
	}
}

// cycle returns the first cycle that begins at a time or later. A thousandth of a cycle is rounding.
func (g *Group) cycle(seconds float64) uint64 { return uint64(math.Ceil(seconds/g.period - 1e-3)) }

// time returns the beginning of a cycle, or of a fraction of one.
func (g *Group) time(cycle float64) float64 { return cycle * g.period }

// What a message is: the top byte of its tag. What follows says which parcel of which GPU it is; for copies, which command.
const (
	tagRequest = iota << tagShift
	tagAnswer
	tagCopy
	tagShift  = 56
	tagParcel = 1<<remoteShift - 1
)

// deliver is called when it is known at what time a message arrives.
func (g *Group) deliver(m link.Message, time akita.VTimeInSec) {
	if g.plan.failed() {
		return
	}
	at := float64(time)
	switch m.Tag &^ (1<<tagShift - 1) {
	case tagRequest:
		c := g.gpus[m.To].comp
		cycle := g.cycle(at)
		c.m.links.requested(g.parcel(m), cycle)
		// A GPU that slept is woken for the cycle in which the message is there, and not for the one in which it was sent.
		c.awake(max(cycle, c.m.now+1))
	case tagAnswer:
		c := g.gpus[m.To].comp
		cycle := g.cycle(at)
		c.m.links.answered(g.parcel(m), cycle)
		c.follow()
	case tagCopy:
		g.plan.arrived(int(m.Tag&tagParcel), m, at)
	}
}

// alone reports whether no other GPU runs a launch, and nothing else changes memory.
func (g *Group) alone(m *machine) bool {
	for _, d := range g.gpus {
		if d.m != m && !d.m.run.over {
			return false
		}
	}
	return !g.plan.active()
}

// settled is called when a machine could be shown to hang if no other GPU changed what it reads. It reports whether
// this is so: no other GPU runs; or all that run are in the same state, and have been since the group made all of them
// search anew, so that no memory has changed since.
func (g *Group) settled(m *machine) bool {
	if g.alone(m) {
		return true
	}
	m.search.settled = true
	// A copy that is under way will change memory, whatever the machines do.
	if g.plan.active() {
		return false
	}
	asked := true
	for _, d := range g.gpus {
		if m := d.m; !m.run.over {
			if !m.search.settled {
				return false
			}
			asked = asked && m.search.asked
		}
	}
	if asked {
		return true
	}
	for _, d := range g.gpus {
		if m := d.m; !m.run.over {
			// All search anew from the same moment: states that were seen at different times prove nothing together.
			m.progress()
			m.search.asked = true
		}
	}
	return false
}

// changed notes that memory was changed by something other than a kernel, or that a kernel has ended: what other GPUs
// have found out so far may be out of date.
func (g *Group) changed() {
	for _, d := range g.gpus {
		if !d.m.run.over {
			d.m.progress()
		}
	}
}
