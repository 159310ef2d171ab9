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
	t := &loopForest{inner: make([]int32, len(f.Blocks))}
	for i := range t.inner {
		t.inner[i] = -1
	}
	var top []int32 // by loop: its outermost enclosing loop known so far
	outermost := func(l int32) int32 {
		for top[l] != l {
			top[l] = top[top[l]]
			l = top[l]
		}
		return l
	}
	var work []*Block
	for i := len(f.Blocks) - 1; i >= 0; i-- {
		h := f.Blocks[i]
		var latches []*Block
		for _, p := range h.Preds {
			if p.ID >= h.ID && h.Dominates(p) {
				latches = append(latches, p)
			}
		}
		if latches == nil {
			continue
		}
		l := int32(len(t.header))
		t.header, t.latches, t.outer, top = append(t.header, h), append(t.latches, latches), append(t.outer, -1), append(top, l)
		t.inner[i] = l
		for work = append(work, latches...); len(work) > 0; {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			in := t.inner[b.ID]
			if in < 0 {
				t.inner[b.ID] = l
				work = append(work, b.Preds...)
			} else if in = outermost(in); in != l {
				top[in], t.outer[in] = l, l
				work = append(work, t.header[in].Preds...)
			}
		}
	}
	t.depth = make([]int, len(t.header))
	return t
}

// Loops returns the natural loops; inner loops come before the loops that
// contain them. It needs the block order and the dominators that Dominate
// computes.
func (f *Func) Loops() []*Loop {
	t := f.loopForest()
	n := len(t.header)
	blocks, loops := make([]int32, n), make([]int32, n) // by loop: how many blocks and loops it contains
	for _, l := range t.inner {
		for ; l >= 0; l = t.outer[l] {
			blocks[l]++
		}
	}
	for l := range t.header {
		if loops[l]++; t.outer[l] >= 0 {
			loops[t.outer[l]] += loops[l]
		}
	}
	all := make([]*Loop, n)
	shared := &nest{make([]int32, len(f.Blocks))}
	next := make([]int32, n) // by loop: the next free number among the loops in it
	free := int32(0)
	for l := n - 1; l >= 0; l-- { // outer loops first
		from := &free
		if o := t.outer[l]; o >= 0 {
			from = &next[o]
		}
		all[l] = &Loop{Header: t.header[l], Latches: t.latches[l], Blocks: make([]*Block, 0, blocks[l]), nest: shared, from: *from, to: *from + loops[l]}
		if o := t.outer[l]; o >= 0 {
			all[l].Outer = all[o]
		}
		*from += loops[l]
		next[l] = all[l].from + 1
	}
	for i, b := range f.Blocks {
		l := t.inner[i]
		shared.number[i] = -1
		if l >= 0 {
			shared.number[i] = all[l].from
		}
		for ; l >= 0; l = t.outer[l] {
			all[l].Blocks = append(all[l].Blocks, b)
		}
	}
	return all
}
