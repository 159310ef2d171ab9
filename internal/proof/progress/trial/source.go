package trial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
)

// lineWords is the distance of cells in words: each has a cache line of its own.
const lineWords = 32

// mark comes before the number of an instruction, in the line of its access.
const mark = " // instruction "

// sourceOf returns the test as Go source of a package with two kernels: in Blocks
// each thread of the test is a block of one thread, in Lanes a lane of a warp.
// Both run several instances of the test, each with cells of its own in x.
//
// An instruction of the test is one access to memory. If the test has several
// cells, fences keep the accesses of a thread in order, as the tests assume.
func sourceOf(t *litmus.Test) string {
	var s strings.Builder
	fmt.Fprintf(&s, "// Package test is the progress litmus test %s.\npackage test\n\nimport \"github.com/weft-gpu/weft/gpu\"\n", t.Name)
	for _, k := range []struct{ name, what, thread, instance string }{
		{"Blocks", "as blocks", "t.Block() % " + fmt.Sprint(len(t.Threads)), "t.Block() / " + fmt.Sprint(len(t.Threads))},
		{"Lanes", "as lanes of a warp", "t.Lane()", "t.Block()"},
	} {
		fmt.Fprintf(&s, "\n// %s runs the threads of the test %s.\nfunc %s(t gpu.Thread, x []uint32) {\n", k.name, k.what, k.name)
		fmt.Fprintf(&s, "\tat := %s * %d\n\tswitch %s {\n", k.instance, stride(t), k.thread)
		for i, code := range t.Threads {
			fmt.Fprintf(&s, "\tcase %d:\n", i)
			thread(&s, i, code, t.Cells > 1)
		}
		s.WriteString("\t}\n}\n")
	}
	return s.String()
}

// stride returns how many words of x an instance has.
func stride(t *litmus.Test) int { return t.Cells * lineWords }

// thread writes the code of one thread.
func thread(s *strings.Builder, number int, code []litmus.Instr, fences bool) {
	nodes := reducible(code)
	label := func(n int) string { return fmt.Sprintf("L%d_%d", number, n) }
	jump := func(to int) string {
		if to == stop {
			return "return"
		}
		return "goto " + label(to)
	}
	targets := map[int]bool{} // nodes that need a label
	for i, n := range nodes {
		targets[n.next] = targets[n.next] || n.next != i+1
		if code[n.instr].Op != litmus.Store {
			targets[n.branch] = true
		}
	}
	for i, n := range nodes {
		if targets[i] {
			fmt.Fprintf(s, "\t%s:\n", label(i))
		}
		in := &code[n.instr]
		cell := fmt.Sprintf("&x[at+%d]", in.Cell*lineWords)
		access := ""
		switch in.Op {
		case litmus.Store:
			fmt.Fprintf(s, "\t\tgpu.Store(%s, %d)%s%d\n", cell, in.Value, mark, n.instr)
		case litmus.ChkBranch:
			access = fmt.Sprintf("gpu.Load(%s)", cell)
		case litmus.ExchBranch:
			access = fmt.Sprintf("gpu.AtomicExch(%s, %d)", cell, in.Value)
		}
		fence := ""
		if fences {
			fence = "\t\tgpu.Fence()\n"
		}
		switch {
		case access == "":
			s.WriteString(fence)
		case fences:
			fmt.Fprintf(s, "\t\tif v := %s; v == %d {%s%d\n\t%s\t\t\t%s\n\t\t}\n%s", access, in.Check, mark, n.instr, fence, jump(n.branch), fence)
		default:
			fmt.Fprintf(s, "\t\tif %s == %d {%s%d\n\t\t\t%s\n\t\t}\n", access, in.Check, mark, n.instr, jump(n.branch))
		}
		if n.next != i+1 || i == len(nodes)-1 {
			fmt.Fprintf(s, "\t\t%s\n", jump(n.next))
		}
	}
}

// stop is the successor of a node after which the thread ends.
const stop = -1

// node is a copy of an instruction, with the nodes that follow it.
type node struct{ instr, branch, next int }

// reducible returns the instructions of a thread such that every loop is entered
// at one place, as the compiler requires. Where a jump enters a loop elsewhere,
// it goes to a copy of the loop's instructions.
func reducible(code []litmus.Instr) []node {
	nodes := make([]node, len(code))
	end := func(n int) int {
		if n == len(code) {
			return stop
		}
		return n
	}
	for i, in := range code {
		nodes[i] = node{i, end(in.Target), end(i + 1)}
		if in.Op == litmus.Store {
			nodes[i].branch = nodes[i].next
		}
	}
	all := make([]int, len(nodes))
	for i := range all {
		all[i] = i
	}
	return split(nodes, all)
}

// split makes the loops among the nodes of a part reducible: it finds the
// strongly connected components, gives each one entry, and goes on inside them
// without the entry.
func split(nodes []node, part []int) []node {
	for _, loop := range loops(nodes, part) {
		entries := entriesOf(nodes, loop)
		head := loop[0] // unreachable loops have no entry
		if len(entries) > 0 {
			head = entries[0]
		}
		inner := slices.DeleteFunc(slices.Clone(loop), func(n int) bool { return n == head })
		if len(entries) > 1 {
			// Everything outside enters a copy of the loop without its head, or the head.
			copies := map[int]int{}
			for _, n := range inner {
				copies[n] = len(nodes)
				nodes = append(nodes, nodes[n])
			}
			inside := func(i int) bool { return slices.Contains(loop, i) }
			for i := range nodes {
				if inside(i) {
					continue
				}
				for _, to := range []*int{&nodes[i].branch, &nodes[i].next} {
					if c, ok := copies[*to]; ok {
						*to = c
					}
				}
			}
			copied := make([]int, 0, len(inner))
			for _, n := range inner {
				copied = append(copied, copies[n])
			}
			nodes = split(nodes, copied)
		}
		nodes = split(nodes, inner)
	}
	return nodes
}

// entriesOf returns the nodes of a loop that can be reached from the start of the
// thread without passing through the loop before.
func entriesOf(nodes []node, loop []int) (entries []int) {
	for _, n := range loop {
		entered := n == 0
		for i, from := range nodes {
			entered = entered || !slices.Contains(loop, i) && (from.branch == n || from.next == n)
		}
		if entered {
			entries = append(entries, n)
		}
	}
	return entries
}

// loops returns the strongly connected components with a cycle, over edges
// within the part.
func loops(nodes []node, part []int) (list [][]int) {
	reach := map[int][]int{}
	for _, from := range part {
		var found []int
		for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
			for _, to := range []int{nodes[queue[0]].branch, nodes[queue[0]].next} {
				if slices.Contains(part, to) && !slices.Contains(found, to) {
					found, queue = append(found, to), append(queue, to)
				}
			}
		}
		reach[from] = found
	}
	done := map[int]bool{}
	for _, n := range part {
		if done[n] || !slices.Contains(reach[n], n) {
			continue
		}
		var loop []int
		for _, m := range part {
			if slices.Contains(reach[n], m) && slices.Contains(reach[m], n) {
				loop, done[m] = append(loop, m), true
			}
		}
		list = append(list, loop)
	}
	return list
}
