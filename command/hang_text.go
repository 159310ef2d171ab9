package command

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/hangs"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/scheduler"
)

// hangHead says where launches of scenarios come from.
type hangHead struct {
	Command     string         `json:"command"`
	Build       buildinfo.Info `json:"build"`
	Device      string         `json:"device"`
	MachineHash string         `json:"machine_hash,omitempty"`
}

// hangRow is a launch of a scenario in JSON.
type hangRow struct {
	*hangs.Result
	Set   map[string]string `json:"set,omitempty"` // the case: what differs from the defaults
	Error *run.Failure      `json:"error,omitempty"`
}

// hangReport is what `weft hang SCENARIO --json` prints.
type hangReport struct {
	hangHead
	hangRow
}

// hangsReport is what `weft hang --all --json` prints.
type hangsReport struct {
	hangHead
	Rows   []hangRow `json:"rows"`
	Differ int       `json:"differ"` // rows that ended otherwise than expected
}

func (a *app) hangHead(spec *devices.Spec) hangHead {
	_, hash := spec.Machine()
	return hangHead{"weft " + strings.Join(a.args, " "), buildinfo.This(), spec.Name, hash}
}

func hangRowOf(r *hangs.Result) hangRow {
	row := hangRow{Result: r}
	if r.Err != nil {
		row.Error = run.FailureOf(r.Err)
	}
	return row
}

// hangText prints how a launch ended; its error follows on standard error.
func (a *app) hangText(spec *devices.Spec, s *hangs.Scenario, r *hangs.Result) {
	rows := [][]string{
		{"scenario", fmt.Sprintf("%s on %s: %s", s.Name, spec.Name, s.Title)},
		{"source", s.Source},
		{"set", format.Assignments(r.Parameters)},
		{"launch", launchText(r)},
		{"resident", residentText(r.Resident, r.PerSM, r.Limit)},
	}
	if s.Has(hangs.Registers) {
		rows = append(rows, []string{"equation 1", equationText(r.EquationOne, r.Resident)})
	}
	outcome := string(r.Outcome)
	if r.Remark != "" {
		outcome += ": " + r.Remark
	}
	rows = append(rows, []string{"outcome", outcome}, []string{"expected", r.Expected.String()})
	if !r.AsExpected {
		rows = append(rows, []string{"", "it ended otherwise than expected"})
	}
	format.Table(a.stdout, "", "ll", rows)
}

func launchText(r *hangs.Result) string {
	estimated := ""
	if r.Estimated {
		estimated = " (estimated)"
	}
	return fmt.Sprintf("%s of %s threads, %d registers per thread%s", count(r.Blocks, "block"), format.Thousands(r.Threads), r.Registers, estimated)
}

func residentText(resident, perSM int, limit string) string {
	return fmt.Sprintf("%s at the same time, %d per SM, limited by %s", count(resident, "block"), perSM, limit)
}

func equationText(n, resident int) string {
	switch {
	case n > resident:
		return fmt.Sprintf("%s: more than fit; it counts registers alone", count(n, "block"))
	case n < resident:
		return fmt.Sprintf("%s: fewer than fit", count(n, "block"))
	}
	return fmt.Sprintf("%s: as many as fit", count(n, "block"))
}

// count returns "1 block" or "1,234 blocks".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return format.Thousands(n) + " " + what
}

// hangTable prints all launches, and what differs from what is expected.
func (a *app) hangTable(r hangsReport) {
	rows := [][]string{{"scenario", "case", "blocks", "resident", "outcome", "as expected", "because"}}
	for _, row := range r.Rows {
		as, because := "yes", row.Expected.Why
		switch {
		case row.Outcome == hangs.Fails:
			as, because = "no", row.Result.Err.Error()
		case !row.AsExpected:
			as = "no: " + row.Expected.Words()
		}
		rows = append(rows, []string{row.Scenario, cmp.Or(format.Assignments(row.Set), "-"), format.Thousands(row.Blocks), format.Thousands(row.Resident),
			string(row.Outcome), as, because})
	}
	format.Table(a.stdout, "", "llrrlll", rows)
	fmt.Fprintf(a.stdout, "\n%d launches on %s, %d of them as expected\n", len(r.Rows), r.Device, len(r.Rows)-r.Differ)
}

// largestText prints the largest grid next to what was foretold.
func (a *app) largestText(device string, s *hangs.Scenario, l *hangs.Largest) {
	ends := count(l.Ends, "block") + " end"
	switch {
	case l.Ends == 0:
		ends = fmt.Sprintf("none: a grid of %s %s", count(l.Next, "block"), l.Hang.Outcome)
	case l.Next == 0:
		ends = fmt.Sprintf("no grid of up to %s hangs", count(l.Ends, "block"))
	default:
		ends += fmt.Sprintf(", %s %s", format.Thousands(l.Next), endings[l.Hang.Outcome])
	}
	var tries []string
	for _, t := range l.Tries {
		tries = append(tries, fmt.Sprintf("%s %s", format.Thousands(t.Blocks), t.Outcome))
	}
	format.Table(a.stdout, "", "ll", [][]string{
		{"scenario", fmt.Sprintf("%s on %s: %s", s.Name, device, s.Title)},
		{"set", format.Assignments(l.Parameters)},
		{"kernel", fmt.Sprintf("%s threads per block, %d registers per thread", format.Thousands(l.Threads), l.Registers)},
		{"largest", ends},
		{"occupancy", residentText(l.Resident, l.PerSM, l.Limit)},
		{"equation 1", equationText(l.EquationOne, l.Resident)},
		{"tried", strings.Join(tries, ", ")},
	})
}

// endings are the outcomes of the first grid that does not end, after a number of blocks.
var endings = map[hangs.Outcome]string{hangs.Hangs: "hang", hangs.Rejected: "are rejected"}

// describeScenarios prints scenarios: their names, or all about them.
func (a *app) describeScenarios(list []*hangs.Scenario, asJSON, whole bool) error {
	if asJSON {
		described := []scenarioJSON{}
		for _, s := range list {
			described = append(described, scenarioJSONOf(s))
		}
		if whole {
			return format.JSON(a.stdout, described[0])
		}
		return format.JSON(a.stdout, described)
	}
	if !whole {
		var rows [][]string
		for _, s := range list {
			rows = append(rows, []string{s.Name, s.Title})
		}
		format.Table(a.stdout, "", "ll", rows)
		fmt.Fprintln(a.stdout, "\nweft hang SCENARIO runs one, and with --describe says what it is about.")
		return nil
	}
	s := list[0]
	format.Table(a.stdout, "", "ll", [][]string{{"scenario", s.Name + ": " + s.Title}, {"source", s.Source}})
	fmt.Fprintf(a.stdout, "\n%s\n\n", wrapped(s.Why, 100))
	rows := [][]string{{"--set", "value", "default", "unit", "meaning"}}
	for _, p := range s.Params {
		rows = append(rows, []string{p.Name, rangeOf(p), p.Default, p.Unit, p.Doc})
	}
	format.Table(a.stdout, "", "lllll", rows)
	fmt.Fprintln(a.stdout, "\ncases of --all")
	for _, c := range s.Cases {
		fmt.Fprintf(a.stdout, "  %s\n", cmp.Or(format.Assignments(c), "the defaults"))
	}
	return nil
}

// wrapped breaks text into lines of at most width characters.
func wrapped(text string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}

// scenarioJSON is a scenario in JSON.
type scenarioJSON struct {
	Name       string              `json:"name"`
	Title      string              `json:"title"`
	Source     string              `json:"source"`
	Why        string              `json:"why"`
	Parameters []scenarioParam     `json:"parameters"`
	Cases      []map[string]string `json:"cases"`
}

// scenarioParam is a parameter of a scenario in JSON.
type scenarioParam struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
	Unit    string `json:"unit,omitempty"`
	What    string `json:"what"`
}

func scenarioJSONOf(s *hangs.Scenario) scenarioJSON {
	j := scenarioJSON{Name: s.Name, Title: s.Title, Source: s.Source, Why: s.Why, Cases: s.Cases}
	for _, p := range s.Params {
		j.Parameters = append(j.Parameters, scenarioParam{p.Name, rangeOf(p), p.Default, p.Unit, p.Doc})
	}
	return j
}

// rangeOf describes the values of a parameter.
func rangeOf(p scheduler.Param) string {
	if p.Name == hangs.Blocks {
		return "a grid"
	}
	return p.Range()
}
