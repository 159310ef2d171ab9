package opt

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// pending finds for each wait for products of warpgroups the virtual registers that a product may still read there. A product reads the rows
// of its first factor, if these are in registers, until the warp has waited for it (PTX ISA, "wgmma.mma_async": accessing them before is undefined): no
// other value may be in them by then. That a loop does not compute the same value again before its wait is up to the kernel. A wait that leaves groups behind ends none here, since which ones these are depends on the way there.
func (m *machine) pending() {
	ends := make([][]int32, len(m.blocks)) // by block: registers that are read at its end
	begins := make([][]int32, len(m.blocks))
	add := func(list []int32, more ...int32) []int32 {
		for _, r := range more {
			if !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
		return list
	}
	for again := true; again; {
		again = false
		for i, block := range m.blocks {
			now := slices.Clone(begins[i])
			for _, v := range block.ins {
				switch v.Op {
				case ir.OpGroupMMAFrom:
					for _, a := range v.Args[1:5] {
						if r := m.reg[m.res(a).ID]; r >= 0 {
							now = add(now, r)
						}
					}
				case ir.OpGroupMMAWait:
					if len(now) > 0 {
						m.held[v] = now
					}
					if v.Imm == 0 {
						now = nil
					}
				}
			}
			if len(now) == len(ends[i]) {
				continue // they only become more
			}
			ends[i], again = now, true
			for _, succ := range block.succs {
				begins[succ] = add(begins[succ], now...)
			}
		}
	}
}
