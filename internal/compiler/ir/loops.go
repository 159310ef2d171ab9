package ir

// Loop is a natural loop.
type Loop struct {
	Header  *Block
	Blocks  []*Block // in reverse post-order, the header first
	Latches []*Block // the blocks that jump back to the header
	Outer   *Loop    // the enclosing loop, or nil

	nest     *nest
	from, to int32 // the numbers of this loop and of the loops in it
}

// nest is state shared by the loops that one call of Loops returns.
type nest struct {
	number []int32 // by block: the number of the innermost loop that contains it, or -1
}

// Has reports whether b belongs to the loop.
func (l *Loop) Has(b *Block) bool {
	n := l.nest.number
	return b.ID < len(n) && l.from <= n[b.ID] && n[b.ID] < l.to
}

// PutBefore records that the new block b was inserted in front of the loop, so
// that b belongs to the enclosing loops. Their Blocks do not list b.
func (l *Loop) PutBefore(b *Block) {
	for len(l.nest.number) <= b.ID {
		l.nest.number = append(l.nest.number, -1)
	}
	if l.Outer != nil {
		l.nest.number[b.ID] = l.Outer.from
	}
}

// Entry returns the only block outside the loop that jumps to its header; nil
// if there are several.
func (l *Loop) Entry() *Block {
	var entry *Block
	for _, pred := range l.Header.Preds {
		if l.Has(pred) {
			continue
		}
		if entry != nil {
			return nil
		}
		entry = pred
	}
	return entry
}

// loopForest describes how the loops of a kernel nest. Loops are sorted by
// their headers, last header first, so that inner loops come before the loops
// that contain them.
type loopForest struct {
	header  []*Block
	latches [][]*Block
	outer   []int32 // by loop: the enclosing loop, or -1
	depth   []int   // by loop, for Analyze
	inner   []int32 // by block: the innermost loop that contains it, or -1
}

// loopForest finds the natural loops. It needs the block order and the
// dominators that Dominate computes. Natural loops with different headers are
// either disjoint or nested. A backward walk from the latches that meets a
// known loop therefore continues at that loop's header, and each block is
// visited once in total.
func (f *Func) loopForest() *loopForest {
	forest := &loopForest{inner: make([]int32, len(f.Blocks))}
	for index := range forest.inner {
		forest.inner[index] = -1
	}
	var top []int32 // by loop: its outermost enclosing loop known so far
	outermost := func(loop int32) int32 {
		for top[loop] != loop {
			top[loop] = top[top[loop]]
			loop = top[loop]
		}
		return loop
	}
	var work []*Block
	for index := len(f.Blocks) - 1; index >= 0; index-- {
		header := f.Blocks[index]
		var latches []*Block
		for _, pred := range header.Preds {
			// A back edge to a block that does not dominate its start belongs
			// to no natural loop.
			if pred.ID >= header.ID && header.Dominates(pred) {
				latches = append(latches, pred)
			}
		}
		if latches == nil {
			continue
		}
		loop := int32(len(forest.header))
		forest.header, forest.latches, forest.outer, top = append(forest.header, header), append(forest.latches, latches), append(forest.outer, -1), append(top, loop)
		forest.inner[index] = loop
		for work = append(work, latches...); len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			in := forest.inner[b.ID]
			if in < 0 {
				forest.inner[b.ID] = loop
				work = append(work, b.Preds...)
			} else if in = outermost(in); in != loop {
				top[in], forest.outer[in] = loop, loop
				work = append(work, forest.header[in].Preds...)
			}
		}
	}
	forest.depth = make([]int, len(forest.header))
	return forest
}

// Loops returns the natural loops; inner loops come before the loops that
// contain them. It needs the block order and the dominators that Dominate
// computes.
func (f *Func) Loops() []*Loop {
	forest := f.loopForest()
	count := len(forest.header)
	blocks, loops := make([]int32, count), make([]int32, count) // by loop: how many blocks and loops it contains
	for _, loop := range forest.inner {
		for ; loop >= 0; loop = forest.outer[loop] {
			blocks[loop]++
		}
	}
	for loop := range forest.header {
		if loops[loop]++; forest.outer[loop] >= 0 {
			loops[forest.outer[loop]] += loops[loop]
		}
	}
	all := make([]*Loop, count)
	shared := &nest{make([]int32, len(f.Blocks))}
	next := make([]int32, count) // by loop: the next free number among the loops in it
	free := int32(0)
	for loop := count - 1; loop >= 0; loop-- { // outer loops first
		from := &free
		if outer := forest.outer[loop]; outer >= 0 {
			from = &next[outer]
		}
		all[loop] = &Loop{Header: forest.header[loop], Latches: forest.latches[loop], Blocks: make([]*Block, 0, blocks[loop]), nest: shared, from: *from, to: *from + loops[loop]}
		if outer := forest.outer[loop]; outer >= 0 {
			all[loop].Outer = all[outer]
		}
		*from += loops[loop]
		next[loop] = all[loop].from + 1
	}
	for i, b := range f.Blocks {
		loop := forest.inner[i]
		shared.number[i] = -1
		if loop >= 0 {
			shared.number[i] = all[loop].from
		}
		for ; loop >= 0; loop = forest.outer[loop] {
			all[loop].Blocks = append(all[loop].Blocks, b)
		}
	}
	return all
}
