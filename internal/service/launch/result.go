package launch

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Result is the result of the launches of a kernel: the object that --json
// prints.
type Result struct {
	Command string         `json:"command"`
	Build   buildinfo.Info `json:"build"`
	Kernel  string         `json:"kernel"` // as the user named it
	run.On
	Grid          [3]int       `json:"grid"`  // blocks along x, y, z
	Block         [3]int       `json:"block"` // threads per block along x, y, z
	DynamicShared int          `json:"dynamic_shared_bytes,omitempty"`
	Cluster       int          `json:"cluster,omitempty"` // blocks of a cluster
	Cooperative   bool         `json:"cooperative,omitempty"`
	Registers     int          `json:"registers,omitempty"` // requested registers; 0 for the kernel's own
	Arguments     []Argument   `json:"arguments"`
	Notes         []string     `json:"notes,omitempty"`
	Error         *run.Failure `json:"error,omitempty"`
	run.Work
	Printed    string      `json:"printed,omitempty"` // by printf of a kernel of PTX
	Each       []each      `json:"per_launch"`
	Buffers    []*Summary  `json:"buffers,omitempty"` // after the last launch; none if they could not be read
	Comparison *Comparison `json:"comparison,omitempty"`

	job   *Job
	after []*Data
}

// Argument is the value of a parameter, or of a part of one.
type Argument struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Given    string `json:"given"`              // as it was written
	Value    any    `json:"value,omitempty"`    // of a number or bool; values that JSON cannot represent are text
	Elements *int   `json:"elements,omitempty"` // number of elements of a slice or of a pointer's target
	Bound    bool   `json:"bound,omitempty"`    // a constant of the compiled kernel
}

func (j *Job) arguments() (list []Argument) {
	for _, name := range j.resolved.names {
		l, g := j.resolved.leaves[name], j.resolved.given[name]
		a := Argument{Name: name, Type: l.typ, Given: g.part, Bound: g.from == option.Bind}
		if l.form == scalar {
			a.Value = jsonValue(l.kind(), j.resolved.scalars[name])
		} else if d := j.resolved.data[name]; d != nil {
			n := d.elements()
			a.Elements = &n
		}
		list = append(list, a)
	}
	return list
}

// jsonValue returns a number if JSON can represent it, else text.
func jsonValue(k kind, bits uint64) any {
	if k.isFloat() {
		if v := k.asFloat(bits); math.IsNaN(v) || math.IsInf(v, 0) {
			return k.text(bits)
		}
	}
	return k.value(bits)
}

// Summary compares a buffer after the launches with its content before.
type Summary struct {
	Name     string    `json:"name"`
	Type     string    `json:"type"`
	Elements int       `json:"elements"`
	Changed  int       `json:"changed"` // number of changed elements; elements of arrays count separately
	Fields   []Numbers `json:"numbers"` // one entry, or one for each field of a struct
	// From and Values are the elements that --print requests.
	From   *int  `json:"from,omitempty"`
	Values []any `json:"values,omitempty"`
}

// Numbers summarises the numbers of a buffer, or of one field of its structs.
type Numbers struct {
	Name    string `json:"name"` // "x", "p.key"
	Changed int    `json:"changed"`
	Min     any    `json:"min,omitempty"` // omitted if there is none; values that JSON cannot represent are text
	Max     any    `json:"max,omitempty"`
	First   []any  `json:"first"` // the first few

	Texts Texts `json:"-"` // the same as text for users
}

// Texts are numbers as text for users.
type Texts struct {
	Min, Max string
	First    []string
}

// shownFirst is the number of elements in a summary.
const shownFirst = 6

func summarize(before, after *Data) *Summary {
	s := &Summary{Name: after.leaf.name, Type: after.leaf.typ, Elements: after.elements()}
	changed := make([]bool, after.units)
	for _, f := range after.leaf.elem.fields {
		n := Numbers{Name: after.leaf.name + f.name, First: []any{}}
		var lo, hi uint64
		have := false
		for i := range after.units {
			bits := after.at(i, f)
			if !f.kind.same(before.at(i, f), bits, 0) {
				n.Changed++
				changed[i] = true
			}
			if f.kind.isFloat() && math.IsNaN(f.kind.asFloat(bits)) {
				continue
			}
			if !have || f.kind.compare(bits, lo) < 0 {
				lo = bits
			}
			if !have || f.kind.compare(bits, hi) > 0 {
				hi = bits
			}
			have = true
		}
		if have {
			n.Min, n.Max = jsonValue(f.kind, lo), jsonValue(f.kind, hi)
			n.Texts.Min, n.Texts.Max = f.kind.text(lo), f.kind.text(hi)
		}
		for i := range min(shownFirst, after.units) {
			bits := after.at(i, f)
			n.First, n.Texts.First = append(n.First, jsonValue(f.kind, bits)), append(n.Texts.First, f.kind.text(bits))
		}
		s.Fields = append(s.Fields, n)
	}
	for _, c := range changed {
		if c {
			s.Changed++
		}
	}
	return s
}

// ErrDiffer is the error of a launch whose buffers differ from those of another
// device.
var ErrDiffer = errors.New("the devices differ")

// Err returns ErrDiffer, with how much differs, or nil.
func (r *Result) Err() error {
	if c := r.Comparison; c != nil && c.Differing > 0 {
		return fmt.Errorf("%w: %s and %s disagree at %s of %s", ErrDiffer, r.Device, c.Device, count(c.Differing, "number"), format.Thousands(c.Numbers))
	}
	return nil
}

// also adds the races that the launches had on the device to compare with, if it looked for them: a real GPU cannot.
func (r *Result) also(other *run.Work) {
	if r.Races == nil {
		r.Races = other.Races
	} else {
		for i := range other.Races {
			if x := &other.Races[i]; !slices.ContainsFunc(r.Races, func(have device.Race) bool { return have.SameLines(x) }) {
				r.Races = append(r.Races, *x)
			}
		}
	}
	r.RacesForgotten += other.RacesForgotten
}

// SameAs returns an error that says where the buffers differ from those that launches under another schedule left, or
// nil. It compares as Tolerance and Answer of o say.
func (r *Result) SameAs(other *Result, o Options) error {
	c := compareAll(r.after, other.after, other.Device, &o)
	if c.Differing == 0 {
		return nil
	}
	d := c.Differences[0]
	text := fmt.Sprintf("%s is %s, and %s under the default schedule", d.Where, d.Texts[0], d.Texts[1])
	if c.Differing > 1 {
		text += fmt.Sprintf("; %s in all", count(c.Differing, "differing number"))
	}
	return fmt.Errorf("%w: %s", ErrSchedule, text)
}

// ErrSchedule is the error for an answer that differs from that of the default schedule.
var ErrSchedule = errors.New("the answer depends on the schedule")

// Comparison says whether two devices left the same contents. Numbers are equal
// if they have the same value, where NaN equals NaN. Floats are also equal if
// their difference is at most Tolerance times the maximum of 1 and both
// magnitudes.
type Comparison struct {
	Device      string       `json:"device"`
	Tolerance   float64      `json:"tolerance"`
	Buffers     int          `json:"buffers"`
	Answer      []string     `json:"answer,omitempty"` // the buffers that were compared; left out if all were
	Numbers     int          `json:"numbers"`          // number of compared numbers
	Differing   int          `json:"differing"`
	Largest     float64      `json:"largest_difference"`    // of finite floats, including those within the tolerance
	Differences []Difference `json:"differences,omitempty"` // the first few
	// Measures are the kernel time and the counters that both devices have.
	Measures []Measure `json:"measures,omitempty"`
}

// Measure is a number that both devices measured.
type Measure struct {
	Name  string   `json:"name"` // "kernel time", or that of a counter
	Value float64  `json:"value"`
	Other float64  `json:"other"`
	Error *float64 `json:"error"` // of the first relative to the other; null if that is 0
}

// measured adds what both devices measured.
func (c *Comparison) measured(mine, theirs *run.Work) {
	add := func(name string, x, y float64) {
		m := Measure{Name: name, Value: x, Other: y}
		if y != 0 {
			e := x/y - 1
			m.Error = &e
		}
		c.Measures = append(c.Measures, m)
	}
	if mine.KernelSeconds > 0 && theirs.KernelSeconds > 0 {
		add(KernelTime, mine.KernelSeconds, theirs.KernelSeconds)
	}
	for _, name := range slices.Sorted(maps.Keys(mine.Counters)) {
		if other, ok := theirs.Counters[name]; ok && name != counter.Duration && (mine.Counters[name] != 0 || other != 0) {
			add(name, mine.Counters[name], other)
		}
	}
}

// KernelTime is the name of the Measure of time, in seconds.
const KernelTime = "kernel time"

// Difference is a number that differs.
type Difference struct {
	Where string `json:"where"` // "y[7]"
	Value any    `json:"value"`
	Other any    `json:"other"`

	Texts [2]string `json:"-"` // both values as text
}

// shownDifferences is the maximum number of differences in a comparison.
const shownDifferences = 10

func compareAll(mine, theirs []*Data, device string, o *Options) *Comparison {
	tolerance := o.Tolerance
	c := &Comparison{Device: device, Tolerance: tolerance, Answer: o.Answer}
	for b, d := range mine {
		if o.Answer != nil && !slices.Contains(o.Answer, d.leaf.name) {
			continue
		}
		c.Buffers++
		for i := range d.units {
			for _, f := range d.leaf.elem.fields {
				x, y := d.at(i, f), theirs[b].at(i, f)
				c.Numbers++
				if f.kind.isFloat() {
					if gap := math.Abs(f.kind.asFloat(x) - f.kind.asFloat(y)); gap > c.Largest && !math.IsInf(gap, 0) {
						c.Largest = gap
					}
				}
				if f.kind.same(x, y, tolerance) {
					continue
				}
				if c.Differing++; len(c.Differences) < shownDifferences {
					c.Differences = append(c.Differences, Difference{d.name(i) + f.name, jsonValue(f.kind, x), jsonValue(f.kind, y), [2]string{f.kind.text(x), f.kind.text(y)}})
				}
			}
		}
	}
	return c
}
