package profile

import (
	"cmp"
	"slices"
)

// Line is the sum over the instructions of one source line.
type Line struct {
	File string // as the compiler shows it; "" if the position is unknown
	Line int
	Func string // the function that contains the line
	Inst        // summed over the instructions
}

// Lines returns the sums of a kernel's instructions by source line, each instruction counted for the innermost line of
// its inlining chain, sorted by file and line. Lines without any cycles are omitted.
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
		p := k.Position(pc)
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

// Total returns the sum over all instructions of the kernel.
func (k *Kernel) Total() (t Inst) {
	for pc := range k.Insts {
		t.Add(&k.Insts[pc])
	}
	return t
}

// Position returns the source position of an instruction.
func (k *Kernel) Position(pc int) Position { return k.Positions[k.At[pc]] }

// Node is a line in the call tree: the sum over the instructions of the line itself and of all code inlined there.
type Node struct {
	File     string
	Line     int
	Func     string
	Inst     // summed over the line and all its descendants
	Children []*Node
}

// Calls returns the tree of a kernel's inlining chains: the lines of the kernel function, below them those of the
// functions called there, and so on; lines with the most cycles first.
func (k *Kernel) Calls() []*Node {
	root := &Node{}
	for pc := range k.Insts {
		in := &k.Insts[pc]
		if in.Cycles() == 0 {
			continue
		}
		n := root
		for _, p := range slices.Backward(k.Chain(pc)) {
			n = n.child(p)
			n.Add(in)
		}
	}
	root.sort()
	return root.Children
}

// Chain returns the position of an instruction, followed by the positions of the calls through which it was inlined.
func (k *Kernel) Chain(pc int) []Position {
	var out []Position
	for i := int(k.At[pc]); ; {
		p := k.Positions[i]
		out = append(out, p)
		if i = p.Parent; i == 0 {
			return out
		}
	}
}

func (n *Node) child(p Position) *Node {
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
