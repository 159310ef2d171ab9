package policy

// A Control decides what a machine leaves to chance or to its policies: in which order the blocks of a launch are
// placed, and which warp takes the next memory step. Schedule is one that follows a list, and Model one that is as
// unhelpful as a progress model allows. A machine without a Control spends no time on it.
type Control interface {
	// Begin returns what controls a launch. Either may be nil, for what the machine does by itself. An error ends the
	// launch before it begins.
	Begin(l Launch) (BlockOrder, StepOrder, error)
}

// Launch describes a launch that begins.
type Launch struct {
	Index  int // launches of the device before it
	Blocks int // blocks of the grid
	Warps  int // warps of a block
	Room   int // blocks of the launch that fit on the machine at once; with clusters, those of whole clusters
	// Cluster is the number of blocks of a cluster, which are placed together; 0 means 1.
	Cluster int
	Seed    uint64
	Kernel  string
	Source  func(pc int) string // the place of an instruction in the source: "file:line:col"
}

// BlockOrder selects the block that is placed next.
type BlockOrder interface {
	// Next returns the number of a block that has not been placed, or -1 if none is to be placed before another block
	// has ended; it must not be -1 if all placed blocks have ended. The block is placed as soon as an SM has room. With
	// clusters, a block stands for its cluster: all blocks of that are placed, and Next must return none of them again.
	Next() int
	// Ended reports that a block has ended.
	Ended(block int)
}

// Step is a memory step: an instruction by which lanes of a warp access global or shared memory together. A fence, a
// barrier and an access to local memory are none.
type Step struct {
	Launch int    // launches of the device before this one
	Block  int    // index in the grid
	Warp   int    // index in the block
	Number int    // memory steps that the warp has taken before
	Lanes  uint32 // that take the step
	PC     int    // of the instruction in the program
	Write  bool   // a store or an atomic
	// Addrs has the addresses of Lanes; it is nil for a step that waits.
	Addrs *[32]uint64
	Waits uint64 // cycles for which it has waited
}

// StepOrder decides when the warps of a launch take memory steps. A warp that waits for its step issues nothing else.
// If it has a method String, that names it in messages, such as "the schedule".
type StepOrder interface {
	// Holds is called before each memory step and reports whether it has to wait until Next selects it.
	Holds(s *Step) bool
	// Next selects the steps that go on, by their index in waiting, which is in the order in which they began to wait.
	// It may leave only some of waiting[i].Lanes: the other lanes continue to wait. It is called regularly while steps
	// wait. If idle is set, nothing can happen any more but steps that wait, or all other warps repeat themselves: if
	// Next selects none then, they wait for ever. An error ends the launch.
	Next(waiting []Step, idle bool) (chosen []int, err error)
	// ByLane reports whether diverged lanes of a warp wait each on their own, so that others of the warp can go on. It
	// has an effect on machines with independent thread scheduling.
	ByLane() bool
	// State returns a number that is equal at two times if what the StepOrder decides from then on is the same.
	State() uint64
}
