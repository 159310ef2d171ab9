package cure

import (
	"slices"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// next returns the instructions that may follow one.
func next(p *ir.Program, pc int32) (list []int32) {
	in := &p.Code[pc]
	switch {
	case in.Op == ir.OpJmp:
		return []int32{in.Target}
	case in.Op == ir.OpExit && in.Guard == ir.NoGuard:
		return nil
	case in.Op == ir.OpBra:
		list = append(list, in.Target)
		if in.Guard == ir.NoGuard {
			return list
		}
	}
	if int(pc)+1 < len(p.Code) {
		list = append(list, pc+1)
	}
	return list
}

// reaches reports whether an instruction may come after another one, on a way that does not pass a third one; -1 for any way.
func reaches(p *ir.Program, from, to, avoid int32) bool {
	seen := make([]bool, len(p.Code))
	todo := next(p, from)
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if pc == avoid || seen[pc] {
			continue
		}
		if pc == to {
			return true
		}
		seen[pc] = true
		todo = append(todo, next(p, pc)...)
	}
	return false
}

// branchesAround returns the branches that decide whether a thread comes to an instruction, the innermost first: on one
// side of such a branch the thread may meet the others again without having come there.
func branchesAround(p *ir.Program, pc int32) (list []int32) {
	for b := range p.Code {
		in := &p.Code[b]
		if in.Op != ir.OpBra || in.Guard == ir.NoGuard || int32(b) == pc {
			continue
		}
		sides := 0
		for _, s := range next(p, int32(b)) {
			if s != in.Recon && (s == pc || reaches(p, s, pc, in.Recon)) {
				sides++
			}
		}
		if sides == 1 && in.Target > int32(b) { // not the end of a loop
			list = append(list, int32(b))
		}
	}
	slices.SortFunc(list, func(a, b int32) int { // the innermost is reached from the outer one
		switch {
		case reaches(p, a, b, p.Code[a].Recon):
			return 1
		case reaches(p, b, a, p.Code[b].Recon):
			return -1
		}
		return int(a - b)
	})
	return list
}
