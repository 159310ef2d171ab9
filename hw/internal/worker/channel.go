package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// Channel is the memory that parent and child share, with the protocol by which they take turns: the parent writes a
// request and increments the request word; the child replaces the request by the reply and increments the reply word.
// A waiting side spins for a moment, because a turn takes about a microsecond, and then sleeps in the kernel. At most
// one request is pending at a time.
type Channel struct {
	mem   []byte
	arena []byte   // more memory, for lists of commands and their data; empty unless it was asked for
	file  *os.File // the memory's file; nil within one process
	gpu   uint32   // which GPU requests are for
	// ended is set when the other side is known to have ended.
	ended atomic.Bool
	spins time.Duration
	// owed means that the reply to the last request has not arrived yet, because its answer was read where the GPU
	// wrote it.
	owed bool
}

// The layout of the shared memory, in bytes. Words written by different sides are in different cache lines.
const (
	requestAt      = 0   // number of requests, a futex
	childAsleepAt  = 64  // the child sleeps on the request word
	replyAt        = 128 // number of replies, a futex
	parentAsleepAt = 192
	headAt         = 256
	callAt         = 4096 // a LaunchCall, CopyCall or RunHead
	answerAt       = 8192
	markedAt       = 12288 // the answer as written by the GPU, with marks
	bytesAt        = 16384 // the bytes of a launch's parameters
	stagingAt      = 64 << 10
)

// Slots and SlotBytes are the number and size of the parts of the staging memory. A copy uses them in turn: the host
// fills or empties some while the GPU's copy engine works on others. Together they should fit in a processor's cache.
const (
	Slots     = 4
	SlotBytes = 2 << 20
	staging   = Slots * SlotBytes
)

// MaxAnswer is the maximum length of a launch's answer, in bytes.
const MaxAnswer = 1024

// answerHead is the number of words that the GPU writes before the answer: the duration of the launch in nanoseconds.
const answerHead = 2

// MaxBytes is the maximum number of bytes of a launch's parameters, as the driver has it.
const MaxBytes = 32 << 10

// head describes a request or reply.
type head struct {
	Op     Op
	Failed uint32 // in a reply: the message is a Failure
	Bytes  uint64 // length of the gob message in the staging memory
	GPU    uint32 // in a request: by its place in the list of OpOpen
}

// Errors of Await.
var (
	// ErrEnded means that the child ended during a call.
	ErrEnded = errors.New("the child process that holds the GPU ended")
	// ErrLate means that no reply arrived before the deadline.
	ErrLate = errors.New("the deadline has passed")
)

// NewChannel creates the memory, shared between processes or for this process only, with an arena of the given size.
func NewChannel(processes bool, arena int) (*Channel, error) {
	mem, more, file, err := newShared(stagingAt+staging, arena, processes)
	if err != nil {
		return nil, fmt.Errorf("memory to share with a child process: %w", err)
	}
	return &Channel{mem: mem, arena: more, file: file, spins: spinTime(runtime.GOMAXPROCS(0))}, nil
}

// For makes the following requests be for a GPU, by its place in the list of OpOpen.
func (c *Channel) For(gpu int) { c.gpu = uint32(gpu) }

// spinTime returns how long to spin for the other side. If the other side has no processor of its own, it cannot run
// meanwhile.
func spinTime(processors int) time.Duration {
	switch {
	case processors < 2:
		return 0
	case processors < 4:
		return 100 * time.Microsecond
	case processors < 8:
		return time.Millisecond
	}
	return 4 * time.Millisecond
}

// Requests returns how many requests were sent so far.
func (c *Channel) Requests() uint32 { return atomic.LoadUint32(c.word(requestAt)) }

func (c *Channel) word(at int) *uint32 { return (*uint32)(unsafe.Pointer(&c.mem[at])) }
func (c *Channel) head() *head         { return (*head)(unsafe.Pointer(&c.mem[headAt])) }

// Launch returns the place where the parent describes a launch and reads its results.
func (c *Channel) Launch() *LaunchCall { return (*LaunchCall)(unsafe.Pointer(&c.mem[callAt])) }

// Copy returns the place where the parent describes a step of a copy.
func (c *Channel) Copy() *CopyCall { return (*CopyCall)(unsafe.Pointer(&c.mem[callAt])) }

// Bytes returns the place for the bytes of a launch's parameters.
func (c *Channel) Bytes() []byte { return c.mem[bytesAt : bytesAt+MaxBytes] }

// Inline returns the place for them in the call itself.
func (a *LaunchCall) Inline() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&a.Params[0])), 8*MaxParams)
}

// Answer returns the answer of a launch.
func (c *Channel) Answer() []byte { return c.mem[answerAt : answerAt+MaxAnswer] }

// marked returns the answer as written by the GPU, with marks.
func (c *Channel) marked() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&c.mem[markedAt])), answerHead+MaxAnswer/4)
}

// Slot returns a part of the staging memory.
func (c *Channel) Slot(i int) []byte {
	at := stagingAt + i*SlotBytes
	return c.mem[at : at+SlotBytes : at+SlotBytes]
}

// turn increments a word and wakes the side that sleeps on it.
func (c *Channel) turn(word, asleep int) {
	atomic.AddUint32(c.word(word), 1)
	if atomic.LoadUint32(c.word(asleep)) != 0 {
		wake(c.word(word))
	}
}

// Send submits the request that was described to the child.
func (c *Channel) Send(op Op) { c.post(head{Op: op}) }

func (c *Channel) post(h head) {
	h.GPU = c.gpu
	*c.head() = h
	c.turn(requestAt, childAsleepAt)
}

// Ready waits until the child is ready for a request, which it is unless the last answer was read before the reply.
// After Ready, a request may be described.
func (c *Channel) Ready() {
	if !c.owed {
		return
	}
	c.owed = false
	if _, err := c.Await(context.Background(), 0); err != nil {
		atomic.AddUint32(c.word(replyAt), 1) // there is no child that could reply; the next request reports the error
	}
}

// AwaitAnswer is Await for a launch whose answer the GPU itself writes, with the given mark: the parent sees it a
// microsecond before the child reports it. If seen is true, Marked returns the answer.
func (c *Channel) AwaitAnswer(ctx context.Context, deadline time.Duration, mark uint32, words int) (seen bool, f *Failure, err error) {
	old := atomic.LoadUint32(c.word(requestAt)) - 1
	w := c.marked()[:answerHead+words]
	for spun := time.Duration(0); spun < c.spins; spun += spinSlice {
		switch spinAnswer(c.word(replyAt), old, w, mark, spinSlice) {
		case answerReplied:
			f, err = c.Await(ctx, deadline)
			return false, f, err
		case answerSeen:
			c.owed = true
			return true, nil, nil
		}
		if c.ended.Load() || ctx.Err() != nil || deadline > 0 && spun > deadline {
			break
		}
	}
	f, err = c.Await(ctx, deadline)
	return false, f, err
}

// Marked unpacks an answer that AwaitAnswer has seen, and returns the duration of its launch in nanoseconds, as
// measured by the GPU.
func (c *Channel) Marked(to []byte) (ns uint64) {
	w := c.marked()
	for i, v := range w[answerHead : answerHead+len(to)/4] {
		binary.LittleEndian.PutUint32(to[4*i:], uint32(v))
	}
	return uint64(uint32(w[0])) | w[1]<<32
}

// The events of which spinAnswer returns the first.
const (
	answerNone = iota
	answerReplied
	answerSeen
)

// Without returns the time of a launch without the overhead of timing it. The remainder for an empty launch is noise
// around the launch's own time.
func Without(seconds, overhead float64) float64 { return max(seconds-overhead, seconds/8) }

// nap is the longest time for which a side sleeps before it checks again.
const nap = 100 * time.Millisecond

// wait waits until a word is no longer old. It calls stop now and then, and at the end of ctx; an error of stop ends
// the wait.
func (c *Channel) wait(ctx context.Context, word, asleep int, old uint32, stop func() error) error {
	w := c.word(word)
	for spun := time.Duration(0); spun < c.spins; spun += spinSlice {
		if spin(w, old, spinSlice) {
			return nil
		}
		if err := stop(); err != nil {
			return err
		}
	}
	defer context.AfterFunc(ctx, func() { wake(w) })()
	atomic.StoreUint32(c.word(asleep), 1)
	defer atomic.StoreUint32(c.word(asleep), 0)
	for atomic.LoadUint32(w) == old {
		if err := stop(); err != nil {
			return err
		}
		sleep(w, old, nap)
	}
	return nil
}

// spinSlice is how long to spin before checking again.
const spinSlice = 20 * time.Microsecond

// Await waits for the reply to the last request, at most until the deadline (if positive) and until ctx or the child
// ends. A failure is what the child reported.
func (c *Channel) Await(ctx context.Context, deadline time.Duration) (*Failure, error) {
	// Only this side writes the request word: it is one ahead of the replies.
	old := atomic.LoadUint32(c.word(requestAt)) - 1
	if !spin(c.word(replyAt), old, 0) {
		var until time.Time
		if deadline > 0 {
			until = time.Now().Add(deadline)
		}
		err := c.wait(ctx, replyAt, parentAsleepAt, old, func() error {
			switch {
			case c.ended.Load() && atomic.LoadUint32(c.word(replyAt)) == old:
				return ErrEnded
			case ctx.Err() != nil:
				return ctx.Err()
			case deadline > 0 && time.Now().After(until):
				return ErrLate
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if c.head().Failed == 0 {
		return nil, nil
	}
	f := &Failure{}
	return f, c.message(f)
}

// Ended marks the child as ended, and wakes waiters.
func (c *Channel) Ended() {
	c.ended.Store(true)
	wake(c.word(replyAt))
}

// Ask sends args as a message, in parts if it is long, and waits for the reply.
func (c *Channel) Ask(ctx context.Context, deadline time.Duration, op Op, args, reply any) (*Failure, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(args); err != nil {
		return nil, err
	}
	c.Ready()
	for {
		n := copy(c.mem[stagingAt:], b.Next(staging))
		last := b.Len() == 0
		h := head{Op: OpPart, Bytes: uint64(n)}
		if last {
			h.Op = op
		}
		c.post(h)
		f, err := c.Await(ctx, deadline)
		if f != nil || err != nil {
			return f, err
		}
		if last {
			return nil, c.message(reply)
		}
	}
}

// message decodes the message in the staging memory; nothing if into is nil.
func (c *Channel) message(into any) error {
	if into == nil {
		return nil
	}
	return gob.NewDecoder(bytes.NewReader(c.mem[stagingAt:][:c.head().Bytes])).Decode(into)
}

// next waits for a request, after the child has replied to the previous one.
func (c *Channel) next() Op {
	old := atomic.LoadUint32(c.word(replyAt))
	_ = c.wait(context.Background(), requestAt, childAsleepAt, old, func() error { return nil })
	return c.head().Op
}

// reply replies to a request, with a message if it is not nil, or with a failure.
func (c *Channel) reply(message any, f *Failure) {
	h := head{}
	if f != nil {
		h.Failed, message = 1, f
	}
	if message != nil {
		var b bytes.Buffer
		err := gob.NewEncoder(&b).Encode(message)
		if err != nil || b.Len() > staging {
			b.Reset()
			h.Failed = 1
			_ = gob.NewEncoder(&b).Encode(&Failure{Text: fmt.Sprintf("a reply of %T cannot be sent (%v)", message, err)})
		}
		h.Bytes = uint64(copy(c.mem[stagingAt:], b.Bytes()))
	}
	*c.head() = h
	c.turn(replyAt, parentAsleepAt)
}

// Close unmaps the memory. The channel must not be used afterwards.
func (c *Channel) Close() {
	if c.file != nil {
		_ = c.file.Close()
	}
	unshare(c.mem)
	if len(c.arena) > 0 {
		unshare(c.arena)
	}
}
