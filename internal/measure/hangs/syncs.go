package hangs

import (
	"fmt"

	"github.com/weft-gpu/weft/scheduler"
)

func syncs() []*Scenario {
	return []*Scenario{
		syncScenario("sync-branches", "Sync in both branches of a condition that differs by lane", "Branches",
			"Where threads arrive one by one, the two calls are one barrier. Before Volta a warp arrives with its first branch, and goes on before its second branch has come.",
			func(s Situation) Expectation {
				switch {
				case s.Strict:
					return must(Faults, "the device does not accept two calls of Sync for one barrier")
				case s.SyncByWarp:
					return must(Wrong, "the warp arrives with its first branch, and its threads do not find what the second one stores")
				case !s.IndependentLanes:
					return must(Hangs, "the warp waits for its second branch, which a reconvergence stack runs behind the first")
				}
				return must(Ends, "each thread arrives, in whichever branch")
			}, nil),
		syncScenario("sync-divergent", "Sync for a part of each warp, for which the rest waits", "Divergent",
			"Where threads arrive one by one, the even lanes wait for the odd ones at the barrier of the block, and the odd lanes for the even ones at that of the warp. "+
				"Call Sync where all threads of the block come.",
			func(s Situation) Expectation {
				if s.SyncByWarp {
					return must(Ends, "a warp arrives with one of its lanes")
				}
				return must(Hangs, "even lanes wait for odd ones at the barrier of the block, and odd lanes for even ones at that of the warp")
			}, func(l layout) int { return l.threads }),
		syncScenario("sync-left", "Sync after some threads have returned", "Left",
			"Threads that have exited are not waited for, as individual lanes since Volta, and as whole warps before.",
			func(Situation) Expectation { return must(Ends, "nobody waits for threads that have exited") },
			func(l layout) int { return (l.threads - 32) / 2 }),
		syncScenario("sync-left-named", "a named barrier for more threads than are left", "LeftNamed",
			"A named barrier waits for a number of threads that the kernel gives. Here the number includes the first warp, which has returned. Pass the number of threads that take part.",
			func(Situation) Expectation { return must(Hangs, "the barrier expects the warp that has returned") }, nil),
		syncScenario("sync-flag", "a warp that waits before Sync for what another one does after it", "FlagBehind",
			"The first warp waits for a flag, and the last one sets it behind a barrier that the first warp has not reached.",
			func(Situation) Expectation {
				return must(Hangs, "the warp that sets the flag waits at the barrier for the one that waits for the flag")
			}, nil),
	}
}

// syncScenario returns the scenario of a kernel of package internal/kernels/barrier for one block. passed
// returns how many threads pass its barrier if it ends; nil if the kernel checks something else.
func syncScenario(name, title, kernel, why string, expect func(Situation) Expectation, passed func(layout) int) *Scenario {
	s := &Scenario{
		Name: name, Title: title, Source: cuda + ", synchronization functions; PTX ISA, bar and barrier", Why: why,
		Params: []scheduler.Param{threadsParam("64", 64)}, Cases: cases(map[string]string{}), blocks: 1,
		kernel: func(Values) string { return "internal/kernels/barrier." + kernel },
		arguments: func(m *memory, _ layout) []any {
			if kernel == "FlagBehind" {
				return []any{m.words("flag", 1), m.words("passed", 1)}
			}
			return []any{m.words("passed", 1)}
		},
		check: func(m *memory, l layout) (string, error) {
			if n := int(m.read("passed")[0]); passed != nil && n != passed(l) {
				return "", fmt.Errorf("%d threads passed the barrier, and not %d", n, passed(l))
			}
			return "", nil
		},
		expect: expect,
	}
	if kernel == "Branches" {
		s.arguments = func(m *memory, l layout) []any { return []any{m.words("numbers", l.threads), m.words("early", 1)} }
		s.check = func(m *memory, _ layout) (string, error) {
			if n := m.read("early")[0]; n > 0 {
				return "", fmt.Errorf("%d threads did not find what their neighbor stored before the barrier", n)
			}
			return "", nil
		}
	}
	return s
}
