package papers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/papers"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// TestVerdicts judges every claim by the recorded numbers, without running anything, and compares
// with the recorded verdicts. A claim that differs says why.
func TestVerdicts(t *testing.T) {
	files, err := filepath.Glob("../../../experiments/papers/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var studies []*papers.Study
	for _, file := range files {
		s, err := spec.Load(t.Context(), file, sweep.Check)
		require.NoError(t, err)
		require.NotEmpty(t, s.Plots, file)
		numbers, err := os.ReadFile(papers.NumbersFile("../../../results/papers", "", s.Name))
		require.NoError(t, err)
		rows, err := papers.Read(bytes.NewReader(numbers))
		require.NoError(t, err)
		require.Len(t, rows, len(s.Points), file)
		study, err := papers.ReadStudy("../../../results/papers", s)
		require.NoError(t, err)
		require.NotEmpty(t, study.Verdicts, file)
		for _, v := range study.Verdicts {
			require.True(t, v.Word == papers.Agrees || v.Word == papers.Fitted || v.Claim.Why != "", "%s: %s differs without a reason", file, v.Claim.Figure)
		}
		studies = append(studies, study)
		var again bytes.Buffer
		require.NoError(t, papers.Write(&again, rows))
		require.Equal(t, string(numbers), again.String())
	}
	var page bytes.Buffer
	papers.Page(&page, studies, "figures")
	golden.Check(t, "../../../results/papers/verdicts.md", page.String())

	// The counts are those of the rows of the page: column 5 has the verdict, those after it the number and the verdict.
	var counts bytes.Buffer
	papers.Counts(&counts, studies)
	lines := strings.Split(strings.TrimSpace(counts.String()), "\n")[2:]
	require.Len(t, lines, 1+len(papers.Machines))
	for i, line := range lines {
		want := map[papers.Word]int{}
		for row := range strings.Lines(page.String()) {
			cells := strings.Split(row, " | ")
			if len(cells) < 9 || cells[0] == "| figure" {
				continue
			}
			_, word, ok := strings.Cut(": "+cells[4], ": ")
			if i > 0 {
				_, word, ok = strings.Cut(cells[4+i], ": ")
			}
			if !ok {
				word = "no verdict"
			}
			want[papers.Word(word)]++
		}
		cells := strings.Split(line, " | ")
		for j, word := range append(slices.Clone(papers.Words), "no verdict") {
			require.Equal(t, strconv.Itoa(want[word]), strings.TrimSuffix(cells[1+j], " |"), "%s: %s", cells[0], word)
		}
	}
}

// TestFitted checks that agreement with a figure to which a value of the machine was fitted is not called agreement.
func TestFitted(t *testing.T) {
	run := func(device string, cycles float64, set map[string]string) papers.Row {
		r := papers.Row{Fields: map[string]string{"status": "ok", "device": device, "scheduler": "a"}, Metrics: map[string]float64{"cycles": cycles}}
		for name, value := range set {
			r.Fields[name] = value
		}
		return r
	}
	for _, c := range []struct {
		what, paper, figure string
		row                 papers.Row
		word                papers.Word
		by                  string
	}{
		{"the same figure", "WolfGraph (a thesis chapter)", "5.3, shared", run("sim:gtx780ti", 5, nil), papers.Fitted, "shared.lock_hold"},
		{"it differs all the same", "WolfGraph (a thesis chapter)", "5.3, shared", run("sim:gtx780ti", 3, nil), papers.Differs, ""},
		{"another figure", "WolfGraph (a thesis chapter)", "5.31", run("sim:gtx780ti", 5, nil), papers.Agrees, ""},
		{"another paper", "Atos", "5.3", run("sim:gtx780ti", 5, nil), papers.Agrees, ""},
		{"another machine", "WolfGraph (a thesis chapter)", "5.3", run("sim:v100", 5, nil), papers.Agrees, ""},
		{"another value", "WolfGraph (a thesis chapter)", "5.3", run("sim:gtx780ti", 5, map[string]string{"shared.lock_hold": "8"}), papers.Agrees, ""},
		{"silicon", "WolfGraph (a thesis chapter)", "5.3", run("hw", 5, nil), papers.Agrees, ""},
	} {
		p, err := claim(t, "all(cycles, scheduler=a) > 4")
		require.NoError(t, err)
		p.Figure = c.figure
		v, err := p.Judge(c.paper, []papers.Row{c.row})
		require.NoError(t, err)
		require.Equal(t, c.word, v.Word, c.what)
		require.Equal(t, c.by, v.FittedBy, c.what)
	}
}

func claim(t *testing.T, check string) (*papers.Claim, error) {
	t.Helper()
	list, err := papers.Parse(&spec.Spec{Claims: []spec.Section{{Place: "a.yaml:1:1", Values: []spec.Setting{
		{Name: "figure", Value: "1"}, {Name: "claim", Value: "faster"}, {Name: "check", Value: check, Place: "a.yaml:2:2"}}}}})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

func TestJudge(t *testing.T) {
	run := func(scheduler, graph, status string, cycles float64) papers.Row {
		return papers.Row{Fields: map[string]string{"scheduler": scheduler, "graph": graph, "status": status}, Metrics: map[string]float64{"cycles": cycles}}
	}
	rows := []papers.Row{run("a", "x", "ok", 8), run("b", "x", "ok", 2), run("c", "x", "ok", 4), run("a", "y", "ok", 3), run("b", "y", "ok", 3), run("b", "z", "hang", 1)}
	rows = append(rows, papers.Row{Fields: map[string]string{"scheduler": "e", "graph": "x", "status": "ok"}, Metrics: map[string]float64{"ticks": 4}})
	for _, c := range []struct {
		check, ours string
		word        papers.Word
	}{
		// Runs that call the same quantity by other names.
		{"all(ticks|cycles, scheduler=a / scheduler=e per graph) = 2", "2", papers.Agrees},
		{"all(ticks|cycles, scheduler=a|e) in 3..8", "3 to 8 (3)", papers.Agrees},
		{"all(ticks / cycles|ticks, scheduler=e) = 1", "1", papers.Agrees},
		{"geomean(cycles, scheduler=a / scheduler=b per graph) = 2", "2, the geometric mean of 2 from 1 to 4", papers.Agrees},
		{"min(cycles, scheduler=a / scheduler=b per graph) > 1", "min 1 of 2 from 1 to 4", papers.Differs},
		{"max(cycles, worst scheduler=b|c / scheduler=a per graph) <= 1", "max 1 of 2 from 0.5 to 1", papers.Agrees},
		{"mean(cycles, graph=x scheduler!=a) = 3", "mean 3 of 2 from 2 to 4", papers.Agrees},
		{"count(status=hang graph~z) = 1", "1 runs", papers.Agrees},
		{"count(status=wrong) > 0", "0 runs", papers.Differs},

		// The tolerance is a quarter of the distance from no effect, which is 1 here: 4 is 3 more.
		{"max(cycles, scheduler=a / scheduler=b per graph) in 3.4 else > 1", "max 4 of 2 from 1 to 4", papers.Agrees},
		{"max(cycles, scheduler=a / scheduler=b per graph) in 3.3 else > 1", "max 4 of 2 from 1 to 4", papers.Direction},
		{"max(cycles, scheduler=a / scheduler=b per graph) in 5 else > 1", "max 4 of 2 from 1 to 4", papers.Agrees},
		{"max(cycles, scheduler=a / scheduler=b per graph) in 5.1..9 else > 1", "max 4 of 2 from 1 to 4", papers.Direction},
		{"max(cycles, scheduler=a / scheduler=b per graph) in 0.5 else < 1", "max 4 of 2 from 1 to 4", papers.Differs},
		{"max(cycles, scheduler=b / scheduler=a per graph) in 0.5 else < 1", "max 1 of 2 from 0.25 to 1", papers.Differs},
		// Without a side no effect is 0, and there is no direction.
		{"max(cycles, scheduler=a) in 6.4", "max 8 of 2 from 3 to 8", papers.Agrees},
		{"max(cycles, scheduler=a) in 6.3", "max 8 of 2 from 3 to 8", papers.Differs},
		// With all, each value has to be there.
		{"all(cycles, scheduler=a) in 4..7", "3 to 8 (2)", papers.Agrees},
		{"all(cycles, scheduler=a) in 4.1..7 else > 1", "3 to 8 (2)", papers.Direction},
		{"all(cycles, scheduler=a) in 4.1..7 else > 3", "3 to 8 (2)", papers.Differs},
		// A range on both sides of no effect is made wider from there, and a number within 1% of it has no direction.
		{"all(cycles, scheduler=b) in 2.5..3.5 from 1", "2 to 3 (2)", papers.Differs},
		{"all(cycles, scheduler=b) in 2.5..3.5", "2 to 3 (2)", papers.Agrees},
		{"max(cycles, scheduler=b) in 9 else > 2.98", "max 3 of 2 from 2 to 3", papers.Differs},
		{"max(cycles, scheduler=b) in 9 else > 2.97", "max 3 of 2 from 2 to 3", papers.Direction},
		{"all(cycles, scheduler=a) > 2", "3 to 8 (2)", papers.Agrees},
		{"all(cycles, scheduler=a) > 3", "3 to 8 (2)", papers.Differs},
	} {
		p, err := claim(t, c.check)
		require.NoError(t, err)
		v, err := p.Judge("", rows)
		require.NoError(t, err)
		require.Equal(t, c.ours, v.Ours(), c.check)
		require.Equal(t, c.word, v.Word, c.check)
	}
	for check, text := range map[string]string{
		"min(cycles, scheduler=a / scheduler=b|c per graph) > 1": "1: 2 runs with different values at x; say best or worst, or add conditions",
		"min(cycles, scheduler=d) > 1":                           "1: no runs for min(cycles, scheduler=d) > 1",
	} {
		p, err := claim(t, check)
		require.NoError(t, err)
		_, err = p.Judge("", rows)
		require.EqualError(t, err, text)
	}
}

func TestMistakes(t *testing.T) {
	const demands = " is neither RELATION NUMBER, with < <= > >= or =, nor in NUMBER or in NUMBER..NUMBER, with else RELATION NUMBER, from NUMBER, or neither"
	for check, text := range map[string]string{
		"faster":                         "a.yaml:2:2: claims: check \"faster\" is not REDUCTION(METRIC, RUNS) DEMAND; reductions are all, geomean, mean, median, min, max and count",
		"min(cycles) > 1":                "a.yaml:2:2: claims: check \"min(cycles) > 1\": min needs a metric and runs, such as min(cycles, scheduler=warp)",
		"min(cycles, warp) > 1":          "a.yaml:2:2: claims: check \"min(cycles, warp) > 1\": \"warp\" is not NAME=VALUE",
		"min(cycles, a=1 / a=2) > 1":     "a.yaml:2:2: claims: check \"min(cycles, a=1 / a=2) > 1\": runs are CONDITIONS, or A / B per NAMES",
		"min(cycles, a=1) in 3..2":       "a.yaml:2:2: claims: check \"min(cycles, a=1) in 3..2\": the range 3..2 begins with its larger end",
		"min(cycles, a=1) in 2 > 1":      "a.yaml:2:2: claims: check \"min(cycles, a=1) in 2 > 1\": \"in 2 > 1\"" + demands,
		"min(cycles, a=1) in 2 else 1":   "a.yaml:2:2: claims: check \"min(cycles, a=1) in 2 else 1\": \"1\"" + demands,
		"min(cycles, a=1) in 2 else < 1": "a.yaml:2:2: claims: check \"min(cycles, a=1) in 2 else < 1\": no number of the range is < 1",
		"":                               "a.yaml:1:1: claims: check is missing",
	} {
		_, err := claim(t, check)
		require.EqualError(t, err, text)
	}
	_, err := papers.Parse(&spec.Spec{Claims: []spec.Section{{Place: "a.yaml:1:1", Values: []spec.Setting{
		{Name: "figure", Value: "1"}, {Name: "claim", Value: "faster"}, {Name: "check", Value: "count(a=1) = 1"}, {Name: "picture", Value: "p", Place: "a.yaml:3:2"}}}}})
	require.EqualError(t, err, "a.yaml:3:2: claims: no plot has file: p")
}

// TestJudgeOn judges claims by runs on one machine: those that compare machines, or look at what it does not count, get no verdict.
func TestJudgeOn(t *testing.T) {
	rows := []papers.Row{
		{Fields: map[string]string{"scheduler": "a", "device": "hw", "status": "ok", "version": "v2"}, Metrics: map[string]float64{"seconds": 3}},
		{Fields: map[string]string{"scheduler": "b", "device": "hw", "status": "ok", "version": "v1"}, Metrics: map[string]float64{"seconds": 1}},
		{Fields: map[string]string{"scheduler": "c", "device": "hw", "status": "hang", "version": "v1"}, Metrics: map[string]float64{}},
	}
	var claims []*papers.Claim
	words := []papers.Word{papers.Agrees, papers.Differs, papers.Direction, papers.Agrees, papers.Differs, "", "", "", ""}
	for _, check := range []string{
		"min(seconds, scheduler=a / scheduler=b per graph) > 2",
		"min(seconds, scheduler=a) < 2",
		"min(seconds, scheduler=a / scheduler=b per graph) in 9 else > 1",
		"count(scheduler=c status=hang) = 1",
		"count(scheduler=a status=hang) = 1",
		"count(scheduler=c device=sim:k40 status=hang) = 0",                           // of another machine
		"min(seconds, device=sim:k40 scheduler=a / device=sim:k20 per scheduler) > 2", // which compares machines
		"min(cycles, scheduler=a) < 2",                                                // which a GPU does not count
		"min(seconds, scheduler=a sm.count=8) < 2",
	} {
		c, err := claim(t, check)
		require.NoError(t, err)
		claims = append(claims, c)
	}
	e, err := papers.JudgeOn("an H200", &spec.Spec{}, claims, rows)
	require.NoError(t, err)
	require.Equal(t, []string{"v1", "v2"}, e.Versions)
	require.Len(t, e.Verdicts, len(words))
	for i, v := range e.Verdicts {
		if words[i] == "" {
			require.Nil(t, v, claims[i].Check)
			continue
		}
		require.Equal(t, words[i], v.Word, claims[i].Check)
	}
}

// TestReasons puts numbers into reasons: of the claim, of other machines, and of some of its runs.
func TestReasons(t *testing.T) {
	row := func(scheduler, graph string, seconds float64) papers.Row {
		return papers.Row{Fields: map[string]string{"scheduler": scheduler, "graph": graph, "status": "ok"}, Metrics: map[string]float64{"seconds": seconds}}
	}
	results := t.TempDir()
	for folder, factor := range map[string]float64{"": 1, "no-host": 2, "hw-h200": 3} {
		var text bytes.Buffer
		require.NoError(t, papers.Write(&text, []papers.Row{row("a", "x", 6*factor), row("a", "y", 8*factor), row("b", "x", 3), row("b", "y", 2)}))
		file := papers.NumbersFile(results, folder, "s")
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, text.Bytes(), 0o644))
	}
	read := func(check, why string) (string, error) {
		file := filepath.Join(t.TempDir(), "s.yaml")
		text := "name: s\ndoc: a study\nset: {device: sim:k40, algorithm: bfs, graph: demo}\nvary: {scheduler: [thread, warp]}\nclaims:\n" +
			"  - {figure: \"1\", claim: faster, check: \"" + check + "\",\n     why: \"" + why + "\"}\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		s, err := spec.Load(t.Context(), file, sweep.Check)
		require.NoError(t, err)
		study, err := papers.ReadStudy(results, s)
		if err != nil {
			return "", err
		}
		return study.Verdicts[0].Why, nil
	}
	const all, mean = "all(seconds, scheduler=a / scheduler=b per graph) > 5", "geomean(seconds, scheduler=a / scheduler=b per graph) > 5"
	for why, want := range map[string]string{
		"it is {}; {graph=y} on y":                       "it is 2 to 4; 4 on y",
		"{on no-host} and {graph=x on hw-h200}, so long": "4 to 8 and 6, so long",
		"no number": "no number",
	} {
		got, err := read(all, why)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := read(mean, "{}, and {graph=x}")
	require.NoError(t, err)
	require.Equal(t, "2.83, and 2", got)
	for why, want := range map[string]string{
		"{on k40}":        `s.yaml:7:11: claims: {on k40}: "k40" is no machine; there are no-host, hw-h100, sim-h200, hw-h200`,
		"{best graph=x}":  "s.yaml:7:11: claims: {best graph=x} is not {CONDITIONS on MACHINE}, such as {graph~rmat on no-host}",
		"{1.5}":           "s.yaml:7:11: claims: {1.5} is not {CONDITIONS on MACHINE}, such as {graph~rmat on no-host}",
		"it is {graph=z}": `1: no runs for a number of the reason, behind "it is "`,
		"{on sim-h200}":   `1: no runs for a number of the reason, behind ""`,
	} {
		_, err := read(all, why)
		require.ErrorContains(t, err, want)
	}
}

// TestJudgeOnRefuses checks that a check that is not clear on the machine is an error, and not a claim without a verdict.
func TestJudgeOnRefuses(t *testing.T) {
	c, err := claim(t, "min(seconds, scheduler=a / scheduler=b per graph) > 2")
	require.NoError(t, err)
	row := func(scheduler string, seconds float64) papers.Row {
		return papers.Row{Fields: map[string]string{"scheduler": scheduler, "status": "ok"}, Metrics: map[string]float64{"seconds": seconds}}
	}
	_, err = papers.JudgeOn("an H200", &spec.Spec{}, []*papers.Claim{c}, []papers.Row{row("a", 1), row("b", 1), row("b", 2)})
	require.EqualError(t, err, "1: 2 runs with different values at ; say best or worst, or add conditions")
}

// TestPageCompares draws a page with two other machines, and compares the second one with the first.
func TestPageCompares(t *testing.T) {
	c, err := claim(t, "min(seconds, scheduler=a) in 4..8 else > 1")
	require.NoError(t, err)
	row := func(device string, seconds float64) []papers.Row {
		return []papers.Row{{Fields: map[string]string{"scheduler": "a", "device": device, "status": "ok", "version": "v"}, Metrics: map[string]float64{"seconds": seconds}}}
	}
	s := &spec.Spec{Name: "x", Doc: "Paper"}
	study, err := papers.Judge(s, []*papers.Claim{c}, row("sim:k40", 8))
	require.NoError(t, err)
	simulated, err := papers.JudgeOn("sim:h200", s, []*papers.Claim{c}, row("sim:h200", 2))
	require.NoError(t, err)
	measured, err := papers.JudgeOn("an H200", s, []*papers.Claim{c}, row("hw", 5))
	require.NoError(t, err)
	simulated.Missing = 3
	study.Elsewhere = []*papers.Elsewhere{simulated, measured}
	var page bytes.Buffer
	papers.Page(&page, []*papers.Study{study}, "figures")
	for _, want := range []string{
		"| sim:h200 | 0 | 1 | 0 | 0 | 0 | v |\n| an H200 | 1 | 0 | 0 | 0 | 0 | v |\n",
		"On sim:h200, 3 points of x were not run; its claims are judged there by the others.\n",
		"Of 1 claims with a verdict both on sim:h200 and on an H200, 0 have the same one. The numbers of the claims are a factor of 2.50 apart in the median,",
		"| 1 | faster | 8 | 3.25 to 9.75 | agrees | 2: direction agrees, size differs | 5: agrees |  |\n",
	} {
		require.Contains(t, page.String(), want)
	}
}
