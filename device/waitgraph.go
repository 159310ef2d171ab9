package device

import (
	"encoding/json"
	"fmt"
)

// WaitGraph says why a kernel does not end: who waits for what, which lines of the source could
// end each wait, and why nobody executes them. It is plain data; package internal/diagnosis/waitfor
// computes it and draws it.
type WaitGraph struct {
	Device    string         `json:"device"` // such as "sim:k40"
	Kernel    string         `json:"kernel"`
	GPU       *int           `json:"gpu,omitempty"` // of a group that the kernel runs on; nil on a single device
	Grid      [3]int         `json:"grid"`          // blocks along x, y, z
	Block     [3]int         `json:"block"`         // threads per block along x, y, z
	Waiters   []Waiter       `json:"waiters"`       // by number of threads, most first
	More      int            `json:"more_waiters,omitempty"`
	Residency *Residency     `json:"residency,omitempty"` // nil if the device does not know it
	Causes    []WaitingCause `json:"causes"`              // the most useful first
	// Forgotten says why it is not known who wrote the words that are waited for; "" if it is known, or if threads wait
	// for none.
	Forgotten string   `json:"past_unknown,omitempty"`
	Advice    []Advice `json:"what_to_change"` // what would make the kernel end, the most useful first
	Text      string   `json:"text"`           // all of it as text, on one screen; with that of Others
	// Others are the kernels that wait on other GPUs of the group.
	Others []*WaitGraph `json:"other_gpus,omitempty"`
}

// Advice is a change that would make a kernel end.
type Advice struct {
	Text string `json:"text"`
	// Tried is set if the launch was run again with the change, and ended. A change with which it did not end is no advice.
	Tried bool `json:"tried"`
	// Trial says what was seen: "with that the launch ends". Of advice that was not tried it says why, if there is a
	// reason besides that the change is none of one instruction or of the launch: "the launch is too long to be run again".
	Trial string `json:"trial,omitempty"`
}

// String returns the advice with what is known of it.
func (a Advice) String() string {
	switch {
	case a.Tried:
		return a.Text + " (checked: " + a.Trial + ")"
	case a.Trial != "":
		return a.Text + " (not tried: " + a.Trial + ")"
	}
	return a.Text + " (not tried)"
}

// UnmarshalJSON reads advice; a mere text is advice of an earlier version, of which it is not known whether it was tried.
func (a *Advice) UnmarshalJSON(text []byte) error {
	type plain Advice
	if len(text) > 0 && text[0] == '"' {
		*a = Advice{}
		return json.Unmarshal(text, &a.Text)
	}
	return json.Unmarshal(text, (*plain)(a))
}

// Threads is a set of threads: these lanes of these warps of these blocks.
type Threads struct {
	Blocks []Span `json:"blocks"`          // indices in the grid, x fastest
	Warps  []Span `json:"warps,omitempty"` // indices in the block; left out: all, or unknown
	Lanes  Lanes  `json:"lanes,omitempty"` // 0: all of each warp, or unknown
	Count  int    `json:"threads"`         // number of threads
}

// Span is a range of numbers; Last belongs to it.
type Span struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Lanes is a mask of lanes; it is written as 8 hexadecimal digits.
type Lanes uint32

// MarshalText returns the mask as 8 hexadecimal digits.
func (l Lanes) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%08x", uint32(l)), nil }

// UnmarshalText reads what MarshalText writes.
func (l *Lanes) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%x", (*uint32)(l))
	return err
}

// WaitKind is the kind of what threads wait for.
type WaitKind string

// The kinds of waits.
const (
	WaitMemory      WaitKind = "memory"        // a loop that reads a word until it has another value
	WaitBarrier     WaitKind = "barrier"       // Sync and its kin: the whole block
	WaitNamed       WaitKind = "named barrier" // SyncNamed
	WaitCluster     WaitKind = "cluster"       // WaitCluster
	WaitRegisters   WaitKind = "registers"     // TakeRegisters: those of the block
	WaitWarp        WaitKind = "warp"          // a collective, for the lanes that its mask names
	WaitReconverge  WaitKind = "reconvergence" // for lanes of the same warp on the other side of a branch
	WaitLoop        WaitKind = "loop"          // a loop that does not depend on a word that is known
	WaitTurn        WaitKind = "turn"          // they could run, and have not ended
	WaitHeld        WaitKind = "held"          // they could run, and a schedule or a policy does not let them
	WaitHostTimeout WaitKind = "deadline"      // a real device: they still ran when a deadline passed
)

// Waiter is a group of threads that wait for the same thing at the same place.
type Waiter struct {
	ID int `json:"id"`
	Threads
	Kind WaitKind `json:"kind"`
	At   []Frame  `json:"at"`   // innermost first, followed by the inlined calls
	What string   `json:"what"` // "until arrived[0] == 61; it is 60"
	// Word is what a WaitMemory reads.
	Word *Word `json:"word,omitempty"`
	// Arrived and Expected are numbers of threads, for WaitBarrier, WaitNamed and WaitCluster; for WaitRegisters, of
	// registers of a thread: those that are free, and those that are wanted.
	Arrived  int `json:"arrived,omitempty"`
	Expected int `json:"expected,omitempty"`
	// Missing are the threads that a barrier or a collective waits for.
	Missing []Holder `json:"missing,omitempty"`
	// Writers are the lines that could change the word.
	Writers []Writer `json:"writers,omitempty"`
	// Lines are the lines of a WaitLoop, in the file of At[0], and Changes the words that it
	// changes, at most 4.
	Lines *Span `json:"lines,omitempty"`
	// Unsettled is for how many instructions the loop was executed without coming back to a state that it has had; 0 if
	// it came back to one.
	Unsettled int      `json:"steps_without_recurrence,omitempty"`
	Changes   []Change `json:"changes,omitempty"`
}

// Change is a word that a loop changes, and the values that it has meanwhile, at most 5, of which a text shows 4.
type Change struct {
	Word   string   `json:"word"` // "arrived[0]"
	Values []string `json:"values"`
}

// Word is a word of memory that is waited for, or several of one array.
type Word struct {
	Space   string   `json:"space"`            // "global" or "shared"
	Remote  bool     `json:"remote,omitempty"` // in the shared memory of another block of the cluster
	Buffer  string   `json:"buffer"`           // as the host or the source calls it
	Scalar  bool     `json:"scalar,omitempty"` // a variable that is no array: Indices are 0
	Indices []Span   `json:"indices"`
	Until   string   `json:"until,omitempty"` // "arrived[0] == 61"; "" if the condition is not simple
	Values  []string `json:"values"`          // the distinct values that it has, at most 5, of which a text shows 4
	// Ends are values with which the loop was found to end, if it has no simple condition.
	Ends []string `json:"ends_with,omitempty"`
	// Written is who wrote the value that it has; nil if that is not known.
	Written *Write `json:"written,omitempty"`
	// Cached are the values that the waiting threads read if those are older than in memory.
	Cached []string `json:"cached_values,omitempty"`
}

// Write is a write of a word that is waited for: the one after which the wait could not end any more, or else the last
// one.
type Write struct {
	Threads
	At   []Frame `json:"at"`
	Op   string  `json:"op"`
	Word string  `json:"word"` // "lock[0]"
	Old  string  `json:"old"`
	New  string  `json:"new"`
	Then string  `json:"then,omitempty"` // "which has left the kernel at a.go:7"
	// Closed is set if the wait would have ended with the value before.
	Closed bool `json:"closed"`
}

// Writer is a line that could change a word that is waited for.
type Writer struct {
	At    []Frame `json:"at"`
	Op    string  `json:"op"`              // "AtomicAdd", "Store", "an assignment"
	Value string  `json:"value,omitempty"` // what it stores, if that is known
	Guard string  `json:"guard,omitempty"` // which threads execute it: "t.Block() == 0"
	Ends  bool    `json:"could_end"`       // some thread may get there, and what it stores could end the wait
	// Executed are threads that have executed it already for sure.
	Executed *Threads `json:"executed,omitempty"`
	Holders  []Holder `json:"holders"` // who would execute it, and why they do not
	// Unexamined is the number of threads of a large grid of which it is not known whether they would execute it.
	Unexamined int `json:"unexamined_threads,omitempty"`
	// Of is the launch of a group that has the line, if it is another one than that which waits:
	// "k in command 1 on GPU 1". Why says why it does not execute the line.
	Of  string `json:"of,omitempty"`
	Why string `json:"why,omitempty"`
}

// Holder is a set of threads that would end a wait, and why they do not.
type Holder struct {
	Threads
	Cause  CauseKind `json:"cause"`
	Waiter int       `json:"waiter"` // the group that they wait in; -1 if they do not wait
	At     []Frame   `json:"at,omitempty"`
}

// CauseKind is why threads do not end the wait of others.
type CauseKind string

// The causes.
const (
	CauseNotResident  CauseKind = "not resident"
	CauseReconverge   CauseKind = "behind the reconvergence point of its own warp"
	CauseBarrier      CauseKind = "at a barrier that cannot complete"
	CauseCycle        CauseKind = "in the same cycle of waiting"
	CauseOverwritten  CauseKind = "value overwritten"
	CauseStale        CauseKind = "stale in L1"
	CauseNotReleased  CauseKind = "taken and not given back"
	CauseNotPassed    CauseKind = "its turn was not passed on"
	CauseReused       CauseKind = "changed again before all had seen it"
	CauseNoWriter     CauseKind = "no line writes it"
	CauseExited       CauseKind = "the threads that would have exited"
	CauseWaitsItself  CauseKind = "waits for something else"
	CauseMaskMismatch CauseKind = "lanes that its mask names are elsewhere"
	// CauseRegisters: nobody gives registers back that others wait for.
	CauseRegisters  CauseKind = "registers that no warp gives back"
	CauseHeld       CauseKind = "held back by the schedule"
	CauseRunning    CauseKind = "runs"
	CauseArrivals   CauseKind = "arrivals are missing at an mbarrier"
	CauseBytes      CauseKind = "bytes are missing at an mbarrier"
	CausePhase      CauseKind = "a phase of an mbarrier in which nobody arrives"
	CauseEarly      CauseKind = "a phase of an mbarrier that was complete too early"
	CauseUnexamined CauseKind = "not all threads were examined"
)

// WaitingCause is a reason why a kernel does not end.
type WaitingCause struct {
	Kind    CauseKind `json:"kind"`
	Text    string    `json:"text"`
	Waiters []int     `json:"waiters"` // the groups that wait for this reason, by ID; for a cycle in its order
}

// Residency says how a launch fits on its device.
type Residency struct {
	Blocks          int    `json:"blocks"`        // of the grid
	Placed          int    `json:"placed"`        // blocks that have started
	Ended           int    `json:"ended"`         // blocks that have ended
	PerSM           int    `json:"blocks_per_sm"` // that fit
	SMs             int    `json:"sms"`
	Limit           string `json:"limit"`             // the resource that is full: "registers"
	LargestGrid     int    `json:"largest_safe_grid"` // the largest grid whose blocks are all resident at once
	Registers       int    `json:"registers_per_thread"`
	ThreadsPerBlock int    `json:"threads_per_block"`
	Shared          int    `json:"shared_bytes_per_block"`
	// FewerRegisters is the largest number of registers per thread with which one more block
	// fits on an SM, if registers are what is full and such a number exists; else 0.
	FewerRegisters int `json:"registers_for_one_more_block,omitempty"`
	// EnoughRegisters is the largest number with which all blocks fit; 0 likewise.
	EnoughRegisters int `json:"registers_for_all_blocks,omitempty"`
}
