package ir

// Polls reports whether the program has a loop that reads memory which others may change, so that it may wait for them:
// an ordered load or an atomic with a result, or a plain load of a buffer that the program writes. A program whose accesses
// may go anywhere does not count.
func (p *Program) Polls() bool {
	only := p.ReadOnly()
	polls := false
	for pc := range p.Code {
		in := &p.Code[pc]
		if in.Op.Addressed() && in.Root < 0 && in.Mem.Space != Shared && in.Mem.Space != Local {
			return false
		}
		if in.Op != OpBra && in.Op != OpJmp || int(in.Target) > pc {
			continue
		}
		for i := in.Target; int(i) < pc && !polls; i++ {
			in := &p.Code[i]
			polls = in.Op.Addressed() && in.NDst > 0 && (in.Op != OpLoad || in.Mem.Order != Weak || in.Root >= 0 && !only[in.Root])
		}
	}
	return polls
}
