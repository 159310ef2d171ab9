package run

import (
	"fmt"
	"io"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
)

// Report is a result in the form in which it is printed and recorded: one JSON object for a test.
type Report struct {
	Test   string `json:"test"`
	Device string `json:"device,omitempty"`
	GPU    string `json:"gpu,omitempty"` // the product, if the device is one
	// Unsupported says why the test was not run; then Condition is "not run", and nothing below is set.
	Unsupported string `json:"unsupported,omitempty"`
	Quantifier  string `json:"quantifier,omitempty"` // "exists", "~exists" or "forall"
	// Condition is "seen" if some instance satisfied the condition, for a forall if some instance violated it, and
	// "never" otherwise.
	Condition string `json:"condition"`
	// Holds says whether the condition with its quantifier is true of what was observed.
	Holds     *bool          `json:"holds,omitempty"`
	Observed  map[string]int `json:"observed"`            // instances by outcome
	Forbidden []string       `json:"forbidden,omitempty"` // the outcomes that the model does not allow
	// Judged is "ptx" if every outcome was compared with those that the PTX model allows, or says why none was.
	Judged    string `json:"judged,omitempty"`
	Instances int    `json:"instances,omitempty"`
	Hangs     int    `json:"hangs,omitempty"` // instances of which some thread never ends
	Launches  int    `json:"launches,omitempty"`
	Hang      string `json:"hang,omitempty"` // what the device says about the first launch with such instances
	// Partial is set if the run was interrupted.
	Partial bool `json:"partial,omitempty"`

	result *Result
}

// NotRun returns the report of a test that device cannot run, and why.
func NotRun(test, device, why string) *Report {
	return &Report{Test: test, Device: device, Unsupported: why, Condition: "not run", Observed: map[string]int{}}
}

// Report returns the result as a report.
func (r *Result) Report(device string) *Report {
	holds := r.Holds()
	x := &Report{
		Test: r.Test.Name, Device: device, Quantifier: r.Test.Quant.String(), Condition: "never", Holds: &holds, Observed: map[string]int{},
		Instances: r.Instances, Hangs: r.Hangs, Launches: r.Launches, result: r,
	}
	if r.Seen() {
		x.Condition = "seen"
	}
	if r.Hang != nil {
		x.Hang = r.Hang.Error()
	}
	for _, o := range r.Outcomes {
		x.Observed[r.Name(o)] = o.Count
		if o.Forbidden {
			x.Forbidden = append(x.Forbidden, r.Name(o))
		}
	}
	return x
}

// Text prints the outcomes of a test.
func (x *Report) Text(w io.Writer) {
	r := x.result
	if r == nil {
		fmt.Fprintf(w, "%s: not run: %s\n", x.Test, x.Unsupported)
		return
	}
	fmt.Fprintf(w, "%s on %s: %s instances in %s launches\n", x.Test, x.Device, format.Thousands(x.Instances), format.Thousands(x.Launches))
	var rows [][]string
	for _, o := range r.Outcomes {
		mark := ""
		switch {
		case o.Forbidden:
			mark = "forbidden"
		case o.Holds:
			mark = "satisfies the condition"
		}
		rows = append(rows, []string{format.Thousands(o.Count), r.Name(o), mark})
	}
	format.Table(w, "  ", "rll", rows)
	if r.Test.Cond != nil {
		fmt.Fprintf(w, "%s %s\n%s\n", x.Quantifier, r.Test.Cond, x.verdict())
	}
	if x.Hang != "" {
		fmt.Fprintf(w, "the first launch that hangs: %s\n", x.Hang)
	}
}

// verdict says in words whether the condition was seen.
func (x *Report) verdict() string {
	words := map[string][2]string{
		"exists":  {"never: no instance satisfies the condition", "seen: some instances satisfy the condition"},
		"~exists": {"holds: no instance satisfies the condition", "violated: some instances satisfy the condition"},
		"forall":  {"holds: no instance violates the condition", "violated: some instances do not satisfy the condition"},
	}[x.Quantifier]
	s := words[0]
	if x.Condition == "seen" {
		s = words[1]
	}
	switch {
	case len(x.Forbidden) > 0:
		s += "; PTX forbids " + strings.Join(x.Forbidden, " and ")
	case x.Judged == judgedPTX:
		s += "; PTX allows every outcome"
	case x.Judged != "":
		s += "; " + x.Judged
	}
	return s
}

// judgedPTX is the value of Report.Judged after a comparison with the PTX model.
const judgedPTX = "ptx"

// Table prints a line for each test, and then why tests were not run.
func Table(w io.Writer, reports []*Report) {
	rows := [][]string{{"test", "condition", "", "instances", "outcomes", "hang", "PTX forbids"}}
	for _, x := range reports {
		if x.result == nil {
			continue
		}
		word, _, _ := strings.Cut(x.verdict(), ":")
		hang, forbidden := "", "?"
		if x.Hangs > 0 {
			hang = format.Thousands(x.Hangs)
		}
		if x.Judged == judgedPTX {
			forbidden = format.Thousands(len(x.Forbidden))
		}
		rows = append(rows, []string{x.Test, x.Quantifier, word, format.Thousands(x.Instances), format.Thousands(len(x.Observed)), hang, forbidden})
	}
	format.Table(w, "", "lllrrrr", rows)
	for _, x := range reports {
		if x.result == nil {
			x.Text(w)
		}
	}
}
