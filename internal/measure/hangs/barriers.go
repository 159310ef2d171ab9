package hangs

import (
	"fmt"

	"github.com/weft-gpu/weft/scheduler"
)

// Where the barriers come from.
const (
	xiaoFeng = `Xiao and Feng, "Inter-Block GPU Communication via Fast Barrier Synchronization", IPDPS 2010`
	simdX    = `Liu and Huang, "SIMD-X: Programming and Processing of Graph Algorithms on GPUs", USENIX ATC 2019, section 5`
	mcs      = `Mellor-Crummey and Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors", ACM TOCS 1991`
	sorensen = `Sorensen et al., "Portable Inter-workgroup Barrier Synchronisation for GPUs", OOPSLA 2016`
	cuda     = "CUDA C++ Programming Guide"
)

// notResident is why a barrier of a grid that is too large hangs.
const notResident = "a block that is not resident starts when another one ends, and none ends before the barrier: launch as many blocks as fit, or cooperatively"

func barriers() []*Scenario {
	few, one := map[string]string{Blocks: "fit"}, map[string]string{Blocks: "fit+1"}
	return []*Scenario{
		gridBarrier("barrier-counter", "a barrier of the grid on one counter", xiaoFeng+", section 5.1", "Counter", one, few),
		withRegisters(gridBarrier("barrier-locks", "the lock-array barrier of the grid with a monitor block", xiaoFeng+", section 5.3", "Locks", one, few), "0"),
		simdxScenario(),
		gridBarrier("barrier-sense", "a sense-reversing barrier of the grid", mcs+", algorithm 7", "Sense", one, few),
		gridBarrier("barrier-tree", "a hierarchical barrier of the grid", xiaoFeng+", section 5.2", "Tree", one, few),
		leftScenario(),
		cooperativeScenario(),
		discoveryScenario(),
	}
}

// gridBarrier returns the scenario of barrier.Meet with a barrier of that package.
func gridBarrier(name, title, source, barrier string, sets ...map[string]string) *Scenario {
	return &Scenario{
		Name: name, Title: title, Source: source, Why: "A grid that is larger than the machine hangs: " + notResident + ".",
		Params: []scheduler.Param{blocksParam("fit+1", "blocks of the grid"), threadsParam("1024", 32), roundsParam()},
		Cases:  sets,
		kernel: func(Values) string { return "internal/kernels/barrier.Meet" + barrier },
		arguments: func(m *memory, l layout) []any {
			return meetArguments(m, l, l.word32(rounds))
		},
		check: checkMeet,
		expect: func(s Situation) Expectation {
			if s.Blocks > s.Resident {
				return must(Hangs, "of %d blocks, %d are resident; %s", s.Blocks, s.Resident, notResident)
			}
			return must(Ends, "all blocks are resident")
		},
	}
}

func roundsParam() scheduler.Param {
	return number(rounds, "round", "2", 1, 10_000, "how often the blocks meet")
}

// meetArguments returns the arguments of barrier.Meet.
func meetArguments(m *memory, l layout, stay uint32) []any {
	return []any{m.words("words", 2*l.grid+2), l.word32(rounds), stay, m.words("met", l.grid), m.words("early", 1)}
}

// checkMeet checks that all blocks met in all rounds, and that none went on before.
func checkMeet(m *memory, l layout) (string, error) {
	if n := m.read("early")[0]; n > 0 {
		return "", fmt.Errorf("%d times a thread passed the barrier before all blocks had come", n)
	}
	if !all(m.read("met"), l.word32(rounds)) {
		return "", fmt.Errorf("not every block passed %d barriers", l.Int(rounds))
	}
	return "", nil
}

// withRegisters adds the parameter of registers to a scenario of the lock-array barrier.
func withRegisters(s *Scenario, value string) *Scenario {
	s.Params = append(s.Params, registersParam(value))
	return s
}

// simdxScenario is the example of SIMD-X: 110 registers and 128 threads on a K40, with 60 blocks. Its
// formula counts registers alone.
func simdxScenario() *Scenario {
	set := func(registers, blocks string) map[string]string {
		return map[string]string{Registers: registers, Blocks: blocks}
	}
	s := withRegisters(gridBarrier("barrier-simdx", "the lock-array barrier with the grid that SIMD-X computes from registers", simdX, "Locks",
		set("110", "eq1"), set("110", "eq1+1"), set("24", "eq1"), set("24", "fit")), "110")
	s.Why = "Equation 1 divides the registers of an SM by those of a block. Where another resource is full first, such as the block slots with " +
		"small kernels, it counts blocks as resident that are not: " + notResident + "."
	s.Params[0].Default, s.Params[1] = eq1, threadsParam("128", 32)
	return s
}

// leftScenario has a block that returns early.
func leftScenario() *Scenario {
	s := gridBarrier("barrier-left", "a barrier of the grid that a block does not reach", "a return in front of a barrier; "+cuda+", cooperative groups: all threads of the grid must take part", "Counter",
		map[string]string{"stay": "1"}, map[string]string{"stay": "2"})
	s.Why = "The last block returns after some rounds, and all others wait for it, whatever the machine is."
	s.Params[0].Default = "2"
	s.Params = append(s.Params, number("stay", "round", "1", 0, 10_000, "rounds that the last block takes part in"))
	s.arguments = func(m *memory, l layout) []any { return meetArguments(m, l, l.word32("stay")) }
	inner := s.expect
	s.expect = func(s Situation) Expectation {
		if s.Blocks > 1 && s.Int("stay") < s.Int(rounds) {
			return must(Hangs, "block %d returns after round %d, and the others wait for it in the next one", s.Blocks-1, s.Int("stay"))
		}
		return inner(s)
	}
	check := s.check
	s.check = func(m *memory, l layout) (string, error) {
		if l.grid == 1 && l.Int("stay") < l.Int(rounds) {
			return "the only block returned early", nil
		}
		return check(m, l)
	}
	return s
}

// cooperativeScenario launches cooperatively, so that a grid that is too large is not launched.
func cooperativeScenario() *Scenario {
	s := gridBarrier("barrier-cooperative", "a barrier of the grid in a cooperative launch", cuda+", cooperative groups: grid synchronization", "Counter",
		map[string]string{Blocks: "fit+1"}, map[string]string{Blocks: "fit"})
	s.Why = "A cooperative launch is rejected if its blocks cannot all be resident, so the barrier never hangs for that reason. The number of blocks " +
		"comes from the device's occupancy."
	s.Params[0].Default, s.cooperative = fit, true
	s.expect = func(s Situation) Expectation {
		if s.Blocks > s.Resident {
			return must(Rejected, "of %d blocks, only %d can be resident, and the device says so before it starts any", s.Blocks, s.Resident)
		}
		return must(Ends, "all blocks are resident")
	}
	return s
}

// discoveryScenario is occupancy discovery, which takes any grid.
func discoveryScenario() *Scenario {
	s := gridBarrier("barrier-discovery", "a barrier among the blocks that are found to be resident", sorensen+", section 5", "",
		map[string]string{Blocks: "fit"}, map[string]string{Blocks: "2*fit"})
	s.Why = "Blocks that run count themselves until the first of them has come twice; later ones return at once. So the barrier has only members that are " +
		"resident, and never hangs."
	s.Params[0].Default = "2*fit"
	s.kernel = func(Values) string { return "internal/kernels/barrier.Discover" }
	s.arguments = func(m *memory, l layout) []any {
		return []any{m.words("words", 6), l.word32(rounds), m.words("met", l.grid), m.words("early", 1), m.words("found", 1)}
	}
	s.check = func(m *memory, l layout) (string, error) {
		found, took := m.read("found")[0], uint32(0)
		for _, n := range m.read("met") {
			if n == l.word32(rounds) {
				took++
			} else if n > 0 {
				return "", fmt.Errorf("a block passed %d barriers of %d", n, l.Int(rounds))
			}
		}
		if n := m.read("early")[0]; n > 0 {
			return "", fmt.Errorf("%d times a thread passed the barrier before all blocks had come", n)
		}
		if found == 0 || took != found {
			return "", fmt.Errorf("%d blocks were found and %d took part", found, took)
		}
		return fmt.Sprintf("%d of %d blocks were found to be resident", found, l.grid), nil
	}
	s.expect = func(Situation) Expectation { return must(Ends, "only blocks that run take part, whatever the grid is") }
	return s
}
