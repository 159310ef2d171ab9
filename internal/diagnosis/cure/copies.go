package cure

import (
	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// isCopy reports whether in begins an asynchronous copy, or a product of a warpgroup, for which a warp waits as for copies.
func isCopy(in *ir.Inst) bool {
	return in.Op.Action() == ir.ActCopy || isBulk(in) || in.Op.IsGroupMMA()
}

// isBulk reports whether in begins a copy in bulk to global memory.
func isBulk(in *ir.Inst) bool { return in.Op.Action() == ir.ActBulk }

// waitOps are what waits for all copies of a thread, with its text.
func (s *search) waitOps() (text string, ops []ir.Op) {
	switch {
	case s.first.Op.IsGroupMMA() || s.second.Op.IsGroupMMA():
		return "t.CommitSums() and t.WaitSums(0)", []ir.Op{ir.OpGroupMMACommit, ir.OpGroupMMAWait}
	case isCopy(s.first) && !isBulk(s.first), !isBulk(s.first) && !isBulk(s.second):
		return "t.WaitAllCopies()", []ir.Op{ir.OpCopyCommit, ir.OpCopyWait}
	case s.race.Space == "shared":
		return "t.CommitBulk() and t.WaitBulkRead(0)", []ir.Op{ir.OpBulkCommit, ir.OpBulkWaitRead}
	}
	return "t.CommitBulk() and t.WaitBulk(0)", []ir.Op{ir.OpBulkCommit, ir.OpBulkWait}
}

// proxies are the plans that add a fence of the asynchronous proxy: behind the store, or before the copy.
func (s *search) proxies() (list []*plan) {
	if len(s.progs) != 1 {
		return nil
	}
	p := s.progs[0]
	for i := range p.Code {
		if in, pc := &p.Code[i], int32(i); in == s.first {
			list = append(list, &plan{edits: []edit{{what: "add t.FenceAsync() after " + lineOf(p, in).String(), prog: p, do: func(e *remedy.Edit) {
				e.After(pc, blank(ir.OpFenceAsync, in))
			}}}})
		}
	}
	for i := range p.Code {
		if in, pc := &p.Code[i], int32(i); in == s.second {
			list = append(list, &plan{edits: []edit{{what: "add t.FenceAsync() before " + lineOf(p, in).String(), prog: p, do: func(e *remedy.Edit) {
				e.Before(pc, blank(ir.OpFenceAsync, in))
			}}}})
		}
	}
	return list
}

// waits are the plans that add a wait for all copies of a thread, with a barrier of the block behind it if synced is set.
func (s *search) waits(synced bool) (list []*plan) {
	if len(s.progs) != 1 || s.distance > 1 {
		return nil
	}
	text, ops := s.waitOps()
	p, what := s.progs[0], "add "+text+" "
	if synced {
		what = "add " + text + " and t.Sync() "
	}
	for _, x := range s.waitPlaces(p) {
		list = append(list, &plan{edits: []edit{{what: what + x.where, prog: p, do: func(e *remedy.Edit) {
			for _, pc := range x.pcs {
				var add []ir.Inst
				for _, op := range ops {
					wait := blank(op, &p.Code[pc])
					if op.OfSums() { // of all lanes, as the product
						wait.NSrc, wait.Src[0] = 1, s.product().Src[0]
					}
					add = append(add, wait)
				}
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

// product returns which of the accesses is the product of a warpgroup.
func (s *search) product() *ir.Inst {
	if s.first.Op.IsGroupMMA() {
		return s.first
	}
	return s.second
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
