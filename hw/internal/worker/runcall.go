package worker

import (
	"fmt"
	"unsafe"
)

// Arena is the size of the arena of a group of GPUs, in bytes.
const Arena = 512 << 20

// MaxCalls is the maximum number of commands in a request.
const MaxCalls = 4096

// RunKind is the kind of a command.
type RunKind int

// The kinds of commands.
const (
	RunLaunch RunKind = iota
	RunCopy           // from GPU From to GPU To
	RunWrite          // from the arena to GPU To
	RunRead           // from GPU From to the arena
)

// RunHead is a request to run a list of commands, which is in the arena, and has room for its results.
type RunHead struct {
	Calls, Words int // the lengths of the list and of the words

	// Failed is the number of the command to which the failure belongs, if there is one; -1 if it is not known. Suspects
	// is the number of commands that may have caused it instead.
	Failed, Suspects int
	// ClockError is by how much times of different GPUs, and times of a GPU and the host, may differ in addition to
	// what they should, in seconds.
	ClockError float64
	Progress   uint32 // changes whenever a command has ended
	// Known is when the end of the last command was known, as by Monotonic; 0 if some have not ended.
	Known float64
}

// RunCall is one command of a list.
type RunCall struct {
	Kind        RunKind
	GPU, Stream int
	After       [2]int // the range of words that are the numbers of the commands to wait for
	To, From    int    // GPUs, by their place in the list of OpOpen
	Dst, Src    uint64 // addresses
	Bytes       int
	At          int // of the bytes in the arena's data
	Launch      LaunchCall

	Queued bool // it was queued on its stream
	// Done means that the command has ended; Start and End are then its times as by Monotonic. Launch.Seconds is the
	// time between events around a launch without the events' overhead.
	Done       bool
	Start, End float64
}

// Run returns the place where the parent describes a list.
func (c *Channel) Run() *RunHead { return (*RunHead)(unsafe.Pointer(&c.mem[callAt])) }

// queueBytes is the length of the first part of the arena, before the data.
func queueBytes(calls, words int) int {
	return (calls*int(unsafe.Sizeof(RunCall{})) + words*4 + 4095) &^ 4095
}

// Room returns how many bytes of the arena a list takes.
func Room(calls, words, data int) int { return queueBytes(calls, words) + data }

// Queue returns the parts of the arena: the list, its words, and the data.
func (c *Channel) Queue(calls, words int) (list []RunCall, after []int32, data []byte) {
	end := calls * int(unsafe.Sizeof(RunCall{}))
	return unsafe.Slice((*RunCall)(unsafe.Pointer(unsafe.SliceData(c.arena))), calls),
		unsafe.Slice((*int32)(unsafe.Pointer(&c.arena[end])), words),
		c.arena[queueBytes(calls, words):]
}

// Touch maps the first n bytes of the arena, whose contents are lost.
func (c *Channel) Touch(n int) {
	for i := 0; i < n; i += 4096 {
		c.arena[i] = 0
	}
}

// check rejects a list that is not one.
func (c *Channel) check(r *RunHead) error {
	if r.Calls < 0 || r.Calls > MaxCalls || r.Words < 0 || Room(r.Calls, r.Words, 0) > len(c.arena) {
		return fmt.Errorf("the hardware child knows no such list (%d commands, %d words)", r.Calls, r.Words)
	}
	return nil
}
