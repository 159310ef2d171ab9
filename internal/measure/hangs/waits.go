package hangs

import (
	"fmt"

	"github.com/weft-gpu/weft/scheduler"
)

func waits() []*Scenario {
	return []*Scenario{exchangeScenario(), wakeupScenario(), staleScenario(), queueScenario()}
}

// exchangeScenario has producers and consumers in different blocks.
func exchangeScenario() *Scenario {
	kernels := map[string]string{"consumers": "ConsumersFirst", "producers": "ProducersFirst", "arrival": "ByArrival"}
	const items = "items"
	return &Scenario{
		Name: "producer-consumer", Title: "producers and consumers in different blocks", Source: `the ring is that of Lamport, "Specifying Concurrent Program Modules", ACM TOPLAS 1983; roles in order of arrival as in Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016`,
		Why: "Blocks start in the order of their numbers. If one role has the first half of the grid, it may fill the machine, and waits for blocks that never start. " +
			"It ends if blocks take their roles in the order in which they start.",
		Params: []scheduler.Param{
			blocksParam("2*fit", "blocks of the grid, half of them producers"), threadsParam("1024", 32),
			word("first", "consumers", "who has the first half of the grid; arrival: roles alternate in the order in which blocks start", "consumers", "producers", "arrival"),
			number("capacity", "item", "4", 1, 1024, "slots of a ring"), number(items, "item", "16", 1, 10_000, "items that each producer makes"),
		},
		Cases: cases(map[string]string{"first": "consumers"}, map[string]string{"first": "producers"}, map[string]string{"first": "producers", "items": "4"},
			map[string]string{"first": "arrival"}, map[string]string{Blocks: "fit"}),
		multiple: 2,
		kernel:   func(v Values) string { return "internal/kernels/lock.Exchange" + kernels[v.Word("first")] },
		arguments: func(m *memory, l layout) []any {
			pairs := l.grid / 2
			return []any{m.words("rings", pairs*l.Int("capacity")), l.word32("capacity"), m.words("ends", 2*pairs), m.words("arrived", 1), l.word32(items), m.words("sums", pairs)}
		},
		check: func(m *memory, l layout) (string, error) {
			if n := l.word32(items); !all(m.read("sums"), n*(n+1)/2) {
				return "", fmt.Errorf("not every consumer received the items 1 to %d", n)
			}
			return "", nil
		},
		expect: func(s Situation) Expectation {
			half := s.Blocks / 2
			switch first := s.Word("first"); {
			case first == "arrival" && s.Resident < 2:
				return must(Hangs, "the machine holds one block, and its partner starts when it ends")
			case first == "arrival":
				return must(Ends, "of the two blocks of a pair one starts right after the other")
			case first == "producers" && s.Int(items) <= s.Int("capacity"):
				return must(Ends, "a ring has room for all items, so producers do not wait")
			case half >= s.Resident:
				return must(Hangs, "the first %d blocks are all %s and fill the machine; they wait for blocks that start when one of them ends", s.Resident, first)
			}
			return must(Ends, "some blocks of each role are resident, and the others follow when they end")
		},
	}
}

// wakeupScenario is a condition variable without its lock.
func wakeupScenario() *Scenario {
	return &Scenario{
		Name: "lost-wakeup", Title: "a block that sleeps just after it was to be woken", Source: `Lampson and Redell, "Experience with Processes and Monitors in Mesa", CACM 1980: the wakeup-waiting race`,
		Why: "The waiter finds no answer, the answer comes and nobody is asleep to be woken, and then the waiter goes to sleep. It ends if the waiter looks once more after " +
			"it has announced that it sleeps, with a sequentially consistent fence in between.",
		Params: []scheduler.Param{
			threadsParam("32", 32), word("look", "once", "how often the waiter looks for the answer; again: once more after it has announced that it sleeps", "once", "again"),
			number("pause", "ns", "100000", 0, 1_000_000, "time between looking and announcing; long, so that the answer comes in between"),
		},
		Cases:  cases(map[string]string{"look": "once"}, map[string]string{"look": "again"}),
		blocks: 2,
		kernel: func(Values) string { return "internal/kernels/lock.Request" },
		arguments: func(m *memory, l layout) []any {
			again := uint32(0)
			if l.Word("look") == "again" {
				again = 1
			}
			return []any{m.words("words", 4), again, l.word32("pause"), m.words("received", 1)}
		},
		check: checkReceived,
		expect: func(s Situation) Expectation {
			switch {
			case s.Resident < 2:
				return must(Hangs, "the block that answers starts when the one that waits ends")
			case s.Word("look") == "again":
				return must(Ends, "the waiter looks again after it has announced that it sleeps")
			case s.Int("pause") < 20_000:
				return either("whether the answer comes before the waiter has announced itself depends on the times of both", Hangs, Ends)
			}
			return must(Hangs, "the answer comes before the waiter has announced itself, so nobody wakes it")
		},
	}
}

// checkReceived checks the answer of Request and Flag.
func checkReceived(m *memory, _ layout) (string, error) {
	if n := m.read("received")[0]; n != 42 {
		return "", fmt.Errorf("received %d and not 42", n)
	}
	return "", nil
}

// staleScenario spins on a flag that the L1 keeps.
func staleScenario() *Scenario {
	kernels := map[string]string{"block": "OfBlock", "block-fenced": "OfBlockFenced", "device": "OfDevice"}
	return &Scenario{
		Name: "stale-flag", Title: "a flag that is read from a stale line of the L1", Source: `PTX ISA, memory consistency model: scopes; Alglave et al., "GPU Concurrency: Weak Behaviours and Programming Assumptions", ASPLOS 2015`,
		Why: "A load of block scope may be answered by the L1 of its SM, which is not told of stores of other SMs. The load is no mistake for threads of one block; " +
			"for others it takes device scope, or a fence of device scope before it.",
		Params: []scheduler.Param{
			blocksParam("fit", "blocks of the grid, so many that several SMs have one"), threadsParam("1024", 32),
			word("load", "block", "how the flag is read: with block scope, the same behind a fence of device scope, or with device scope", "block", "block-fenced", "device"),
		},
		Cases:  cases(map[string]string{"load": "block"}, map[string]string{"load": "block-fenced"}, map[string]string{"load": "device"}),
		kernel: func(v Values) string { return "internal/kernels/lock.Flag" + kernels[v.Word("load")] },
		arguments: func(m *memory, _ layout) []any {
			const line = 32 // words, so that no other buffer shares the line
			return []any{m.words("flag", line), m.words("home", line), m.words("set", line), m.words("data", line), m.words("received", line)}
		},
		check: checkReceived,
		expect: func(s Situation) Expectation {
			switch {
			case s.Blocks < s.Resident && !s.Strict || s.SMs == 1:
				return either("whether a block is on another SM depends on where they start", Hangs, Ends)
			case s.Word("load") == "device":
				return must(Ends, "no L1 answers a load of device scope")
			case s.Word("load") == "block-fenced":
				return must(Ends, "the fence drops what the L1 holds")
			case s.Silicon:
				return either("PTX promises nothing: the L1 may answer for ever, or lose the line", Hangs, Ends)
			case !s.CachesGlobal:
				return must(Ends, "the L1 holds no global data")
			}
			return must(Hangs, "the L1 answers with the old value, and nothing makes it lose the line")
		},
	}
}

// queueScenario has workers that do not notice the end of the work.
func queueScenario() *Scenario {
	kernels := map[string]string{"ticket": "ByTicket", "pending": "ByPending"}
	return &Scenario{
		Name: "work-queue", Title: "a work queue whose workers do not notice the end", Source: `Tzeng, Patney and Owens, "Task Management for Irregular-Parallel Workloads on the GPU", HPG 2010`,
		Why: "A worker draws the number of an item and waits for it. Workers draw more numbers than there are items, and the last ones wait for items that nobody adds. " +
			"It ends if a count of unfinished tasks tells them.",
		Params: []scheduler.Param{
			blocksParam("8", "blocks of the grid, each a worker"), threadsParam("32", 32),
			word("stop", "ticket", "when a worker whose item is not there stops; ticket: never, pending: when no task is unfinished", "ticket", "pending"),
			number("height", "level", "6", 0, 16, "height of the binary tree of tasks"),
		},
		Cases:  cases(map[string]string{"stop": "ticket"}, map[string]string{"stop": "pending"}, map[string]string{"stop": "pending", Threads: "1024", Blocks: "fit+1"}),
		kernel: func(v Values) string { return "internal/kernels/worklist.Walk" + kernels[v.Word("stop")] },
		arguments: func(m *memory, l layout) []any {
			slots := m.words("slots", 2<<l.Int("height")+l.grid+1, l.word32("height")+1)
			queue := []any{slots, m.words("heads", 1), m.words("tails", 1, 1)}
			return []any{[3]any(queue), m.words("pending", 1, 1), m.words("done", 1)}
		},
		check: func(m *memory, l layout) (string, error) {
			if n := int(m.read("done")[0]); n != 2<<l.Int("height")-1 {
				return "", fmt.Errorf("%d tasks of %d were done", n, 2<<l.Int("height")-1)
			}
			return "", nil
		},
		expect: func(s Situation) Expectation {
			if s.Word("stop") == "ticket" {
				return must(Hangs, "each worker ends with a number beyond the last item, and waits for it")
			}
			return must(Ends, "a worker whose item is not there stops when no task is unfinished")
		},
	}
}
