package sim

// places are the SMs of a launch that has fewer blocks than the machine has SMs, in the order of its blocks.
type places struct {
	list []int32
	used []bool // by SM
}

// of returns the SMs that get one of so many blocks each. An H200 gives the first eight blocks to eight SMs, and deals the others to its GPCs in turn: to
// one SM of each TPC first, and to the others when all TPCs have a block. Blocks that follow one another are on one GPC (results/hw/h200/caches/answers.txt, and the maps in
// results/hw/barriers/h200-fences.txt).
func (p *places) of(blocks, sms int, groups uint64) []int32 {
	if len(p.used) != sms {
		p.used = make([]bool, sms)
	}
	clear(p.used)
	first := min(blocks, together, sms)
	for sm := range first {
		p.used[sm] = true
	}
	left, pairs := min(blocks, sms)-first, uint64(sms+1)/2
	// SMs of a group have consecutive numbers, and those of a TPC an even one and the next.
	for second := 0; left > 0; second++ {
		for dealt := true; dealt && left > 0; {
			dealt = false
			for g := uint64(1); g <= groups && left > 0; g++ {
				if sm := p.free(g%groups, groups, pairs, second); sm >= 0 {
					p.used[sm], dealt = true, true
					left--
				}
			}
		}
	}
	p.list = p.list[:0]
	for sm, used := range p.used {
		if used {
			p.list = append(p.list, int32(sm))
		}
	}
	return p.list
}

// free returns the first SM of a group that is the first or second one of its TPC and has no block; -1 if there is none.
func (p *places) free(group, groups, pairs uint64, second int) int {
	for pair := (group*pairs + groups - 1) / groups; pair < pairs && pair*groups/pairs == group; pair++ {
		if sm := int(2*pair) + second; sm < len(p.used) && !p.used[sm] {
			return sm
		}
	}
	return -1
}
