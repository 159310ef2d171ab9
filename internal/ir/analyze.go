package ir

// Analyze drops blocks that the entry does not reach, puts the others in
// reverse post-order, numbers them so (Block.ID is the index in f.Blocks) and
// sets Idom, Ipdom and Depth.
func (f *Func) Analyze() {
	f.number()
	g := f.Graph()
	idom, ipdom := g.Dominators(), g.PostDominators()
	for i, b := range f.Blocks {
		b.Idom, b.Ipdom, b.Depth = nil, nil, 0
		if idom[i] >= 0 {
			b.Idom = f.Blocks[idom[i]]
		}
		if ipdom[i] >= 0 {
			b.Ipdom = f.Blocks[ipdom[i]]
		}
	}
	for _, l := range f.Loops() {
		for _, b := range l.Blocks {
			b.Depth++
		}
	}
}

// number puts the reachable blocks in reverse post-order.
func (f *Func) number() {
	for i, b := range f.Blocks {
		b.ID = i
	}
	rpo := f.Graph().RPO()
	if len(rpo) < len(f.Blocks) {
		live := make([]bool, len(f.Blocks))
		for _, i := range rpo {
			live[i] = true
		}
		for i, b := range f.Blocks {
			if live[i] {
				continue
			}
			for _, s := range b.Succs {
				if live[s.ID] {
					s.RemovePred(b)
				}
			}
			b.Succs = nil
		}
	}
	blocks := make([]*Block, len(rpo))
	for i, j := range rpo {
		blocks[i] = f.Blocks[j]
		blocks[i].ID = i
	}
	f.Blocks, f.blocks = blocks, len(blocks)
}

// Graph is the control-flow graph on the blocks' IDs, which must be their
// indices in f.Blocks.
func (f *Func) Graph() *Graph {
	succs := make([][]int32, len(f.Blocks))
	room := make([]int32, 0, 2*len(f.Blocks))
	for i, b := range f.Blocks {
		k := len(room)
		for _, s := range b.Succs {
			room = append(room, int32(s.ID))
		}
		succs[i] = room[k:len(room):len(room)]
	}
	return NewGraph(succs)
}

// RemovePred removes one edge from p with the operands of the phis.
func (b *Block) RemovePred(p *Block) {
	for i, q := range b.Preds {
		if q == p {
			b.Preds = append(b.Preds[:i:i], b.Preds[i+1:]...)
			for _, phi := range b.Phis {
				phi.Args = append(phi.Args[:i:i], phi.Args[i+1:]...)
			}
			return
		}
	}
}

// Dominates reports whether every path from the entry to c passes b. It needs
// Analyze.
func (b *Block) Dominates(c *Block) bool {
	for c != nil && c.ID > b.ID {
		c = c.Idom
	}
	return b == c
}

// Loop is a natural loop.
type Loop struct {
	Header  *Block
	Blocks  []*Block // in reverse post-order, the header first
	Latches []*Block // the blocks that jump back to the header
	in      []bool
}

// Has reports whether b belongs to the loop.
func (l *Loop) Has(b *Block) bool { return b.ID < len(l.in) && l.in[b.ID] }

// Entry is the only block outside the loop that enters it, nil if there are
// several.
func (l *Loop) Entry() *Block {
	var e *Block
	for _, p := range l.Header.Preds {
		if l.Has(p) {
			continue
		}
		if e != nil {
			return nil
		}
		e = p
	}
	return e
}

// Loops is the natural loops, inner ones before those that hold them. It
// needs the order and the dominators that Analyze sets.
func (f *Func) Loops() []*Loop {
	var loops []*Loop
	for i := len(f.Blocks) - 1; i >= 0; i-- {
		h := f.Blocks[i]
		var l *Loop
		var work []*Block
		for _, p := range h.Preds {
			if p.ID < h.ID || !h.Dominates(p) {
				continue
			}
			if l == nil {
				l = &Loop{Header: h, in: make([]bool, len(f.Blocks))}
				l.in[h.ID] = true
			}
			l.Latches = append(l.Latches, p)
			work = append(work, p)
		}
		if l == nil {
			continue
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if !l.in[b.ID] {
				l.in[b.ID] = true
				work = append(work, b.Preds...)
			}
		}
		for _, b := range f.Blocks[i:] {
			if l.in[b.ID] {
				l.Blocks = append(l.Blocks, b)
			}
		}
		loops = append(loops, l)
	}
	return loops
}
