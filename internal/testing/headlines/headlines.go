package headlines

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/measure/comparison"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/measure/peers"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/sim/config"
)

// Figures returns all figures by name. root is the root of the repository.
func Figures(root string) (map[string]string, error) {
	f := map[string]string{}
	for _, add := range []func(root string, f map[string]string) error{times, validation, micro, counters, recorded, merged, byHand, beside, fitted, claims} {
		if err := add(root, f); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// times adds the errors of the kernel times and of the algorithm times of algorithms.
func times(root string, f map[string]string) error {
	all, simulated, err := Points(root)
	if err != nil {
		return err
	}
	points := Simulated(all)
	if len(points) == 0 {
		return fmt.Errorf("results/simulated/times.json has none of the recorded points")
	}
	recordings := 0
	for _, p := range all {
		recordings += len(p.Recorded)
	}
	f["times.recordings"], f["times.recorded"] = format.Thousands(recordings), format.Thousands(len(all))
	f["times.points"] = format.Thousands(len(points))
	f["times.graphs"] = fmt.Sprint(distinct(points, func(p *Point) string { return p.Graph }))
	f["times.recorded-graphs"] = fmt.Sprint(distinct(all, func(p *Point) string { return p.Graph }))
	f["times.pairs"] = fmt.Sprint(distinct(points, func(p *Point) string { return p.Algorithm + " " + p.Scheduler }))
	f["times.schemes"] = fmt.Sprint(distinct(points, func(p *Point) string { return p.Scheduler }))
	f["times.machine"], f["times.command"] = simulated.Machine, simulated.Command
	var published, own []*Point
	for _, p := range points {
		if p.Published() {
			published = append(published, p)
		} else {
			own = append(own, p)
		}
	}
	for name, of := range map[string][]*Point{"times": points, "times.published": published, "times.own": own} {
		summary(name, errorsOf(of), f)
	}
	within := 0
	for _, p := range points {
		if math.Abs(p.Ratio()-1) <= 0.25 {
			within++
		}
	}
	f["times.within-25"] = percent(float64(within) / float64(len(points)))
	o := orders(points)
	f["orders.same"], f["orders.all"] = format.Thousands(o.Agree), format.Thousands(o.Agree+o.Disagree)
	r := repeated(all)
	f["repeated.points"], f["repeated.mean"], f["repeated.median"], f["repeated.worst"] = format.Thousands(r.N), percent(r.Mean), percent(r.Median), fmt.Sprintf("%.1f", r.Worst)
	f["times.by-scheme"] = table("scheme", points, func(p *Point) string { return p.Scheduler })
	f["times.by-algorithm"] = table("algorithm", points, func(p *Point) string { return p.Algorithm })
	f["times.by-graph"] = table("graph", points, func(p *Point) string { return p.Graph })
	f["times.all"] = every(points)
	return algorithms(root, all, points, simulated, f)
}

// summary adds the errors of points under a name.
func summary(name string, e Errors, f map[string]string) {
	f[name+".n"], f[name+".mean"], f[name+".median"] = format.Thousands(e.N), percent(e.Mean), percent(e.Median)
	f[name+".worst"], f[name+".worst-at"] = fmt.Sprintf("%.1f", e.Worst), e.worst()
	f[name+".bias"], f[name+".least"], f[name+".most"] = bias(e.Bias), fmt.Sprintf("%.2f", e.Least), fmt.Sprintf("%.2f", e.Most)
}

// bias says by how much simulated times are too short or too long.
func bias(ratio float64) string {
	if ratio < 1 {
		return percent(1-ratio) + " too short"
	}
	return percent(ratio-1) + " too long"
}

// every returns a table of all points.
func every(points []*Point) string {
	var b strings.Builder
	b.WriteString("\n\n| algorithm | scheme | graph | simulated, ms | measured, ms | recordings | error |\n|---|---|---|---|---|---|---|\n")
	for _, p := range points {
		fmt.Fprintf(&b, "| %s | %s | %s | %.4g | %.4g | %d | %+.1f%% |\n", p.Algorithm, p.Scheduler, p.Graph, 1e3*p.Simulated, 1e3*p.Measured(), len(p.Recorded), 100*(p.Ratio()-1))
	}
	return b.String() + "\n"
}

// micro adds the errors of the micro-kernels.
func micro(root string, f map[string]string) error {
	var t comparison.Table
	if err := read(filepath.Join(root, "results/simulated/micro.json"), &t); err != nil {
		return err
	}
	summary, constants := compare.SummarizeMicro(t.Micro)
	far := 0
	worst, at := 1.0, ""
	var b strings.Builder
	b.WriteString("\n\n| what | unit | simulated | measured | error |\n|---|---|---|---|---|\n")
	for _, m := range t.Micro {
		if m.Note != "" {
			fmt.Fprintf(&b, "| %s: %s | %s | %s | | %s |\n", m.Group, m.Name, m.Unit, format.Significant(m.A), m.Note)
			continue
		}
		if math.Abs(float64(m.Error)) > 0.1 {
			far++
		}
		if x := max(m.A/m.B, m.B/m.A); x > worst {
			worst, at = x, m.Group+": "+m.Name
		}
		fmt.Fprintf(&b, "| %s: %s | %s | %s | %s | %+.1f%% |\n", m.Group, m.Name, m.Unit, format.Significant(m.A), format.Significant(m.B), 100*float64(m.Error))
	}
	f["micro.table"] = b.String() + "\n"
	f["micro.rows"], f["micro.n"], f["micro.far"] = fmt.Sprint(len(t.Micro)), fmt.Sprint(summary.N), fmt.Sprint(far)
	f["micro.mean"], f["micro.median"], f["micro.worst"], f["micro.worst-at"] = percent(summary.Mean), percent(summary.Median), fmt.Sprintf("%.1f", worst), at
	f["micro.left-out"], f["micro.command"] = fmt.Sprint(len(t.LeftOut)), t.Command
	f["micro.constant"] = fmt.Sprint(constants["launch.rate"])
	return nil
}

// counters adds the errors of counters, over the kernels whose counters were recorded.
func counters(root string, f map[string]string) error {
	var t comparison.CounterTable
	if err := read(filepath.Join(root, "results/simulated/counters.json"), &t); err != nil {
		return err
	}
	f["counters.command"] = t.Command
	known := counter.AllKnown()
	var b strings.Builder
	b.WriteString("\n\n| counter | kernels | mean error | sum over kernels, simulated / H200 |\n|---|---|---|---|\n")
	for _, c := range known.Counters {
		fmt.Fprintf(&b, "| `%s` | %d | %s | %.2f |\n", c.Name, c.Kernels, percent(c.Mean), c.Over)
	}
	f["counters.table"] = b.String() + "\n"
	b.Reset()
	b.WriteString("\n\n| stall reason | kernels | simulated | H200 | mean difference | |\n|---|---|---|---|---|---|\n")
	for _, s := range known.Stalls {
		word := ""
		if counter.Untrusted(s.Name) {
			word = "not trusted"
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s | %s | %s |\n", s.Name, s.Kernels, percent(s.Simulated), percent(s.Recorded), percent(s.Difference), word)
	}
	f["stalls.table"] = b.String() + "\n"
	return nil
}

// Known returns what the record says of the errors of simulated counters.
func Known(root string) (counter.Known, error) {
	var t comparison.CounterTable
	var k counter.Known
	if err := read(filepath.Join(root, "results/simulated/counters.json"), &t); err != nil {
		return k, err
	}
	digits := func(x float64) float64 { return math.Round(1e4*x) / 1e4 }
	for _, c := range t.Counters {
		if c.Apart == "" && c.N > 0 {
			k.Counters = append(k.Counters, counter.KnownError{Name: c.Name, Kernels: c.N, Mean: digits(c.Mean), Over: digits(c.Over)})
		}
	}
	n := 0
	for i := range t.Kernels {
		if len(t.Kernels[i].Waits) > 0 {
			n++
		}
	}
	for _, w := range t.Waits {
		k.Stalls = append(k.Stalls, counter.KnownStall{Name: w.Name, Kernels: n, Simulated: digits(w.A), Recorded: digits(w.B), Difference: digits(w.Mean)})
	}
	return k, nil
}

// byHand adds how our kernels compare with the same in CUDA C.
func byHand(root string, f map[string]string) error {
	var list []results.ByHand
	if err := read(filepath.Join(root, "results/hw/h200/byhand.json"), &list); err != nil {
		return err
	}
	ratios := map[string][]float64{}
	for _, x := range list {
		ratios[x.Kernel] = append(ratios[x.Kernel], x.Ratio)
	}
	var medians []float64
	least, most := math.Inf(1), 0.0
	for _, r := range ratios {
		medians = append(medians, median(r))
		least, most = min(least, slices.Min(r)), max(most, slices.Max(r))
	}
	slices.Sort(medians)
	f["byhand.kernels"], f["byhand.runs"] = fmt.Sprint(len(medians)), fmt.Sprint(len(list))
	f["byhand.least-median"], f["byhand.most-median"] = fmt.Sprintf("%.2f", medians[0]), fmt.Sprintf("%.2f", medians[len(medians)-1])
	f["byhand.least"], f["byhand.most"] = fmt.Sprintf("%.2f", least), fmt.Sprintf("%.2f", most)
	return nil
}

// beside adds in how many cells we are faster than the fastest other system: with the
// fastest of our candidates, which is known only when all have been measured, and with
// the scheme that "auto" chooses beforehand.
func beside(root string, f map[string]string) error {
	s, err := spec.Load(context.Background(), filepath.Join(root, "experiments/studies/peers.yaml"), sweep.Check)
	if err != nil {
		return err
	}
	c, err := peers.Parse(s)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, "results/peers/h200.json"))
	if err != nil {
		return err
	}
	record, err := results.ReadRepeated(text)
	if err != nil {
		return err
	}
	faster, cells, _ := c.Faster(record)
	record.Rows = slices.DeleteFunc(record.Rows, func(r results.Row) bool { return r.Chosen == nil })
	auto, withAuto, _ := c.Faster(record)
	f["peers.faster"], f["peers.cells"] = fmt.Sprint(faster), fmt.Sprint(cells)
	won, latest, counted, err := peers.Starts(io.Discard, filepath.Join(root, "results/peers/starts/times.csv.gz"))
	if err != nil {
		return err
	}
	f["starts.faster"], f["starts.latest"], f["starts.cells"] = fmt.Sprint(won), fmt.Sprint(latest), fmt.Sprint(counted)
	f["peers.auto-faster"], f["peers.auto-cells"] = fmt.Sprint(auto), fmt.Sprint(withAuto)
	return nil
}

// fitted adds a table of the values of presets that were fitted.
func fitted(_ string, f map[string]string) error {
	type value struct{ of, value, to string }
	var b strings.Builder
	b.WriteString("\n\n| parameter | value | machines | fitted to |\n|---|---|---|---|\n")
	for _, p := range config.Parameters() {
		machines := map[value][]string{}
		var order []value
		for _, name := range config.Presets() {
			v := p.Values[name]
			x := value{p.Path, v.Value, v.Fitted}
			if v.Fitted != "" && machines[x] == nil {
				order = append(order, x)
			}
			machines[x] = append(machines[x], name)
		}
		for _, x := range order {
			fmt.Fprintf(&b, "| `%s` | %s %s | %s | %s |\n", x.of, x.value, p.Unit, strings.Join(machines[x], ", "), x.to)
		}
	}
	f["fitted.table"] = b.String() + "\n"
	return nil
}
