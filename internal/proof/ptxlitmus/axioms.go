package ptxlitmus

// The axioms of the PTX memory model: Lustig, Sahasrabuddhe, Giroux, "A Formal Analysis of
// the NVIDIA PTX Memory Consistency Model", ASPLOS 2019, and the chapter "Memory
// Consistency Model" of the PTX ISA. Proxies and aliases, which came with ISA version 7.5,
// are in proxies.go.
//
// All relations grow with reads-from, fence order and coherence, and every axiom forbids
// something of them. So the least coherence order that the axioms ask for allows the most,
// and only what they leave open (the order of two morally strong writes, of two
// sequentially consistent fences) has to be tried both ways.

// fixed are the relations that the events alone determine.
type fixed struct {
	po, poLoc, sameLoc    relation // poLoc: program order of accesses to one address by one proxy
	poAddr, sameAddr      relation // the same by any proxies
	proxies               *proxies // nil if all accesses are generic and no word has two addresses
	strong                relation // morally strong pairs, both ways
	rmw                   relation
	release, acquire      relation // release and acquire patterns, from their first to their last operation
	dep                   relation
	reads, writes, fences set // fences: fence.sc
	initial               set // initial writes
}

// isStrong reports whether an event is a strong operation.
func isStrong(e *event) bool {
	return e.kind == fence || e.kind != barrier && e.order != Weak
}

// includes reports whether the scope of event e, of thread a, has thread b.
func (e *event) includes(a, b *Thread) bool {
	switch e.scope {
	case Block:
		return a.GPU == b.GPU && a.CTA == b.CTA
	case Device:
		return a.GPU == b.GPU
	}
	return true
}

// relate computes the relations that the events alone determine.
func (c *candidate) relate() *fixed {
	f := &fixed{}
	memory := func(e *event) bool { return e.kind <= write }
	first := make([]int, len(c.test.Threads)) // the first event of each thread
	for i := range first {
		first[i] = -1
	}
	for i := range c.events {
		a := &c.events[i]
		bit := set(1) << i
		switch {
		case a.kind == read:
			f.reads |= bit
		case a.kind == write:
			f.writes |= bit
		case a.kind == fence && a.order == SC:
			f.fences |= bit
		}
		if a.thread < 0 {
			f.initial |= bit
		} else if first[a.thread] < 0 {
			first[a.thread] = i
		}
		if a.rmw != 0 {
			f.rmw.add(i-a.rmw, i)
		}
		for j := range c.events {
			b := &c.events[j]
			if i == j {
				continue
			}
			both := memory(a) && memory(b)
			if both && a.loc == b.loc {
				f.sameLoc.add(i, j)
			}
			addr := both && a.addr == b.addr
			loc := addr && a.proxy == b.proxy
			if addr {
				f.sameAddr.add(i, j)
			}
			if a.thread < 0 || b.thread < 0 {
				continue
			}
			same := a.thread == b.thread
			if same && i < j {
				f.po.add(i, j)
				if loc {
					f.poLoc.add(i, j)
				}
				if addr {
					f.poAddr.add(i, j)
				}
			}
			ta, tb := &c.test.Threads[a.thread], &c.test.Threads[b.thread]
			related := same || isStrong(a) && isStrong(b) && a.includes(ta, tb) && b.includes(tb, ta)
			if related && (loc || !memory(a) || !memory(b)) {
				f.strong.add(i, j)
			}
		}
	}
	for i := range c.events {
		if e := &c.events[i]; e.thread >= 0 {
			for d := range all(e.deps) {
				f.dep.add(first[e.thread]+d, i)
			}
		}
	}
	c.patterns(f)
	if p, needed := c.proxies(); needed {
		f.proxies = p
	}
	return f
}

// patterns finds the release and acquire patterns. A release pattern is a release on a
// location, alone or with a later strong write there, or a fence and a later strong
// write. An acquire pattern is the same backwards.
func (c *candidate) patterns(f *fixed) {
	for i := range c.events {
		e := &c.events[i]
		switch {
		case e.thread < 0 || !isStrong(e):
		case e.kind == write && e.order.Releases():
			f.release.add(i, i)
			for j := range all(f.poAddr[i] & f.writes) {
				if isStrong(&c.events[j]) {
					f.release.add(i, j)
				}
			}
		case e.kind == read:
			for j := range all(f.poAddr[i]&f.reads | 1<<i) {
				if c.events[j].order.Acquires() {
					f.acquire.add(i, j)
				}
			}
			for j := range all(f.po[i]) {
				if c.events[j].kind == fence {
					f.acquire.add(i, j)
				}
			}
		case e.kind == fence:
			for j := range all(f.po[i] & f.writes) {
				if isStrong(&c.events[j]) {
					f.release.add(i, j)
				}
			}
		}
	}
}

// observe computes observation order from reads-from: a morally strong read of a write,
// and on through read-modify-write operations.
func (f *fixed) observe(rf *relation) *relation {
	strong := rf.and(&f.strong)
	next := f.rmw.then(strong)
	next.close()
	obs := *strong
	obs.union(strong.then(next))
	return &obs
}

// causality computes base causality order and causality order. barrier and sc are the
// pairs that synchronize at barriers and by sequentially consistent fences.
func (f *fixed) causality(obs, barrier, sc *relation) (base, cause *relation) {
	sync := *f.release.then(obs).then(&f.acquire).and(&f.strong)
	sync.union(barrier)
	sync.union(sc)
	sync.union(sync.then(&f.po))
	sync.close()
	sync.union(f.po.then(&sync))
	base = &sync

	if f.proxies != nil {
		with := sync
		with.union(&f.po)
		preserved := f.proxies.preserved(&with, f)
		cause = obs.then(preserved)
		cause.union(preserved)
		return base, cause
	}
	// Between generic accesses to words of one address, all of base causality order is
	// preserved. What it says of other pairs does not matter to the axioms.
	with := sync
	with.union(&f.poLoc)
	cause = obs.then(&with)
	cause.union(base)
	return base, cause
}

// leastCoherence returns the coherence that causality asks for; ok is false where it
// would be cyclic, or where a write would be its own cause. Initial writes come first, and
// writes of one thread in its order, without which SC per location fails.
func (f *fixed) leastCoherence(cause *relation) (co *relation, ok bool) {
	for w := range all(f.writes) {
		if cause.has(w, w) {
			return nil, false
		}
	}
	co = cause.and(&f.sameLoc).between(f.writes, f.writes)
	co.union(f.poLoc.between(f.writes, f.writes))
	for i := range all(f.initial) {
		co[i] |= f.sameLoc[i] & f.writes
	}
	co.close()
	return co, !co.reflexive()
}

// open returns a pair of morally strong writes to one location that co does not order.
func (f *fixed) open(co *relation) (i, j int, ok bool) {
	for i := range all(f.writes) {
		for j := range all(f.strong[i] & f.writes &^ co[i]) {
			if i < j && !co.has(j, i) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// consistent checks the axioms that speak of coherence: atomicity, SC per location and
// causality.
func (f *fixed) consistent(rf, cause, co *relation) bool {
	var fr relation
	for w := range all(f.writes) {
		for r := range all(rf[w]) {
			fr[r] = co[w]
		}
	}
	// Atomicity: no write that is morally strong with both halves of an operation comes
	// between them.
	for r := range all(f.reads) {
		for w := range all(f.rmw[r]) {
			for between := range all(fr[r] & f.strong[r]) {
				if f.strong.has(between, w) && co.has(between, w) {
					return false
				}
			}
		}
	}
	com := *rf
	com.union(&fr)
	// Causality: nobody reads from the future, or past what it knows to be overwritten.
	if com.meets(cause) {
		return false
	}
	// SC per location.
	com.union(co)
	loc := com.and(&f.strong)
	loc.union(&f.poLoc)
	return !loc.cyclic()
}
