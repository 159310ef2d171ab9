package hangs

import (
	"fmt"

	"github.com/weft-gpu/weft/scheduler"
)

// simtLock describes the hang of locks among lanes.
const simtLock = `ElTantawy and Aamodt, "MIMD Synchronization on SIMT Architectures", MICRO 2016`

func locks() []*Scenario {
	return []*Scenario{
		lockScenario("lock-plain", "a test-and-set lock", simtLock, "CountPlain", false),
		lockScenario("lock-backoff", "a test-and-set lock with exponential back-off", `Anderson, "The Performance of Spin Lock Alternatives for Shared-Memory Multiprocessors", IEEE TPDS 1990`, "CountBackoff", false),
		lockScenario("lock-ticket", "a ticket lock", mcs, "CountTicket", false),
		lockScenario("lock-inside", "a test-and-set lock that is released in the loop that acquires it", `Ramamurthy, "Towards Scalar Synchronization in SIMT Architectures", 2011`, "CountInside", true),
		orderScenario(),
	}
}

// The contenders for a lock.
const (
	lanes  = "lanes"
	blocks = "blocks"
)

// lockScenario returns the scenario of a lock of package internal/kernels/lock; inside is set if a lane that has
// the lock does not leave the loop with it.
func lockScenario(name, title, source, kernel string, inside bool) *Scenario {
	return &Scenario{
		Name: name, Title: title, Source: source,
		Why: "With a reconvergence stack, before Volta, a lane that has left the loop with the lock waits behind it for the other lanes of its warp, which " +
			"wait for the lock. It ends where lanes make progress independently, where one lane of a warp competes, and where the lock is released inside the loop. " +
			"Blocks that compete do not hang: the holder runs.",
		Params: []scheduler.Param{
			blocksParam("1", "blocks of the grid"), threadsParam("32", 1),
			word("who", lanes, "who competes: all lanes, or one thread of each block", lanes, blocks),
			number(rounds, "round", "4", 1, 10_000, "how often each takes the lock"),
		},
		Cases:  cases(map[string]string{"who": lanes}, map[string]string{"who": blocks, Threads: "1024", Blocks: "fit+1"}),
		kernel: func(Values) string { return "internal/kernels/lock." + kernel },
		arguments: func(m *memory, l layout) []any {
			every := 1
			if l.Word("who") == blocks {
				every = l.threads
			}
			return []any{m.words("lock", 2), uint32(every), l.word32(rounds), m.words("count", 1)}
		},
		check: func(m *memory, l layout) (string, error) {
			want := l.grid * l.Int(rounds)
			if l.Word("who") == lanes {
				want *= l.threads
			}
			if n := int(m.read("count")[0]); n != want {
				return "", fmt.Errorf("the count is %d and not %d: the lock did not exclude others", n, want)
			}
			return "", nil
		},
		expect: func(s Situation) Expectation {
			switch {
			case s.Word("who") == blocks || s.Threads == 1:
				return must(Ends, "the holder runs, also if other blocks are not resident")
			case s.IndependentLanes:
				return must(Ends, "each lane makes progress, also one that has the lock")
			case inside:
				return must(Ends, "a lane that has the lock releases it before the lanes of its warp meet again")
			}
			return must(Hangs, "the lane that has the lock waits behind the loop for the others of its warp, which wait for the lock")
		},
	}
}

// orderScenario has two locks that are taken in opposite order.
func orderScenario() *Scenario {
	return &Scenario{
		Name: "lock-order", Title: "two locks, taken in opposite order by two blocks", Source: `Coffman, Elphick and Shoshani, "System Deadlocks", ACM Computing Surveys 1971`,
		Why: "Each block holds the lock that the other one waits for. It ends if all take the locks in the same order.",
		Params: []scheduler.Param{
			threadsParam("32", 32), word("order", "opposite", "the order of the locks in the second block", "opposite", "same"),
			number("hold", "ns", "20000", 0, 1_000_000, "how long a block has the first lock before it asks for the second; long, so that both meet there"),
			number(rounds, "round", "2", 1, 10_000, "how often each block takes both locks"),
		},
		Cases:  cases(map[string]string{"order": "opposite"}, map[string]string{"order": "same"}),
		blocks: 2,
		kernel: func(Values) string { return "internal/kernels/lock.Order" },
		arguments: func(m *memory, l layout) []any {
			opposite := uint32(0)
			if l.Word("order") == "opposite" {
				opposite = 1
			}
			return []any{m.words("locks", 2), opposite, l.word32("hold"), l.word32(rounds), m.words("count", 1)}
		},
		check: func(m *memory, l layout) (string, error) {
			if n := int(m.read("count")[0]); n != l.grid*l.Int(rounds) {
				return "", fmt.Errorf("the count is %d and not %d: the locks did not exclude others", n, l.grid*l.Int(rounds))
			}
			return "", nil
		},
		expect: func(s Situation) Expectation {
			switch {
			case s.Word("order") == "same":
				return must(Ends, "the block that has the first lock gets the second")
			case s.Resident < 2:
				return must(Ends, "only one block runs at a time")
			case s.Int("hold") < 5000:
				return either("whether both blocks hold a lock at the same time depends on when they start", Hangs, Ends)
			}
			return must(Hangs, "each block holds the lock that the other one waits for")
		},
	}
}
