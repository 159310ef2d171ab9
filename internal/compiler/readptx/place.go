package readptx

import (
	"regexp"
)

// toolkit are the headers of a CUDA toolkit or of a compiler: whose lines say nothing of
// a program.
var toolkit = regexp.MustCompile(`(^|/)(cuda[^/]*/([^/]+/)*include|lib/clang/[^/]+/include|nvidia[^/]*/([^/]+/)*include)/|/__clang_cuda_[^/]*$`)

// settle gives code from headers of the toolkit, such as that of atomicAdd, the place in
// front of it in the text of a function, which is that of the call. Compilers write no
// other trace of calls that they have put in line, unless .loc has inlined_at.
func (m *Module) settle(f *function) {
	ours := map[int]bool{}
	for i, name := range m.files {
		ours[i] = !toolkit.MatchString(name)
	}
	last := int32(0)
	for i := range f.body {
		s := &f.body[i]
		switch at := m.places[s.at]; {
		case s.at == 0:
		case ours[at.file]:
			last = s.at
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
