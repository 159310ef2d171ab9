package ptxlitmus

// Proxies: the generic one, surfaces, textures and constants reach a word in memory on
// different ways, and so do two generic addresses of one word. PTX ISA 7.5, "Memory
// Consistency Model", and Lustig, Cooksey, Giroux, "Mixed-Proxy Extensions for the NVIDIA
// PTX Memory Consistency Model", ISCA 2022, section 4: base causality order counts between
// two accesses only if fences of the proxies stand on the way from one to the other.

// proxies are the facts about events that decide whether causality is preserved.
type proxies struct {
	generic set      // generic accesses
	alias   set      // fence.proxy.alias
	fenced  relation // an access and a proxy fence of its proxy in its block, both ways
	shared  relation // two accesses by one proxy in one block
}

// proxies returns the facts about proxies; needed is false if all accesses are generic, by
// one address for each word.
func (c *candidate) proxies() (p *proxies, needed bool) {
	p = &proxies{}
	addr := map[int]int{} // of a word
	for i := range c.events {
		a := &c.events[i]
		switch {
		case a.kind == proxyFence && a.proxy == Alias:
			p.alias |= 1 << i
		case a.kind <= write && a.thread >= 0:
			if a.proxy == Generic {
				p.generic |= 1 << i
			}
			first, ok := addr[a.loc]
			needed = needed || a.proxy != Generic || ok && first != a.addr
			addr[a.loc] = a.addr
		}
		if a.thread < 0 || a.kind > write && a.kind != proxyFence {
			continue
		}
		for j := range c.events {
			b := &c.events[j]
			if i == j || b.thread < 0 || a.proxy != b.proxy || !c.sameBlock(a, b) {
				continue
			}
			switch {
			case a.kind <= write && b.kind <= write:
				p.shared.add(i, j)
			case a.kind <= write && b.kind == proxyFence, a.kind == proxyFence && b.kind <= write:
				p.fenced.add(i, j)
			}
		}
	}
	return p, needed
}

// sameBlock reports whether the threads of two events are of one block.
func (c *candidate) sameBlock(a, b *event) bool {
	ta, tb := &c.test.Threads[a.thread], &c.test.Threads[b.thread]
	return ta.GPU == tb.GPU && ta.CTA == tb.CTA
}

// preserved returns the proxy-preserved part of base, base causality order with program
// order in it: pairs of accesses to one address
//   - that are both generic, or by one proxy in one block, or
//   - with fences on the way: after the first access, if it is not generic, a fence of its
//     proxy in its block, and before the second one likewise;
//
// and pairs of accesses to one word by any addresses, if in addition a fence.proxy.alias
// stands between these fences.
func (p *proxies) preserved(base *relation, f *fixed) *relation {
	out := base.and(&p.fenced) // an access, a fence of its proxy; or the other way round
	leave := out.then(base)    // from an access to what comes after the fence of its proxy
	for i := range all(p.generic) {
		leave[i] |= base[i]
	}
	arrive := base.then(out)
	for i := range arrive {
		arrive[i] |= base[i] & p.generic
	}

	way := base.and(&p.shared)
	way.union(leave.between(^set(0), p.generic)) // also both generic
	way.union(leave.then(out))
	preserved := way.and(&f.sameAddr)

	over := leave.between(^set(0), p.alias).then(arrive)
	preserved.union(over.and(&f.sameLoc))
	return preserved
}
