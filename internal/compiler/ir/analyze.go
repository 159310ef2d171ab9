package ir

// Analyze runs Dominate and also computes Ipdom for every block.
func (f *Func) Analyze() {
	f.Dominate()
	ipdom := f.Graph().PostDominators()
	for i, b := range f.Blocks {
		b.Ipdom = nil
		if ipdom[i] >= 0 {
			b.Ipdom = f.Blocks[ipdom[i]]
		}
	}
}

// Dominate runs Renumber and also computes Idom and Depth for every block.
func (f *Func) Dominate() {
	f.Renumber()
	idom := f.Graph().Dominators()
	for i, b := range f.Blocks {
		b.Idom, b.Depth = nil, 0
		if idom[i] >= 0 {
			b.Idom = f.Blocks[idom[i]]
		}
	}
	f.numberDominated()
	forest := f.loopForest()
	for i := len(forest.header) - 1; i >= 0; i-- { // outer loops first
		forest.depth[i] = 1
		if outer := forest.outer[i]; outer >= 0 {
			forest.depth[i] += forest.depth[outer]
		}
	}
	for i, b := range f.Blocks {
		if loop := forest.inner[i]; loop >= 0 {
			b.Depth = forest.depth[loop]
		}
	}
}

// numberDominated numbers the blocks so that each block dominates exactly those
// numbered domFrom to domEnd-1. The block's own number is domFrom.
func (f *Func) numberDominated() {
	size := make([]int32, len(f.Blocks))
	for i := len(f.Blocks) - 1; i >= 0; i-- {
		// Backwards in reverse post-order: what a block dominates comes behind
		// it, so its size is complete when it is added to its dominator's.
		size[i]++
		if dom := f.Blocks[i].Idom; dom != nil {
			size[dom.ID] += size[i]
		}
	}
	next := make([]int32, len(f.Blocks)) // by block: the next free number among the blocks that it dominates
	for i, b := range f.Blocks {
		b.domFrom = 0
		if dom := b.Idom; dom != nil {
			b.domFrom = next[dom.ID]
			next[dom.ID] += size[i]
		}
		b.domEnd, next[i] = b.domFrom+size[i], b.domFrom+1
	}
}

// Renumber removes unreachable blocks and sorts the others in reverse
// post-order, so that Block.ID is the index in f.Blocks.
func (f *Func) Renumber() {
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
			for _, succ := range b.Succs {
				if live[succ.ID] {
					// Phis of a live block have an operand for the edge from
					// this dead one.
					succ.RemovePred(b)
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

// Graph returns the control-flow graph over block IDs. Each ID must be the
// block's index in f.Blocks.
func (f *Func) Graph() *Graph {
	succs := make([][]int32, len(f.Blocks))
	// A block has at most two successors: one array holds all of the lists.
	room := make([]int32, 0, 2*len(f.Blocks))
	for i, b := range f.Blocks {
		from := len(room)
		for _, succ := range b.Succs {
			room = append(room, int32(succ.ID))
		}
		succs[i] = room[from:len(room):len(room)]
	}
	return NewGraph(succs)
}

// RemovePred removes one edge from pred to b, together with the phi operands that
// belong to it.
func (b *Block) RemovePred(pred *Block) {
	for i, other := range b.Preds {
		if other == pred {
			b.Preds = append(b.Preds[:i:i], b.Preds[i+1:]...)
			for _, phi := range b.Phis {
				phi.Args = append(phi.Args[:i:i], phi.Args[i+1:]...)
			}
			return
		}
	}
}

// Dominates reports whether every path from the entry to c passes through b.
// Analyze or Dominate must have run.
func (b *Block) Dominates(c *Block) bool {
	return b == c || b.domFrom <= c.domFrom && c.domFrom < b.domEnd
}
