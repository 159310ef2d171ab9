package profile

import (
	"io"
	"path"

	"github.com/google/pprof/profile"

	"github.com/weft-gpu/weft/internal/base/printable"
)

// WritePprof writes the profile in the (gzipped) format of pprof: cycles of warps and instructions by source line,
// with inlined frames, below a frame of the kernel. The labels are kernel and state; the state is the name of a stall
// reason (states lists the names by index), or "selected" for the cycles in which warps issue. seconds is the
// simulated time of the run. onDisk returns where a source file is on disk, so that go tool pprof -list finds it from
// any directory, and "" if the file keeps its name; a nil onDisk keeps all names.
func (p *Profile) WritePprof(w io.Writer, states []string, seconds float64, onDisk func(file string) string) error {
	if onDisk == nil {
		onDisk = func(string) string { return "" }
	}
	builder := &builder{functions: map[[2]string]*profile.Function{}, onDisk: onDisk}
	builder.out = &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "cycles", Unit: "count"}, {Type: "instructions", Unit: "count"}},
		DefaultSampleType: "cycles",
		PeriodType:        &profile.ValueType{Type: "cycles", Unit: "count"},
		Period:            1,
		DurationNanos:     int64(seconds * 1e9),
		Comments:          []string{"simulated by weft: cycles are those of resident warps, instructions those of warps"},
		Mapping: []*profile.Mapping{{ID: 1, File: "weft", HasFunctions: true, HasFilenames: true,
			HasLineNumbers: true, HasInlineFrames: true}},
	}
	for _, k := range p.Kernels {
		builder.kernel(k, states)
	}
	if err := builder.out.CheckValid(); err != nil {
		return err
	}
	return builder.out.Write(w)
}

type builder struct {
	out       *profile.Profile
	functions map[[2]string]*profile.Function
	onDisk    func(file string) string
}

// kernel adds a kernel, with a sample for each position and state.
func (b *builder) kernel(k *Kernel, states []string) {
	byPos := map[int32]*Inst{}
	var order []int32
	chains := map[int32]*profile.Location{}
	for pc := range k.Insts {
		in := &k.Insts[pc]
		if in.Cycles() == 0 {
			continue
		}
		pos := k.At[pc]
		sum := byPos[pos]
		if sum == nil {
			sum = &Inst{}
			byPos[pos] = sum
			order = append(order, pos)
			chains[pos] = b.location(k.Chain(pc))
		}
		sum.Add(in)
	}
	root := b.location([]Position{{Func: k.Name}})
	for _, pos := range order {
		in := byPos[pos]
		add := func(state string, cycles, insts uint64) {
			if cycles == 0 && insts == 0 {
				return
			}
			b.out.Sample = append(b.out.Sample, &profile.Sample{
				Location: []*profile.Location{chains[pos], root},
				Value:    []int64{int64(cycles), int64(insts)},
				Label:    map[string][]string{"kernel": {k.Name}, "state": {state}},
			})
		}
		add("selected", in.Issues, in.Issues)
		for s, name := range states {
			add(name, in.Stalls[s], 0)
		}
	}
}

// location adds a place in the code with the frames inlined there, the innermost first.
func (b *builder) location(chain []Position) *profile.Location {
	l := &profile.Location{ID: uint64(len(b.out.Location) + 1), Mapping: b.out.Mapping[0]}
	l.Address = l.ID
	for _, p := range chain {
		l.Line = append(l.Line, profile.Line{Function: b.function(p), Line: int64(p.Line), Column: int64(p.Col)})
	}
	b.out.Location = append(b.out.Location, l)
	return l
}

func (b *builder) function(p Position) *profile.Function {
	name := p.Func
	if name == "" {
		name = "unknown"
	}
	file := printable.Line(p.File) // pprof prints the name without escaping
	if file != "" {
		name = path.Base(path.Dir(file)) + "." + name
	}
	key := [2]string{name, file}
	f := b.functions[key]
	if f == nil {
		if full := b.onDisk(p.File); p.File != "" && full != "" {
			file = printable.Line(full)
		}
		f = &profile.Function{ID: uint64(len(b.out.Function) + 1), Name: name, SystemName: name, Filename: file}
		b.functions[key] = f
		b.out.Function = append(b.out.Function, f)
	}
	return f
}
