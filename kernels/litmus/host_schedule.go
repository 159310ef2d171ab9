//go:build !kernel

package litmus

import (
	"math/rand/v2"

	"github.com/weft-gpu/weft/device"
)

// Schedule draws from a seed what varies from launch to launch of a litmus test: which
// words and threads meet, how long each thread waits before it starts, and how much traffic
// uninvolved warps cause.
type Schedule struct{ *rand.Rand }

// NewSchedule returns the schedule of a seed.
func NewSchedule(seed uint64) Schedule { return Schedule{rand.New(rand.NewPCG(seed, 0x5eed))} }

const (
	// longest is the base-2 logarithm of the longest delay in cycles.
	longest = 12
	// mostRounds is the base-2 logarithm of the largest number of stores of a bystander.
	mostRounds = 6
)

// Span returns an upper bound of the delays of a launch, in cycles, from 1 to 4,096. Each
// power of two is equally likely, so that in some launches the threads start within a few
// cycles and in others one is done before the next begins.
func (s Schedule) Span() uint32 { return 1 << s.IntN(longest+1) }

// Rounds returns how often each bystander stores, from 1 to 64 times or never.
func (s Schedule) Rounds() uint32 { return s.Uint32N(1<<s.IntN(mostRounds+1) + 1) }

// Sectors returns n different numbers below n*pool, in random order.
func (s Schedule) Sectors(n, pool int) []int { return s.Perm(n * pool)[:n] }

// Buffers allocates the buffers of a launch. After an error it does nothing more, so that
// callers need to look at Err only once.
type Buffers struct {
	Device device.Device
	Err    error
	list   []device.Buffer
}

// Words returns a buffer with the contents of data.
func (b *Buffers) Words(name string, data []uint32) device.Buffer {
	if b.Err != nil {
		return device.Buffer{}
	}
	var buf device.Buffer
	if buf, b.Err = b.Device.Alloc(name, device.U32, len(data)); b.Err == nil {
		b.list = append(b.list, buf)
		b.Err = b.Device.Write(buf, data)
	}
	return buf
}

// Read copies a buffer back to data.
func (b *Buffers) Read(buf device.Buffer, data []uint32) {
	if b.Err == nil {
		b.Err = b.Device.Read(buf, data)
	}
}

// Free frees the buffers. It returns Err, or the first error of freeing.
func (b *Buffers) Free() error {
	for _, buf := range b.list {
		if err := b.Device.Free(buf); b.Err == nil {
			b.Err = err
		}
	}
	b.list = nil
	return b.Err
}
