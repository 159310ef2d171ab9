package readptx

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Module is a module of PTX. It is safe for concurrent use.
type Module struct {
	Name    string // of the file
	Version string // "8.3"
	Target  string // "sm_90"
	Entries []*Entry

	text      string
	functions map[string]*function
	order     []string // the functions, as they stand in the module
	vars      map[string]*variable
	varOrder  []string
	aliases   map[string]string
	rolled    bool              // .pragma "nounroll" of the whole module
	addresses map[string]uint64 // of device functions; nil before the first is asked for
	takenList []*function       // functions whose address something has, once haveTaken is set
	haveTaken bool
	files     []string // by number
	strings   map[string]string
	places    []place // places[0] is unknown
	placeOf   map[place]int32

	mu        sync.Mutex
	variables map[string]*ir.Variable
	kernels   map[string]*ir.Kernel
	formats   []string // of printf, by number
}

// Entry is a kernel of a module.
type Entry struct {
	Name   string // as the module has it: "_Z3addPiS_i"
	Shown  string // as the source has it: "add"
	For    int    // compute capability for which it was compiled: 70
	Line   int    // in the PTX
	Params []Param
	// MaxBlock is the largest block that a launch may have (.maxntid), OnlyBlock the one
	// that it must have (.reqntid); zeros: any.
	MaxBlock, OnlyBlock [3]int
	OnlyCluster         [3]int // .reqnctapercluster; 0: any
	MinBlocks           int    // .minnctapersm
	MaxRegisters        int    // .maxnreg
}

// Param is a parameter of a kernel. A launch passes its bytes.
type Param struct {
	Name  string
	Type  string // as the module has it: ".u64", ".b8[20]"
	Off   int    // where it begins among all parameters of the kernel
	Size  int
	Align int
}

// Read reads a module. name is what errors call it. The error names the line of what
// cannot be read. Instructions that are read but not supported are an error of Kernel,
// and of Refused.
func Read(name string, text []byte) (*Module, error) {
	m := &Module{
		Name: name, text: string(text), functions: map[string]*function{}, vars: map[string]*variable{}, aliases: map[string]string{},
		strings: map[string]string{}, places: make([]place, 1), placeOf: map[place]int32{},
		variables: map[string]*ir.Variable{}, kernels: map[string]*ir.Kernel{},
	}
	tokens, err := scan(name, m.text)
	if err != nil {
		return nil, err
	}
	p := &parser{file: name, tokens: tokens, m: m}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return m, nil
}

// entryOf describes a kernel.
func (m *Module) entryOf(f *function) *Entry {
	e := &Entry{Name: f.name, Shown: demangled(f.name), For: capability(m.Target), Line: f.line, MaxBlock: f.max, OnlyBlock: f.req, OnlyCluster: f.cluster, MinBlocks: f.minimum, MaxRegisters: f.maxRegs}
	off := 0
	for _, v := range f.params {
		off = (off + v.align - 1) &^ (v.align - 1)
		p := Param{Name: v.name, Type: "." + strings.TrimPrefix(typeName(v), "."), Off: off, Size: v.size(), Align: v.align}
		off += p.Size
		e.Params = append(e.Params, p)
	}
	return e
}

// capability returns the compute capability of a target: 90 for "sm_90a".
func capability(target string) int {
	n, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(target, "sm_"), "af"))
	if err != nil {
		return 0
	}
	return n
}

// typeName returns the type of a variable as PTX writes it.
func typeName(v *variable) string {
	name := ""
	for text, t := range types {
		if t == v.typ {
			name = text
		}
	}
	if v.array {
		name += fmt.Sprintf("[%d]", v.count)
	}
	return name
}

// Entry returns the kernel of a name: that of the module, or that of the source if no
// other kernel has it. The error lists the kernels.
func (m *Module) Entry(name string) (*Entry, error) {
	var found []*Entry
	for _, e := range m.Entries {
		if e.Name == name {
			return e, nil
		}
		if e.Shown == name || m.title(e) == name {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fmt.Errorf("%s has no kernel %q; it has %s", m.Name, name, m.names())
	}
	var names []string
	for _, e := range found {
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("%s has %d kernels %s; write %s", m.Name, len(found), name, strings.Join(names, " or "))
}

// title returns what reports call a kernel: its name in the source; with the arguments of its template, unless these are
// long, if another kernel has that, too; else its name in the module.
func (m *Module) title(e *Entry) string {
	if m.only(e, func(e *Entry) string { return e.Shown }) {
		return e.Shown
	}
	const longest = 80
	if t := Instance(e.Name); len(t) <= longest && m.only(e, func(e *Entry) string { return Instance(e.Name) }) {
		return t
	}
	return e.Name
}

// only reports whether no other kernel has the name of e.
func (m *Module) only(e *Entry, name func(*Entry) string) bool {
	return !slices.ContainsFunc(m.Entries, func(other *Entry) bool { return other != e && name(other) == name(e) })
}

func (m *Module) names() string {
	if len(m.Entries) == 0 {
		return "none"
	}
	var names []string
	for _, e := range m.Entries {
		names = append(names, e.Name)
	}
	sort.Strings(names)
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d others", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// Variables returns the variables of the module in global and constant memory, in
// their order.
func (m *Module) Variables() (list []*ir.Variable, err error) {
	for _, name := range m.varOrder {
		if v := m.vars[name]; v.space != ".shared" {
			one, err := m.Variable(name)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
	}
	return list, nil
}

// Variable returns a variable of the module in global or constant memory.
func (m *Module) Variable(name string) (*ir.Variable, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := m.vars[name]
	if v == nil || v.space == ".shared" {
		return nil, fmt.Errorf("%s has no variable %q in global or constant memory", m.Name, name)
	}
	return m.variable(v)
}

// Kernel builds a kernel of that name (see Entry), once.
func (m *Module) Kernel(name string) (*ir.Kernel, error) {
	e, err := m.Entry(name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.kernels[e.Name]; k != nil {
		return k, nil
	}
	k, err := m.build(e)
	if err == nil {
		m.kernels[e.Name] = k
	}
	return k, err
}

// Declared returns a kernel as its declaration describes it, which a GPU's driver can run and nothing here: with
// instructions that are not supported, too.
func (m *Module) Declared(name string) (*ir.Kernel, error) {
	e, err := m.Entry(name)
	if err != nil {
		return nil, err
	}
	k := m.described(e)
	for _, p := range e.Params {
		k.Params = append(k.Params, p.forKernel())
	}
	return k, nil
}

// described returns a kernel without its parameters and its code.
func (m *Module) described(e *Entry) *ir.Kernel {
	return &ir.Kernel{Name: m.title(e), Source: &ir.Source{Text: m.text, Entry: e.Name, Printer: m}, MaxBlock: e.MaxBlock, OnlyBlock: e.OnlyBlock, OnlyCluster: e.OnlyCluster[0] * e.OnlyCluster[1] * e.OnlyCluster[2], OnlyClusterDim: e.OnlyCluster}
}

// forKernel returns the parameter of the kernel.
func (p *Param) forKernel() ir.Param {
	return ir.Param{Name: p.Name, Type: p.Type, Bytes: p.Size, Align: p.Align}
}
