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

// Channel is the memory that parent and child share, and how they take turns:
// the parent puts a request there and counts the request word up, the child puts
// the reply in its place and counts the reply word up. Who waits spins for a
// moment, since a turn takes about a microsecond, and then sleeps in the kernel.
// One request is under way at a time.
type Channel struct {
	mem  []byte
	file *os.File // of the memory; nil in one process
	// ended is set where the other side is known to be gone.
	ended atomic.Bool
	spins time.Duration
	// owed says that the reply to the last request is still to come: its answer was
	// seen where the GPU wrote it.
	owed bool
}

// The layout of the shared memory, in bytes. Words that the two sides write have
// cache lines of their own.
const (
	requestAt      = 0   // requests so far, a futex
	childAsleepAt  = 64  // the child sleeps on the request word
	replyAt        = 128 // replies so far, a futex
	parentAsleepAt = 192
	headAt         = 256
	callAt         = 4096 // a LaunchCall or CopyCall
	answerAt       = 8192
	markedAt       = 12288 // the answer as the GPU writes it, with marks
	stagingAt      = 64 << 10
)

// Slots and SlotBytes are the parts of the staging memory. A copy takes them in
// turn: the host fills or empties some while the GPU's copy engine works on others.
// Together they should stay in a processor's cache.
const (
	Slots     = 4
	SlotBytes = 2 << 20
	staging   = Slots * SlotBytes
)

// MaxAnswer is the longest answer of a launch, in bytes.
const MaxAnswer = 1024

// answerHead is how many words the GPU writes before the answer: the time of the
// launch in nanoseconds.
const answerHead = 2

// head says what a request or reply is.
type head struct {
	Op     Op
	Failed uint32 // of a reply: the message is a Failure
	Bytes  uint64 // of the gob message in the staging memory
}

// Errors of Await.
var (
	// ErrEnded is the cause of calls that the child's end cut off.
	ErrEnded = errors.New("the child process that holds the GPU ended")
	// ErrLate says that no reply came before the deadline.
	ErrLate = errors.New("the deadline has passed")
)

// NewChannel makes the memory; shared between processes, or for this one alone.
func NewChannel(processes bool) (*Channel, error) {
	mem, file, err := newShared(stagingAt+staging, processes)
	if err != nil {
		return nil, fmt.Errorf("memory to share with a child process: %w", err)
	}
	return &Channel{mem: mem, file: file, spins: spinTime(runtime.GOMAXPROCS(0))}, nil
}

// spinTime is how long to spin for the other side. Where it has no processor of
// its own it can do nothing meanwhile.
func spinTime(processors int) time.Duration {
	switch {
	case processors < 2:
		return 0
	case processors < 4:
		return 100 * time.Microsecond
	}
	return time.Millisecond
}

func (c *Channel) word(at int) *uint32 { return (*uint32)(unsafe.Pointer(&c.mem[at])) }
func (c *Channel) head() *head         { return (*head)(unsafe.Pointer(&c.mem[headAt])) }

// Launch is where the parent describes a launch, and finds its results.
func (c *Channel) Launch() *LaunchCall { return (*LaunchCall)(unsafe.Pointer(&c.mem[callAt])) }

// Copy is where the parent describes a step of a copy.
func (c *Channel) Copy() *CopyCall { return (*CopyCall)(unsafe.Pointer(&c.mem[callAt])) }

// Answer is where the answer of a launch is.
func (c *Channel) Answer() []byte { return c.mem[answerAt : answerAt+MaxAnswer] }

// marked is where the GPU writes the answer, with marks.
func (c *Channel) marked() []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&c.mem[markedAt])), answerHead+MaxAnswer/4)
}

// Slot is a part of the staging memory.
func (c *Channel) Slot(i int) []byte {
	at := stagingAt + i*SlotBytes
	return c.mem[at : at+SlotBytes : at+SlotBytes]
}

// turn counts a word up and wakes who sleeps on it.
func (c *Channel) turn(word, asleep int) {
	atomic.AddUint32(c.word(word), 1)
	if atomic.LoadUint32(c.word(asleep)) != 0 {
		wake(c.word(word))
	}
}

// Send hands the request that was described to the child.
func (c *Channel) Send(op Op) { c.post(head{Op: op}) }

func (c *Channel) post(h head) {
	*c.head() = h
	c.turn(requestAt, childAsleepAt)
}

// Ready waits until the child has taken back its turn, which it has unless an
// answer was just seen. A request may be described then.
func (c *Channel) Ready() {
	if !c.owed {
		return
	}
	c.owed = false
	if _, err := c.Await(context.Background(), 0); err != nil {
		atomic.AddUint32(c.word(replyAt), 1) // there is no child that could; the next request hears of it
	}
}

// AwaitAnswer is Await for a launch of which the GPU itself writes the answer, with
// this mark: the parent sees it a microsecond before the child has told of it.
// Seen says that it did, and then the answer is in Marked.
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

// Marked unpacks an answer that AwaitAnswer saw, and how long its launch took: the
// nanoseconds that the GPU measured.
func (c *Channel) Marked(to []byte) (ns uint64) {
	w := c.marked()
	for i, v := range w[answerHead : answerHead+len(to)/4] {
		binary.LittleEndian.PutUint32(to[4*i:], uint32(v))
	}
	return uint64(uint32(w[0])) | w[1]<<32
}

// What spinAnswer saw first.
const (
	answerNone = iota
	answerReplied
	answerSeen
)

// Without is a launch's time without what its timing adds. What is left of an
// empty launch is noise around the launch's own time.
func Without(seconds, overhead float64) float64 { return max(seconds-overhead, seconds/8) }

// nap is how long a side sleeps at most before it looks around.
const nap = 100 * time.Millisecond

// wait waits until a word is no longer old; stop, asked now and then and at the
// end of ctx, ends it with an error.
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

// spinSlice is how long to spin before looking around.
const spinSlice = 20 * time.Microsecond

// Await waits for the reply to what was sent: not past the deadline where it is
// positive, and not past the end of ctx or of the child. A failure is what the
// child reported.
func (c *Channel) Await(ctx context.Context, deadline time.Duration) (*Failure, error) {
	// The request word is ours: it is one ahead of the replies.
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

// Ended says that the child is gone, and wakes who waits for it.
func (c *Channel) Ended() {
	c.ended.Store(true)
	wake(c.word(replyAt))
}

// Ask sends args as a message, in parts where it is long, and waits for the reply.
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

// message decodes the message in the staging memory; nil where none is wanted.
func (c *Channel) message(into any) error {
	if into == nil {
		return nil
	}
	return gob.NewDecoder(bytes.NewReader(c.mem[stagingAt:][:c.head().Bytes])).Decode(into)
}

// next waits for a request, after the child has answered those before.
func (c *Channel) next() Op {
	old := atomic.LoadUint32(c.word(replyAt))
	_ = c.wait(context.Background(), requestAt, childAsleepAt, old, func() error { return nil })
	return c.head().Op
}

// reply answers a request: with a message where it is not nil, or a failure.
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

// Close unmaps the memory. Nobody may use the channel afterwards.
func (c *Channel) Close() {
	if c.file != nil {
		_ = c.file.Close()
	}
	unshare(c.mem)
}
