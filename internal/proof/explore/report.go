package explore

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/format"
)

// Report is what an exploration found, as it is printed: the object of --json.
type Report struct {
	Command  string         `json:"command"`
	Build    buildinfo.Info `json:"build"`
	What     string         `json:"what"` // the program
	Device   string         `json:"device"`
	First    uint64         `json:"first_seed"`
	Looks    []string       `json:"checks"` // what makes a schedule fail: "data races"
	Seeds    int            `json:"seeds"`  // that were asked for
	Tried    int            `json:"tried"`
	Default  End            `json:"default"`            // under the default schedule
	Outcomes map[string]int `json:"outcomes,omitempty"` // of the seeds that were tried: "ended", "hang"
	Cycles   *Spread        `json:"cycles,omitempty"`   // of those that ended
	Points   int            `json:"change_points"`      // accesses before which a warp could be made to wait
	Failure  *Found         `json:"failure,omitempty"`  // the first by its seed
	Early    string         `json:"early,omitempty"`    // what ended the search before all were tried: "interrupted"
}

// End is how the program ended.
type End struct {
	Outcome string `json:"outcome"`
	Cycles  uint64 `json:"cycles"`
}

// Spread describes a set of numbers of cycles.
type Spread struct {
	Min    uint64 `json:"min"`
	Median uint64 `json:"median"`
	Max    uint64 `json:"max"`
}

// Found is a schedule under which the program fails.
type Found struct {
	End
	Message string            `json:"message"`
	Seed    uint64            `json:"seed"` // from which the schedule was drawn
	Drawn   Size              `json:"drawn"`
	Reduced Size              `json:"reduced"`
	Tries   int               `json:"tries"` // runs that it took to reduce the schedule
	Set     map[string]string `json:"set,omitempty"`
	Shuffle bool              `json:"shuffle,omitempty"`
	Pauses  []Point           `json:"pauses,omitempty"`
	Races   []device.Race     `json:"races,omitempty"`
	Replay  string            `json:"replay"` // the command that repeats it, cycle for cycle
}

// Size says how much a schedule changes.
type Size struct {
	Pauses     int `json:"pauses"`
	Parameters int `json:"parameters"` // of the machine; a random order of blocks counts as one
}

func sizeOf(s *Setting) Size {
	z := Size{Pauses: len(pausesOf(s)), Parameters: len(s.Set)}
	if s.Schedule != nil && s.Schedule.Shuffle {
		z.Parameters++
	}
	return z
}

// String describes the size.
func (z Size) String() string {
	return plural(z.Pauses, "pause") + " and " + plural(z.Parameters, "random parameter")
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return format.Thousands(n) + " " + what
}

// Report returns the report on a result. replay returns the command that runs the program under a setting.
func (r *Result) Report(c *Config, replay func(*Setting) string) *Report {
	p := &Report{
		Build: buildinfo.This(), First: c.First, Seeds: c.Seeds, Tried: r.Tried, Default: End{r.Base.Kind, r.Base.Cycles},
		Outcomes: r.Kinds, Points: r.Points,
	}
	if n := len(r.Cycles); n > 0 {
		p.Cycles = &Spread{r.Cycles[0], r.Cycles[n/2], r.Cycles[n-1]}
	}
	if f := r.Failure; f != nil {
		p.Failure = &Found{
			End: End{f.Kind, f.Outcome.Cycles}, Message: f.Err.Error(), Seed: f.Drawn.Seed, Drawn: sizeOf(&f.Drawn), Reduced: sizeOf(&f.Setting),
			Tries: f.Tries, Pauses: f.Pauses, Races: f.Races, Replay: replay(&f.Setting), Shuffle: f.Setting.Schedule != nil && f.Setting.Schedule.Shuffle,
		}
		for _, a := range f.Setting.Set {
			if p.Failure.Set == nil {
				p.Failure.Set = map[string]string{}
			}
			p.Failure.Set[a.Path] = a.Value
		}
	}
	return p
}

// Err returns what the command fails with: the first failure or, if there is none, the first run that a budget ended.
func (r *Result) Err() error {
	switch {
	case r.Failure != nil:
		return r.Failure.Err
	case r.Base.Kind == Undecided:
		return r.Base.Err
	case r.Undecided != nil:
		return r.Undecided.Err
	}
	return nil
}

// Text prints the report.
func (p *Report) Text(w io.Writer) {
	rows := [][]string{
		{"explore", fmt.Sprintf("%s on %s: %s of %s, from seed %d", p.What, p.Device, format.Thousands(p.Tried), plural(p.Seeds, "schedule"), p.First)},
	}
	for i, what := range p.Looks {
		rows = append(rows, []string{map[bool]string{true: "checks"}[i == 0], what})
	}
	rows = append(rows, [][]string{
		{"default", fmt.Sprintf("%s after %s cycles", p.Default.Outcome, format.Thousands(p.Default.Cycles))},
	}...)
	for _, kind := range slices.SortedFunc(maps.Keys(p.Outcomes), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.Outcomes[b], p.Outcomes[a]), strings.Compare(a, b))
	}) {
		text := plural(p.Outcomes[kind], "schedule")
		if kind == Ended && p.Cycles != nil {
			text += fmt.Sprintf(": %s to %s cycles, median %s", format.Thousands(p.Cycles.Min), format.Thousands(p.Cycles.Max), format.Thousands(p.Cycles.Median))
		}
		rows = append(rows, []string{kind, text})
	}
	if p.Early != "" {
		rows = append(rows, []string{"incomplete", "the search ended early (" + p.Early + ")"})
	}
	if f := p.Failure; f != nil {
		first := fmt.Sprintf("seed %d: %s", f.Seed, f.Outcome)
		if p.Tried == 0 {
			first = "the default schedule: " + f.Outcome
		}
		rows = append(rows, []string{"failed", first})
		if f.Drawn != f.Reduced {
			rows = append(rows, []string{"reduced", fmt.Sprintf("from %s to %s, in %s", f.Drawn, f.Reduced, plural(f.Tries, "run"))})
		}
		for _, x := range f.Pauses {
			text := fmt.Sprintf("block %d, warp %d waits before memory step %d", x.Block, x.Warp, x.Step)
			if x.Launch > 0 {
				text += fmt.Sprintf(" of launch %d", x.Launch)
			}
			if x.At != "" {
				text += ", " + x.At
			}
			rows = append(rows, []string{"pause", text})
		}
		rows = append(rows, []string{"replay", f.Replay}, []string{"", fmt.Sprintf("%s after %s cycles", f.Outcome, format.Thousands(f.Cycles))})
	}
	format.Table(w, "", "ll", rows)
	if p.Failure == nil {
		return
	}
	for i := range p.Failure.Races {
		if r := &p.Failure.Races[i]; r.Racy == "" {
			fmt.Fprintf(w, "\n%s\n", r)
		}
	}
}
