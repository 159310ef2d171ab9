package readptx

// PatternsOf returns the rows of the instructions in the body of a module's kernel.
func (m *Module) PatternsOf(name string) (list []string) {
	k := known{}
	f := m.functions[name]
	for i := range f.body {
		if s := &f.body[i]; s.label == "" {
			if in, wrong := k.look(s); wrong == "" {
				list = append(list, in.form.pattern)
			}
		}
	}
	return list
}
