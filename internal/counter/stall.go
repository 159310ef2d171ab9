package counter

import "strings"

// Stall is why a warp does not issue in a cycle. Every cycle of a resident warp has one.
type Stall uint8

// The reasons that the simulator tells apart.
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

// StallInfo is one reason for which a warp does not issue.
type StallInfo struct {
	Name string // the name that it has in counters and profiles
	Desc string // what the warp waits for
}

// Stalls are the reasons for which a warp does not issue (and one that it does), by
// Stall; behind them those that a GPU has and the simulator does not. Of what Nsight Compute
// knows, the reasons of textures and tensor cores are left out.
var Stalls = [...]StallInfo{
	StallStart:       {"no_instruction", "its block was placed and its first instruction is not there yet"},
	StallNotSelected: {"not_selected", "it could issue and another warp of its sub-core did"},
	StallWait:        {"wait", "a result of fixed latency"},
	StallShort:       {"short_scoreboard", "a result of shared memory, a special function, a vote or a shuffle"},
	StallLong:        {"long_scoreboard", "a result of global or local memory"},
	StallBarrier:     {"barrier", "a barrier of its block"},
	StallMembar:      {"membar", "a memory fence, or the accesses before a release or after an acquire"},
	StallBranch:      {"branch_resolving", "a branch"},
	StallMath:        {"math_pipe_throttle", "the pipe it needs is busy"},
	StallLG:          {"lg_throttle", "the queue of the load-store unit is full"},
	StallMIO:         {"mio_throttle", "the shared memory pipe is busy"},
	StallSleeping:    {"sleeping", "Sleep"},
	StallDrain:       {"drain", "it has ended, its stores are under way"},
	StallSelected:    {"selected", "nothing: it issues"},

	NumStalls:     {"dispatch_stall", "the dispatcher of its sub-core"},
	NumStalls + 1: {"imc_miss", "a constant that the constant cache does not hold"},
}

// String is the name in counters and profiles.
func (s Stall) String() string { return Stalls[s].Name }

const (
	stallPrefix = "smsp__average_warps_issue_stalled_"
	stallSuffix = "_per_issue_active.ratio"
)

// Counter is the name of the counter of a reason: warps that wait for it, for
// each instruction issued.
func (s *StallInfo) Counter() string { return stallPrefix + s.Name + stallSuffix }

// StallOf is the reason that a counter is about.
func StallOf(name string) (reason string, ok bool) {
	reason, ok = strings.CutPrefix(name, stallPrefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(reason, stallSuffix)
}

// StallNames are the names of the simulator's reasons, by Stall.
func StallNames() []string {
	list := make([]string, NumStalls)
	for i := range list {
		list[i] = Stalls[i].Name
	}
	return list
}
