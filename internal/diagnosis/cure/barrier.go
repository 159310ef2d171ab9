package cure

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/diagnosis/remedy"
)

// place is where a barrier may be added.
type place struct {
	where  string // "before a.go:7"
	pcs    []int32
	before bool
}

// barriers are the plans that add one barrier, or two, of the block or of the warp.
func (s *search) barriers() (list []*plan) {
	if len(s.progs) != 1 || s.distance > 1 {
		return nil
	}
	p := s.progs[0]
	places := s.places(p)
	kinds := []string{"t.Sync()"}
	if s.distance == 0 {
		kinds = []string{"t.SyncWarp(gpu.FullMask)", "t.Sync()"}
	}
	for _, kind := range kinds {
		for i, a := range places {
			list = append(list, &plan{edits: []edit{a.barrier(p, kind)}})
			for _, b := range places[:i] {
				both := []edit{b.barrier(p, kind), a.barrier(p, kind)}
				both[1].what = both[1].what[len("add "):]
				list = append(list, &plan{edits: both})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *plan) int { return len(a.edits) - len(b.edits) })
	return list
}

// handovers are the plans that add a barrier of the block beside changes of orders and scopes: one thread of a block tells
// others what all of its threads have done.
func (s *search) handovers() (list []*plan) {
	orders := s.orders()
	if len(s.progs) != 1 || s.distance < 2 {
		return nil
	}
	for _, x := range s.places(s.progs[0]) {
		list = append(list, &plan{edits: append(slices.Clone(orders), x.barrier(s.progs[0], "t.Sync()")), reduce: true})
	}
	return list
}

// barrier adds a barrier at a place.
func (x place) barrier(p *ir.Program, kind string) edit {
	return edit{what: "add " + kind + " " + x.where, prog: p, do: func(e *remedy.Edit) {
		for _, pc := range x.pcs {
			in := blank(ir.OpBar, &p.Code[pc])
			if kind != "t.Sync()" {
				in.Op, in.Class, in.NSrc = ir.OpWarpBar, ir.ClassOf(ir.OpWarpBar, ir.Void), 1
				in.Src[0] = e.Constant(ir.U32, 0xffffffff)
			}
			if x.before {
				e.Before(pc, in)
			} else {
				e.After(pc, in)
			}
		}
	}}
}

// places lists where a barrier may order the two lines, the likely places first.
func (s *search) places(p *ir.Program) (list []place) {
	a, b := lineOf(p, s.first), lineOf(p, s.second)
	add := func(where string, before bool, pcs []int32) {
		if len(pcs) == 0 || slices.ContainsFunc(list, func(x place) bool { return x.before == before && slices.Equal(x.pcs, pcs) }) {
			return
		}
		list = append(list, place{where, pcs, before})
	}
	if a == b {
		if stores := s.storesAfterLoads(p, a); len(stores) > 0 {
			add("between the load and the store of "+a.String()+": load into a variable, wait, then store", true, stores)
		}
	}
	runsA, runsB := runs(p, a), runs(p, b)
	if a != b {
		add("before "+b.String(), true, heads(runsB))
		add("after "+a.String(), false, tails(runsA))
	} else {
		add("after "+a.String(), false, tails(runsA))
		add("before "+a.String(), true, heads(runsA))
	}
	var around, after []int32 // of the branches around b: before, and around a: after
	for _, pc := range heads(runsB) {
		around = append(around, branchesAround(p, pc)...)
	}
	for _, pc := range heads(runsA) {
		after = append(after, branchesAround(p, pc)...)
	}
	for _, q := range around {
		add("before the branch at "+lineOf(p, &p.Code[q]).String(), true, []int32{q})
	}
	for _, q := range after {
		if r := p.Code[q].Recon; r >= 0 {
			add("after the branch at "+lineOf(p, &p.Code[q]).String(), true, []int32{r})
		}
	}
	if a != b {
		add("after "+b.String(), false, tails(runsB))
		add("before "+a.String(), true, heads(runsA))
	}
	const most = 8
	return list[:min(most, len(list))]
}

// storesAfterLoads returns the stores of a line before which it has loaded something, without a barrier in between.
func (s *search) storesAfterLoads(p *ir.Program, at line) (list []int32) {
	for _, run := range runs(p, at) {
		loaded := false
		for _, pc := range run {
			in := &p.Code[pc]
			if isStore(in) && loaded {
				list = append(list, pc)
				break
			}
			loaded = loaded || isLoad(in)
		}
	}
	return list
}

// runs returns the accesses to memory of a line, those that follow each other together.
func runs(p *ir.Program, at line) (list [][]int32) {
	var run []int32
	end := func() {
		if len(run) > 0 {
			list, run = append(list, run), nil
		}
	}
	for pc := range p.Code {
		in := &p.Code[pc]
		switch {
		case isShared(in) && lineOf(p, in) == at:
			run = append(run, int32(pc))
		case isShared(in) && in.Op.Effect(), in.Op == ir.OpBra, in.Op == ir.OpJmp, in.Op.Collective():
			end()
		}
	}
	end()
	return list
}

func heads(runs [][]int32) (list []int32) {
	for _, r := range runs {
		list = append(list, r[0])
	}
	return list
}

func tails(runs [][]int32) (list []int32) {
	for _, r := range runs {
		list = append(list, r[len(r)-1])
	}
	return list
}
