package annotate

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/sim/profile"
)

// Annotation says where a run spent its time: `weft annotate --json` prints it
// next to the run. Cycles are those of resident warps.
type Annotation struct {
	Cycles    uint64    `json:"warp_cycles"`
	Stalled   uint64    `json:"stalled_warp_cycles"`
	Kernels   []Kernel  `json:"kernels"`
	Addresses []Address `json:"atomics_by_address"`
	Buffers   []Address `json:"atomics_by_buffer"`
	Launches  []Launch  `json:"atomics_by_launch"`
	Sectors   []Address `json:"waits_by_sector"` // loads, stores and atomics that wait at the ports of L2 slices
}

// Kernel is the annotation of one kernel. The kernel with the most cycles comes
// first.
type Kernel struct {
	Name     string `json:"name"`
	Launches int    `json:"launches"`
	Cycles   uint64 `json:"cycles"`
	Lines    []Line `json:"lines"`
	Calls    []Call `json:"calls"`

	total profile.Inst
}

// Cost is the cost of a line, or of everything below a call.
type Cost struct {
	Cycles       uint64            `json:"warp_cycles"`
	Stalled      uint64            `json:"stalled_warp_cycles"`
	Stalls       map[string]uint64 `json:"stalls,omitempty"` // by reason
	Instructions uint64            `json:"warp_instructions"`
	Lanes        float64           `json:"lanes"` // mean number of active lanes per instruction
	Requests     uint64            `json:"requests,omitempty"`
	Sectors      uint64            `json:"sectors,omitempty"`
	L1Hits       uint64            `json:"l1_hit_sectors,omitempty"`
	Passes       uint64            `json:"shared_passes,omitempty"`
	Conflicts    uint64            `json:"shared_conflicts,omitempty"`
	Ways         []uint64          `json:"shared_ways,omitempty"` // number of accesses by number of passes, from 0
	Atomics      uint64            `json:"atomics,omitempty"`
	Degree       uint32            `json:"highest_degree,omitempty"`
	Queue        uint32            `json:"longest_queue,omitempty"`
	Serial       float64           `json:"serialised_cycles,omitempty"`
}

// Line is a source line, without the code that was inlined at calls in it: that
// code counts at its own lines.
type Line struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Func string `json:"func"`
	Cost

	inst profile.Inst
}

// Call is a line, with all the code that was inlined there.
type Call struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Func string `json:"func"`
	Cost
	Calls []Call `json:"calls,omitempty"`

	inst profile.Inst
}

// Address is an address, or a whole buffer, on which atomics operated.
type Address struct {
	Space  string  `json:"space"`
	Buffer string  `json:"buffer"`
	Index  *int    `json:"index,omitempty"`
	Byte   int     `json:"byte,omitempty"`
	Ops    uint64  `json:"operations"`
	Missed uint64  `json:"operations_missed_at_most,omitempty"`
	Queue  uint32  `json:"longest_queue"`
	Serial float64 `json:"serialised_cycles"`
	Waited float64 `json:"waited_cycles"` // by all operations
	Kernel string  `json:"kernel,omitempty"`
	File   string  `json:"file,omitempty"` // where the queue was longest
	Line   int     `json:"line,omitempty"`
}

// Launch says how often lanes of warps collided in atomics in a launch.
type Launch struct {
	Launch      int    `json:"launch"`
	Kernel      string `json:"kernel"`
	Cycles      uint64 `json:"cycles"`
	Global      Meet   `json:"global"`
	Shared      Meet   `json:"shared"`
	BlockDegree uint32 `json:"highest_degree_in_a_block"`
	Merged      int    `json:"further_launches,omitempty"`
}

type Meet struct {
	Ops     uint64   `json:"operations"`
	Mean    float64  `json:"mean_degree"`
	Highest uint32   `json:"highest_degree"`
	Degrees []uint64 `json:"degrees,omitempty"` // groups of lanes on one address by their size, from 0
}

// Sum summarises a profile with the top addresses and sectors; top 0 means all.
func Sum(p *profile.Profile, top int) *Annotation {
	an := &Annotation{Kernels: []Kernel{}, Buffers: []Address{}, Launches: []Launch{}}
	for _, k := range p.Kernels {
		ak := Kernel{Name: k.Name, Launches: k.Launches, Cycles: k.Cycles, total: k.Total()}
		for _, l := range k.Lines() {
			ak.Lines = append(ak.Lines, Line{l.File, l.Line, l.Func, costOf(&l.Inst), l.Inst})
		}
		ak.Calls = callsOf(k.Calls())
		an.Cycles += ak.total.Cycles()
		an.Stalled += ak.total.Stalled()
		an.Kernels = append(an.Kernels, ak)
	}
	slices.SortStableFunc(an.Kernels, func(a, b Kernel) int { return cmp.Compare(b.total.Cycles(), a.total.Cycles()) })
	an.Addresses, an.Sectors = places(p, p.Addresses(top)), places(p, p.Sectors(top))
	for _, b := range p.Buffers() {
		an.Buffers = append(an.Buffers, Address{Space: b.Space.String(), Buffer: b.Name, Ops: b.Ops, Queue: b.Queue,
			Serial: cycles(b.Serial), Waited: cycles(b.Waited)})
	}
	for i, l := range p.Launches {
		if l.Global.Ops+l.Shared.Ops > 0 {
			an.Launches = append(an.Launches, Launch{i, l.Kernel, l.Cycles, meetOf(&l.Global), meetOf(&l.Shared), l.BlockDegree, l.Merged})
		}
	}
	return an
}

// places returns addresses of a profile with their source lines.
func places(p *profile.Profile, list []profile.Address) []Address {
	out := []Address{}
	for _, a := range list {
		k := p.Kernels[a.Kernel]
		pos := k.Position(a.PC)
		x := Address{a.Space.String(), a.Buffer, &a.Index, a.Byte, a.Ops, a.Missed, a.Queue,
			cycles(a.Serial), cycles(a.Waited), k.Name, pos.File, pos.Line}
		if a.Single {
			x.Index = nil
		}
		out = append(out, x)
	}
	return out
}

func meetOf(d *profile.Degrees) Meet {
	return Meet{d.Ops, d.Mean(), d.Highest, d.Count}
}

// cycles converts ticks of a profile to cycles.
func cycles(ticks uint64) float64 { return float64(ticks) / profile.TicksPerCycle }

func callsOf(nodes []*profile.Node) (out []Call) {
	for _, n := range nodes {
		out = append(out, Call{n.File, n.Line, n.Func, costOf(&n.Inst), callsOf(n.Children), n.Inst})
	}
	return out
}

func costOf(in *profile.Inst) Cost {
	c := Cost{
		Cycles: in.Cycles(), Stalled: in.Stalled(), Stalls: map[string]uint64{}, Instructions: in.Issues, Lanes: ratio(in.Lanes, in.Issues),
		Requests: in.Requests, Sectors: in.Sectors, L1Hits: in.L1Hits, Passes: in.Passes, Conflicts: in.Conflicts,
		Atomics: in.Atomics, Degree: in.Degree, Queue: in.Queue, Serial: cycles(in.Serial),
	}
	for i, name := range counter.StallNames() {
		if in.Stalls[i] > 0 {
			c.Stalls[name] = in.Stalls[i]
		}
	}
	for w := len(in.Ways) - 1; w > 0; w-- {
		if in.Ways[w] > 0 {
			c.Ways = append([]uint64(nil), in.Ways[:w+1]...)
			break
		}
	}
	return c
}

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b uint64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// sourceFile is a file of device code and the extents of its functions.
type sourceFile struct {
	lines []string
	funcs [][2]int // first (of its comment) and last line
}

func readSource(name string, text []byte) *sourceFile {
	s := &sourceFile{lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil { // it has been compiled, so it parses
		return s
	}
	for _, d := range f.Decls {
		first, last := d.Pos(), d.End()
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
			first = fn.Doc.Pos()
		}
		s.funcs = append(s.funcs, [2]int{fset.Position(first).Line, fset.Position(last).Line})
	}
	return s
}

// shown returns the line ranges of the declarations that contain one of the
// wanted lines.
func (s *sourceFile) shown(wanted []int) (spans [][2]int) {
	for _, w := range wanted {
		span := [2]int{w, w}
		for _, f := range s.funcs {
			if w >= f[0] && w <= f[1] {
				span = f
			}
		}
		if n := len(spans); (n == 0 || spans[n-1] != span) && w > 0 && span[1] <= len(s.lines) {
			spans = append(spans, span)
		}
	}
	return spans
}
