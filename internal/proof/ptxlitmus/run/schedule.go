package run

import (
	"math/rand/v2"

	"github.com/weft-gpu/weft/device"
)

// schedule draws from a seed what varies from launch to launch: which words and threads meet, how long each thread
// waits before it starts, and how much traffic uninvolved warps cause. Without other traffic all accesses take about
// the same time, and a machine may appear to keep an order that it does not guarantee.
type schedule struct{ *rand.Rand }

func newSchedule(seed uint64) schedule { return schedule{rand.New(rand.NewPCG(seed, 0x5eed))} }

const (
	// longest is the base-2 logarithm of the longest delay in cycles.
	longest = 12
	// mostRounds is the base-2 logarithm of the largest number of stores of a bystander.
	mostRounds = 6
)

// span returns an upper bound of the delays of a launch, in cycles, from 1 to 4,096. Each power of two is equally
// likely, so that in some launches the threads start within a few cycles and in others one is done before the next
// begins.
func (s schedule) span() uint32 { return 1 << s.IntN(longest+1) }

// rounds returns how often each bystander stores, from 1 to 64 times or never.
func (s schedule) rounds() uint32 { return s.Uint32N(1<<s.IntN(mostRounds+1) + 1) }

// buffers allocates the buffers of a launch. After an error it does nothing more, so that callers need to look at err
// only once.
type buffers struct {
	device device.Device
	err    error
	list   []device.Buffer
}

// words returns a buffer with the contents of data.
func (b *buffers) words(name string, data []uint32) device.Buffer {
	if b.err != nil {
		return device.Buffer{}
	}
	var buf device.Buffer
	if buf, b.err = b.device.Alloc(name, device.U32, len(data)); b.err == nil {
		b.list = append(b.list, buf)
		b.err = b.device.Write(buf, data)
	}
	return buf
}

// read copies a buffer back to data.
func (b *buffers) read(buf device.Buffer, data []uint32) {
	if b.err == nil {
		b.err = b.device.Read(buf, data)
	}
}

// free frees the buffers. It returns err, or the first error of freeing.
func (b *buffers) free() error {
	for _, buf := range b.list {
		if err := b.device.Free(buf); b.err == nil {
			b.err = err
		}
	}
	b.list = nil
	return b.err
}
