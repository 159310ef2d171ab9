package annotate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/bound"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/internal/view/report"
	"github.com/weft-gpu/weft/sim/profile"
)

// sources reads lines of the device code that was compiled.
type sources struct {
	compiler catalog.Compiler
	files    map[string]*sourceFile
}

// file returns a source file, without lines if it no longer exists.
func (s sources) file(name string) *sourceFile {
	f := s.files[name]
	if f == nil {
		f = &sourceFile{}
		if text, err := s.compiler.Source(name); err == nil {
			f = readSource(name, text)
		}
		s.files[name] = f
	}
	return f
}

// line returns the text of a line without its indentation.
func (s sources) line(file string, n int) string {
	if f := s.file(file); n >= 1 && n <= len(f.lines) {
		return strings.TrimSpace(f.lines[n-1])
	}
	return ""
}

// leastKernel: the summary lists a kernel if it has at least 1/leastKernel of
// the run's stalls.
const leastKernel = 50

// printSummary describes in a few lines, for each kernel, where it spends its
// time.
func printSummary(w io.Writer, r *run.Work, an *Annotation, p *profile.Profile, src sources) {
	run := cyclesOf(an)
	fmt.Fprintf(w, "\nwhere the time goes\n")
	for i := range an.Kernels {
		k := &an.Kernels[i]
		if k.total.Stalled()*leastKernel < an.Stalled {
			continue
		}
		fmt.Fprintf(w, "  %s: %s, %s cycles, %s of the run\n", k.Name, launches(k.Launches), format.Thousands(k.Cycles), share(k.Cycles, run))
		rows := [][]string{
			{"warps execute", fmt.Sprintf("%s instructions, with %.1f of 32 lanes on average", format.Thousands(k.total.Issues), ratio(k.total.Lanes, k.total.Issues))},
			{"they wait for", reasons(&k.total, 3)},
		}
		for i := range r.Kernels {
			if b := &r.Kernels[i]; b.Name == k.Name {
				rows = slices.Insert(rows, 0, []string{"launched with", report.Configuration(b)})
				if b.Occupancy != nil {
					rows = slices.Insert(rows, 1, []string{"occupancy", report.Occupancy(b.Occupancy)})
				}
				if b.Balance != nil {
					rows = append(rows, []string{"balance", report.Balance(b.Balance)})
				}
				if b.Roofline != nil {
					for i := range b.Roofline.Levels {
						rows = append(rows, []string{"roofline", report.Roof(b.Roofline, &b.Roofline.Levels[i])})
					}
				}
				if b.Bound != nil {
					rows = append(rows, []string{"bound by", b.Bound.Text})
				}
			}
		}
		if l := k.worst(); l != nil {
			rows = append(rows, []string{"most of all at", fmt.Sprintf("%s, %s: %s", place(l.File, l.Line), wholeShare(l.Stalled, k.total.Stalled()), src.line(l.File, l.Line))})
		}
		for _, space := range []profile.Space{profile.Global, profile.Shared} {
			if x := hottest(an, p, k.Name, space); x != nil && x.Queue > 1 {
				rows = append(rows, []string{"atomics meet at", meeting(x, run)})
			}
		}
		format.Table(w, "    ", "ll", rows)
	}
}

// locate says of each kernel that an atomic unit bounds at which address its atomics meet.
func locate(r *run.Work, an *Annotation) {
	for i := range r.Kernels {
		if b := r.Kernels[i].Bound; b != nil && b.Kind == bound.Atomic && b.Address == "" {
			if x := hottest(an, nil, r.Kernels[i].Name, profile.Global); x != nil {
				b.At(x.name())
			}
		}
	}
}

// cyclesOf returns the cycles of all launches.
func cyclesOf(an *Annotation) (n uint64) {
	for i := range an.Kernels {
		n += an.Kernels[i].Cycles
	}
	return n
}

// worst returns the line at which warps wait most; nil if they never wait.
func (k *Kernel) worst() (most *Line) {
	for i := range k.Lines {
		if l := &k.Lines[i]; l.Stalled > 0 && (most == nil || l.Stalled > most.Stalled) {
			most = l
		}
	}
	return most
}

// hottest returns the most contended address of a kernel's atomics (of any
// kernel if the name is ""): the one that kept a unit busy longest.
func hottest(an *Annotation, p *profile.Profile, kernel string, space profile.Space) *Address {
	list := an.Addresses
	if p != nil { // the annotation has only the first few
		list = places(p, p.Addresses(0))
	}
	for i := range list {
		if x := &list[i]; x.Space == space.String() && (x.Kernel == kernel || kernel == "") {
			return x
		}
	}
	return nil
}

// meeting describes the contention at an address.
func meeting(x *Address, run uint64) string {
	if x.Space == profile.Shared.String() {
		return fmt.Sprintf("%s in shared memory: %s operations, at most %s at once, in the shared memory of each SM by itself", x.name(), x.operations(), format.Thousands(x.Queue))
	}
	return fmt.Sprintf("%s: %s operations, up to %s at once; the unit that does them one by one is busy for %s cycles, %.1f%% of the run",
		x.name(), x.operations(), format.Thousands(x.Queue), format.Thousands(uint64(x.Serial+0.5)), 100*x.Serial/float64(max(run, 1)))
}
