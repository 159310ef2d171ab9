package counter

import "strings"

// Stall is the reason why a warp does not issue in a cycle. Every cycle of a resident warp has one.
type Stall uint8

// The reasons that the simulator distinguishes.
const (
	StallStart Stall = iota
	StallNotSelected
	StallWait
	StallShort
	StallLong
	StallBarrier
	StallMembar
	StallBranch
	StallMath
	StallLG
	StallMIO
	StallSleeping
	StallDrain
	StallSelected
	NumStalls
)

// StallInfo describes one reason.
type StallInfo struct {
	Name string // its name in counters and profiles
	Desc string // what the warp waits for
}

// Stalls are the reasons why a warp does not issue (and "selected", if it does), by Stall, followed by those that only
// a GPU has. The reasons of Nsight Compute that concern textures and tensor cores are omitted.
var Stalls = [...]StallInfo{
	StallStart:       {"no_instruction", "its block has been placed and its first instruction is not available yet"},
	StallNotSelected: {"not_selected", "it could issue, but another warp of its sub-core was selected"},
	StallWait:        {"wait", "a result of fixed latency"},
	StallShort:       {"short_scoreboard", "a result of shared memory, a special function, a vote or a shuffle"},
	StallLong:        {"long_scoreboard", "a result of global or local memory"},
	StallBarrier:     {"barrier", "a barrier of its block"},
	StallMembar:      {"membar", "a memory fence, or the accesses before a release or after an acquire"},
	StallBranch:      {"branch_resolving", "a branch"},
	StallMath:        {"math_pipe_throttle", "the pipe that it needs is busy"},
	StallLG:          {"lg_throttle", "the queue of the load-store unit is full"},
	StallMIO:         {"mio_throttle", "the shared memory pipe is busy"},
	StallSleeping:    {"sleeping", "Sleep"},
	StallDrain:       {"drain", "it has exited, and its stores are in flight"},
	StallSelected:    {"selected", "nothing: it issues an instruction"},

	NumStalls:     {"dispatch_stall", "the dispatcher of its sub-core"},
	NumStalls + 1: {"imc_miss", "a miss in the constant cache"},
}

// String returns the name in counters and profiles.
func (s Stall) String() string { return Stalls[s].Name }

const (
	stallPrefix = "smsp__average_warps_issue_stalled_"
	stallSuffix = "_per_issue_active.ratio"
)

// Counter returns the name of the counter of a reason: warps that wait for it, per issued instruction.
func (s *StallInfo) Counter() string { return stallPrefix + s.Name + stallSuffix }

// StallOf returns the reason that a counter counts.
func StallOf(name string) (reason string, ok bool) {
	reason, ok = strings.CutPrefix(name, stallPrefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(reason, stallSuffix)
}

// StallNames returns the names of the simulator's reasons, by Stall.
func StallNames() []string {
	list := make([]string, NumStalls)
	for i := range list {
		list[i] = Stalls[i].Name
	}
	return list
}
