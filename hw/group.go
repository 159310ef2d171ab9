package hw

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/core/counter"
)

// Group is several real GPUs, which one child process holds. It implements device.Group; as a device it is its first
// GPU. After an error that makes the context of a GPU unusable, a new child takes over, and the memories of all GPUs are
// empty.
type Group struct {
	*Device // GPU 0
	name    string
	links   map[[2]int]*carried // by number of the GPUs; fromHost stands for the host
	copied  uint64              // bytes, by Command.Copy
	scratch
	// clockError is that of the last list.
	clockError  float64
	readiedList readiedList
}

var _ device.Group = (*Group)(nil)

// scratch is memory for the current list, which is reused.
type scratch struct {
	pieces []piece
	last   []int32     // by command: its last piece in the request; -1 if it is in none
	built  []*code     // by piece: of a launch
	ends   []streamEnd // of the streams in the request
}

// streamEnd is when the last command of a stream ended.
type streamEnd struct {
	gpu, stream int
	at          float64
}

// GroupCapabilities are the capabilities of a group of real GPUs.
const GroupCapabilities = Capabilities | device.Peers

// OpenGroup opens GPUs, which it numbers from 0 in the order of the list, as a group. numbers are those of the driver,
// each at most once. Peer access between the GPUs is enabled where the driver allows it. IsMissing reports whether an
// error means that this machine lacks a GPU of the list.
func OpenGroup(ctx context.Context, numbers []int, o Options) (*Group, error) {
	h := &holder{numbers: numbers}
	if len(numbers) == 0 {
		return nil, fmt.Errorf("a group of no GPUs; name at least one")
	}
	name := "hw:" + h.list()
	seen := map[int]bool{}
	for i, n := range numbers {
		if seen[n] {
			return nil, fmt.Errorf("%s: GPU %d is named twice", name, n)
		}
		seen[n] = true
		h.add(fmt.Sprintf("%s#%d", name, i), o)
	}
	h.group = &Group{Device: h.gpus[0], name: name, links: map[[2]int]*carried{}}
	return h.group, h.start(ctx)
}

// Name returns the name of the group: "hw:0,1".
func (g *Group) Name() string { return g.name }

// Capabilities returns GroupCapabilities.
func (g *Group) Capabilities() device.Capabilities { return GroupCapabilities }

// GPUs returns the number of GPUs.
func (g *Group) GPUs() int { return len(g.gpus) }

// GPU returns a GPU. It is a *Device.
func (g *Group) GPU(i int) device.Device {
	device.MustHaveGPU(g, i)
	return g.gpus[i]
}

// Where returns the number of the GPU that has a buffer.
func (g *Group) Where(b device.Buffer) (int, error) { return g.mem.Where(b) }

// Peer returns how GPU from reaches the memory of GPU to, as the driver allows it (cuDeviceCanAccessPeer and
// CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED). The driver does not name the link. It is called NVLink if GPUs update
// each other's memory atomically, which PCI Express does not support, and PCIe otherwise; its generation is that of
// the older GPU's architecture.
func (g *Group) Peer(from, to int) device.Peer {
	device.MustHaveGPU(g, from)
	device.MustHaveGPU(g, to)
	if from == to {
		return device.Peer{Copy: true, Access: true, Atomics: true}
	}
	p := g.peers[from][to]
	link := "PCIe"
	if p.Access && p.Atomics {
		link = nvlink(min(g.gpus[from].info.Major*10+g.gpus[from].info.Minor, g.gpus[to].info.Major*10+g.gpus[to].info.Minor))
	}
	return device.Peer{Copy: p.Access, Access: p.Access, Atomics: p.Atomics, Link: link}
}

// nvlink returns the name of the link of GPUs with a compute capability: of Volta and Turing, Ampere, Hopper, Blackwell.
func nvlink(capability int) string {
	switch {
	case capability < 80:
		return "NVLink 2"
	case capability < 89:
		return "NVLink 3"
	case capability == 90:
		return "NVLink 4"
	case capability >= 100 && capability < 110:
		return "NVLink 5"
	}
	return "NVLink"
}

// Total returns the sum over all launches and copies of all GPUs so far.
func (g *Group) Total() *device.Report {
	sum := g.gpus[0].Total()
	for _, d := range g.gpus[1:] {
		r := d.Total()
		sum.Launches += r.Launches
		sum.Seconds += r.Seconds
		for i, c := range r.Counters {
			if i < len(sum.Counters) {
				sum.Counters[i].Value += c.Value
			} else {
				sum.Counters = append(sum.Counters, c)
			}
		}
	}
	sum.Counters = append(sum.Counters, counter.Reported(device.BytesCopied, float64(g.copied)))
	return sum
}

// Close ends the child process, when no call is in progress.
func (g *Group) Close() error {
	return g.close()
}
