package device

import (
	"context"
	"fmt"
)

// MaxNested is how many kernels of a Chain the GPU starts at most, one after another: the CUDA C++ Programming Guide bounds
// the depth of kernels that start kernels so.
const MaxNested = 24

// Chain is a launch whose kernel may start the next one, without the host in between: dynamic parallelism, of which this is
// the tail launch. A kernel asks by two words of memory; the kernel that it asks for starts when all blocks of its own grid
// have ended, and sees all that they stored.
type Chain struct {
	First Launch
	// Rest are the launches that a kernel may ask for. Grid is the largest number of blocks along x.
	Rest []Launch
	// Next has two elements of kind U32, which the device sets to zero before each launch. A kernel stores the number of a
	// launch of Rest, from 1, to the first one, and its number of blocks to the second one. After the chain they are not zero
	// if the last kernel asked for one more than MaxNested.
	Next Buffer
	// Answer is what the host reads when the last launch has ended; its buffer may contain Next.
	Answer Answer
}

// Started is a launch of a Chain, with the grid that it had, and what it did.
type Started struct {
	Launch Launch
	Report *Report
}

// Nester is a device whose kernels can start kernels. Its Capabilities include Nested.
type Nester interface {
	// LaunchChain runs a chain to its end and returns what was started, in this order. Errors are those of Device.Launch; the
	// first one ends the chain, and its launch is the last one that is returned if it has a report.
	LaunchChain(ctx context.Context, c Chain) ([]Started, error)
}

// LaunchChain calls LaunchChain of a Nester, and returns an error for any other device.
func LaunchChain(ctx context.Context, d Device, c Chain) ([]Started, error) {
	n, ok := d.(Nester)
	if !ok || !d.Capabilities().Has(Nested) {
		return nil, fmt.Errorf("device %s %s", d.Name(), Capabilities(0).Lacks(Nested))
	}
	return n.LaunchChain(ctx, c)
}

// Memory is the part of a device that RunChain uses.
type Memory interface {
	Read(b Buffer, dst any) error
	Write(b Buffer, src any) error
}

// RunChain is LaunchChain for devices that run a chain launch by launch. launch runs one of them; nested is true for those that
// a kernel started. RunChain takes no time of a simulated host but what mem takes.
func RunChain(mem Memory, c Chain, launch func(l Launch, nested bool) (*Report, error)) (started []Started, err error) {
	if c.Answer.Clear {
		if err := mem.Write(c.Answer.Buffer, c.Answer.Zeros()); err != nil {
			return nil, err
		}
	}
	l, next := c.First, make([]uint32, 2)
	for n := 0; ; n++ {
		clear(next)
		if err := mem.Write(c.Next, next); err != nil {
			return started, fmt.Errorf("the next launch of a chain: %w", err)
		}
		r, err := launch(l, n > 0)
		if r != nil {
			started = append(started, Started{l, r})
		}
		if err != nil {
			return started, err
		}
		if err := mem.Read(c.Next, next); err != nil {
			return started, err
		}
		if next[0] == 0 || n == MaxNested {
			break
		}
		if l, err = c.follows(l.Kernel, next[0], next[1]); err != nil {
			return started, err
		}
	}
	if c.Answer.To == nil {
		return started, nil
	}
	return started, mem.Read(c.Answer.Buffer, c.Answer.To)
}

// follows returns the launch that a kernel asked for.
func (c *Chain) follows(by *Kernel, number, blocks uint32) (Launch, error) {
	if uint64(number) > uint64(len(c.Rest)) {
		return Launch{}, &ArgError{Kernel: by.Name, What: fmt.Sprintf("it starts launch %d of %d", number, len(c.Rest))}
	}
	l := c.Rest[number-1]
	if blocks == 0 || uint64(blocks) > uint64(max(l.Grid, 0)) {
		return Launch{}, &ArgError{Kernel: by.Name, What: fmt.Sprintf("it starts launch %d with %d blocks; 1 to %d are possible", number, blocks, l.Grid)}
	}
	l.Grid = int(blocks)
	return l, nil
}
