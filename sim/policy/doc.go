// Package policy defines the policies of a simulated GPU that user code can replace:
//
//   - WarpScheduler selects the warp that a sub-core issues (parameter issue.scheduler).
//   - BlockDispatch selects the SM for a block (launch.order).
//   - AddressHash maps addresses to L2 slices and DRAM channels (l2.hash, dram.hash).
//   - Replacement selects the L1 line to evict (l1.replacement).
//   - AtomicUnit determines the time of atomics at an L2 slice (atomic.unit).
//
// To add a policy, implement the interface, register it under a name from an init function, and select it by its
// parameter:
//
//	func init() {
//		policy.RegisterReplacement("mru", func(uint64) policy.Replacement { return &mru{} })
//	}
//
//	cfg.Set("l1.replacement", "mru")     // or on the command line: --set l1.replacement=mru
//
// The registered function creates a policy. It is called for each machine, and for each part of a machine that has its
// own policy (each sub-core, L1, slice), so that machines in one process share no state. The results of a policy must
// depend only on its arguments, on earlier calls and on the seed that it was created with, so that a simulation gives
// the same result on every run. The methods of a machine's policies are called from one goroutine at a time.
package policy
