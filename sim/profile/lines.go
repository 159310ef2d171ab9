package profile

import (
	"cmp"
	"slices"

	"github.com/weft-gpu/weft/internal/ir"
)

// Line is what was noted of the instructions of one source line.
type Line struct {
	File string // as the compiler shows it; "" where the position is unknown
	Line int
	Func string // that holds the line
	Inst        // summed over the instructions
}

// Lines sums a kernel's instructions by source line, each to the innermost one
// of its chain of inlining, sorted by file and line. Lines where nothing
// happened are left out.
func (k *Kernel) Lines() []Line {
	type key struct {
		file string
		line int
	}
	at := map[key]int{}
	var out []Line
	for pc := range k.Insts {
		in := &k.Insts[pc]
		if in.Cycles() == 0 {
			continue
		}
		p := k.at(pc)
		i, ok := at[key{p.File, p.Line}]
		if !ok {
			i = len(out)
			at[key{p.File, p.Line}] = i
			out = append(out, Line{File: p.File, Line: p.Line, Func: p.Func})
		}
		out[i].Add(in)
	}
	slices.SortFunc(out, func(a, b Line) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return out
}

// Total sums all instructions of the kernel.
func (k *Kernel) Total() (t Inst) {
	for pc := range k.Insts {
		t.Add(&k.Insts[pc])
	}
	return t
}

func (k *Kernel) at(pc int) ir.PosInfo { return k.Program.Pos[k.Program.Code[pc].Pos] }

// Node is a line of the tree of calls: what was noted of the instructions
// of the line itself and of all that was inlined there.
type Node struct {
	File     string
	Line     int
	Func     string
	Inst     // summed over the line and everything below
	Children []*Node
}

// Calls is the tree of a kernel's chains of inlining: the lines of the kernel
// function, below them those of the functions called there, and so on; the one
// with the most cycles first.
func (k *Kernel) Calls() []*Node {
	root := &Node{}
	for pc := range k.Insts {
		in := &k.Insts[pc]
		if in.Cycles() == 0 {
			continue
		}
		n := root
		for _, p := range slices.Backward(k.chain(pc)) {
			n = n.child(p)
			n.Add(in)
		}
	}
	root.sort()
	return root.Children
}

// chain is the position of an instruction, then those of the calls that it was
// inlined through.
func (k *Kernel) chain(pc int) []ir.PosInfo {
	var out []ir.PosInfo
	for p := k.Program.Code[pc].Pos; ; {
		info := k.Program.Pos[p]
		out = append(out, info)
		if p = info.Parent; p == 0 {
			return out
		}
	}
}

func (n *Node) child(p ir.PosInfo) *Node {
	for _, c := range n.Children {
		if c.File == p.File && c.Line == p.Line && c.Func == p.Func {
			return c
		}
	}
	c := &Node{File: p.File, Line: p.Line, Func: p.Func}
	n.Children = append(n.Children, c)
	return c
}

func (n *Node) sort() {
	slices.SortFunc(n.Children, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(b.Cycles(), a.Cycles()), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Func, b.Func))
	})
	for _, c := range n.Children {
		c.sort()
	}
}
