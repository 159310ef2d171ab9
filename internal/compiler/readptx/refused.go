package readptx

import (
	"fmt"
	"strings"
)

// refusedIn returns the refused instructions of a function and of all that it calls.
func (m *Module) refusedIn(f *function) (list []*Refused) {
	seen := map[*function]bool{}
	names := known{}
	var visit func(f *function)
	visit = func(f *function) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		for i := range f.body {
			s := &f.body[i]
			if s.label != "" {
				continue
			}
			if s.call != nil {
				visit(m.functions[m.target(s.call)])
			}
			if in, wrong := names.look(s); wrong == "" && in.form.refuse != "" {
				list = append(list, m.refuse(f, s, in.form))
			}
		}
	}
	visit(f)
	return list
}

func (m *Module) target(c *call) string {
	if to, ok := m.aliases[c.target]; ok {
		return to
	}
	return c.target
}

// Refused is an instruction that is not supported.
type Refused struct {
	Instruction string // "wgmma.fence.sync.aligned"
	Function    string
	File        string // of the PTX
	Line        int
	Source      string // "prog.cu:12"; "" if unknown
	Why         string // and what to do instead
}

// String returns "file.ptx:7 (prog.cu:12): wgmma: why".
func (r *Refused) String() string {
	at := fmt.Sprintf("%s:%d", r.File, r.Line)
	if r.Source != "" {
		at += " (" + r.Source + ")"
	}
	return fmt.Sprintf("%s: %s: %s", at, r.Instruction, r.Why)
}

func (m *Module) refuse(f *function, s *statement, row *form) *Refused {
	r := &Refused{Instruction: s.op + s.mods, Function: f.name, File: m.Name, Line: int(s.line), Why: row.refuse}
	if at := m.places[s.at]; at.file > 0 && at.file < len(m.files) {
		r.Source = fmt.Sprintf("%s:%d", m.files[at.file], at.line)
	}
	return r
}

// Refused returns the instructions of the module that are not supported, in the order of
// its functions. Kernels that do not reach them can be built all the same.
func (m *Module) Refused() (list []*Refused) {
	names := known{}
	for _, name := range m.order {
		f := m.functions[name]
		for i := range f.body {
			if s := &f.body[i]; s.label == "" {
				if in, wrong := names.look(s); wrong == "" && in.form.refuse != "" {
					list = append(list, m.refuse(f, s, in.form))
				}
			}
		}
	}
	return list
}

// RefusedError is the error for a kernel with instructions that are not supported.
type RefusedError struct {
	Kernel string
	List   []*Refused
}

// Error returns a line for each of the first instructions.
func (e *RefusedError) Error() string {
	const most = 5
	lines := []string{"kernel " + e.Kernel + " has instructions that are not supported:"}
	for i, r := range e.List {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d others", len(e.List)-most))
			break
		}
		lines = append(lines, r.String())
	}
	return strings.Join(lines, "\n  ")
}
