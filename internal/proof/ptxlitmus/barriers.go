package ptxlitmus

import (
	"math/bits"
	"slices"
)

// Named barriers. The instructions of a block that meet are those with the same instance
// and, where they give one, the same id; the k-th arrival of a thread meets the k-th
// arrivals of the others. Without a count a barrier waits for every thread of the block
// whose code has it. With a count n it waits for n arrivals, and whoever arrives later
// passes.

// meeting is one use of a barrier: the arrivals that meet.
type meeting struct {
	all  set // of events
	must set // the arrivals for which it waits
}

// meetKey tells meetings apart.
type meetKey struct {
	gpu, cta     int
	instance, id int32
	named        bool
	round        int
}

func (c *candidate) meetings() (keys []meetKey, groups map[meetKey]set) {
	groups = map[meetKey]set{}
	for i, e := range c.events {
		if e.kind == barrier {
			th := &c.test.Threads[e.thread]
			k := meetKey{th.GPU, th.CTA, e.bar.instance, e.bar.id, e.bar.named, e.bar.round}
			if groups[k] == 0 {
				keys = append(keys, k)
			}
			groups[k] |= 1 << i
		}
	}
	return keys, groups
}

// expects reports whether the code of some thread of the block has this barrier, but the
// thread has not arrived there. Where the id is in a register, only arrivals count.
func (c *candidate) expects(k meetKey) bool {
	for i := range c.test.Threads {
		th := &c.test.Threads[i]
		if th.GPU != k.gpu || th.CTA != k.cta {
			continue
		}
		has := slices.ContainsFunc(th.Code, func(in Instr) bool {
			if in.Op != BarSync && in.Op != BarArrive || in.Instance != k.instance || (in.ID != nil) != k.named {
				return false
			}
			return in.ID == nil || in.ID.Reg == "" && in.ID.Const == k.id
		})
		arrived := slices.ContainsFunc(c.events, func(e event) bool {
			return e.kind == barrier && e.thread == i && e.bar.instance == k.instance && e.bar.named == k.named && e.bar.id == k.id
		})
		if has && !arrived {
			return true
		}
	}
	return false
}

// barriers calls yield for every way in which the barriers of the execution can let their
// threads pass, with the pairs that synchronize. It counts in c.stuck the executions in
// which some thread waits forever.
func (c *candidate) barriers(yield func(sync *relation) error) error {
	keys, groups := c.meetings()
	return c.meet(keys, groups, nil, yield)
}

// meet decides for which arrivals the first of the meetings waits, and goes on with the
// others.
func (c *candidate) meet(keys []meetKey, groups map[meetKey]set, done []meeting, yield func(*relation) error) error {
	if len(keys) == 0 {
		if !c.ends(done) {
			c.stuck++
			return nil
		}
		var sync relation
		for _, m := range done {
			for i := range all(m.must) {
				for j := range all(m.all &^ (1 << i)) {
					if c.events[j].bar.waits {
						sync.add(i, j)
					}
				}
			}
		}
		return yield(&sync)
	}
	k, arrived := keys[0], groups[keys[0]]
	count := 0
	for i := range all(arrived) {
		if c.events[i].bar.counted {
			count = max(count, int(c.events[i].bar.count))
		}
	}
	if bits.OnesCount64(arrived) < count || count == 0 && k.round == 0 && c.expects(k) {
		c.stuck++
		return nil
	}
	if count == 0 {
		return c.meet(keys[1:], groups, append(done, meeting{arrived, arrived}), yield)
	}
	return subsets(arrived, count, 0, func(must set) error {
		return c.meet(keys[1:], groups, append(slices.Clip(done), meeting{arrived, must}), yield)
	})
}

// subsets calls yield with chosen and each set of n more events of s.
func subsets(s set, n int, chosen set, yield func(set) error) error {
	if n == 0 {
		return yield(chosen)
	}
	for i := range all(s) {
		if err := subsets(s&^(1<<(i+1)-1), n-1, chosen|1<<i, yield); err != nil {
			return err
		}
	}
	return nil
}

// ends runs the threads from barrier to barrier and reports whether all reach their ends.
func (c *candidate) ends(meetings []meeting) bool {
	of := func(event int) *meeting {
		i := slices.IndexFunc(meetings, func(m meeting) bool { return m.all>>event&1 != 0 })
		return &meetings[i]
	}
	waiting := make([][]int, len(c.test.Threads)) // the arrivals that are still to come
	for i, e := range c.events {
		if e.kind == barrier {
			waiting[e.thread] = append(waiting[e.thread], i)
		}
	}
	var arrived set
	for moved := true; moved; {
		moved = false
		for t := range waiting {
			for len(waiting[t]) > 0 {
				i := waiting[t][0]
				if arrived>>i&1 == 0 {
					arrived |= 1 << i
					moved = true
				}
				if m := of(i); c.events[i].bar.waits && m.must&^arrived != 0 {
					break
				}
				waiting[t] = waiting[t][1:]
				moved = true
			}
		}
	}
	return !slices.ContainsFunc(waiting, func(w []int) bool { return len(w) > 0 })
}
