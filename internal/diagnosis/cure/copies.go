package cure

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// isCopy reports whether in begins an asynchronous copy.
func isCopy(in *ir.Inst) bool { return in.Op.Action() == ir.ActCopy }

// waits are the plans that add a wait for all copies of a thread, with a barrier of the block behind it if synced is set.
func (s *search) waits(synced bool) (list []*plan) {
	if len(s.progs) != 1 || s.distance > 1 {
		return nil
	}
	p, what := s.progs[0], "add t.WaitAllCopies() "
	if synced {
		what = "add t.WaitAllCopies() and t.Sync() "
	}
	for _, x := range s.waitPlaces(p) {
		list = append(list, &plan{edits: []edit{{what: what + x.where, prog: p, do: func(e *remedy.Edit) {
			for _, pc := range x.pcs {
				add := []ir.Inst{blank(ir.OpCopyCommit, &p.Code[pc]), blank(ir.OpCopyWait, &p.Code[pc])}
				if synced {
					add = append(add, blank(ir.OpBar, &p.Code[pc]))
				}
				if x.before {
					e.Before(pc, add...)
				} else {
					e.After(pc, add...)
				}
			}
		}}}})
	}
	return list
}

// waitPlaces lists where a wait may order the two accesses: right before the second one, and right behind a copy.
func (s *search) waitPlaces(p *ir.Program) (list []place) {
	for i := range p.Code {
		if in := &p.Code[i]; in == s.second && !isCopy(in) {
			list = append(list, place{"before " + lineOf(p, in).String(), []int32{int32(i)}, true})
		}
	}
	for i := range p.Code {
		if in := &p.Code[i]; isCopy(in) && (in == s.first || in == s.second) {
			list = append(list, place{"after " + lineOf(p, in).String(), []int32{int32(i)}, false})
		}
	}
	return list
}
