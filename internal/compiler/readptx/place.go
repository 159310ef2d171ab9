package readptx

import (
	"regexp"
)

// toolkit are the headers of a CUDA toolkit or of a compiler: whose lines say nothing of
// a program.
var toolkit = regexp.MustCompile(`(^|/)(cuda[^/]*/([^/]+/)*include|lib/clang/[^/]+/include|nvidia[^/]*/([^/]+/)*include)/|/__clang_cuda_[^/]*$`)

// settle gives code from headers of the toolkit, such as that of atomicAdd, the place in
// front of it in the text of a function, which is that of the call. Code from another file
// of the program than that of the function keeps its own, as a call from there. Compilers
// write no other trace of calls that they have put in line, unless .loc has inlined_at.
func (m *Module) settle(f *function) {
	ours := map[int]bool{}
	for i, name := range m.files {
		ours[i] = !toolkit.MatchString(name)
	}
	last, home := int32(0), 0
	called := map[[2]int32]int32{}
	for i := range f.body {
		s := &f.body[i]
		switch at := m.places[s.at]; {
		case s.at == 0:
		// A function of another file of the program, which is put in line here. The place in front of it is that of the call.
		case ours[at.file] && home != 0 && at.file != home && at.in == 0:
			from := [2]int32{s.at, last}
			if called[from] == 0 {
				at.in = last
				called[from] = int32(len(m.places))
				m.places = append(m.places, at)
			}
			s.at = called[from]
		case ours[at.file]:
			last = s.at
			if home == 0 {
				home = at.file
			}
		case at.in != 0: // the call is known
			s.at = m.outermost(s.at, ours)
		case last != 0:
			s.at = last
		}
	}
}

// outermost returns the first place along the calls of one that is in the program; the
// place itself if none is.
func (m *Module) outermost(at int32, ours map[int]bool) int32 {
	for in := at; in != 0; in = m.places[in].in {
		if ours[m.places[in].file] {
			return in
		}
	}
	return at
}
