package papers

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/timeline"
)

// fieldPrefix begins the columns of a record that are no metrics.
const fieldPrefix = "="

// Rows reads the runs of the points of a specification from a store, with the metrics that claims
// look at. A point counts with its last run, so that those of an older program do not matter; one
// that was measured several times by that program counts with the medians. missing are the points
// that have no run.
func Rows(ctx context.Context, st *store.Store, s *spec.Spec, metrics []string) (rows []Row, missing []string, err error) {
	runs := map[string][]Row{} // by point; all are of the last run's program
	points := map[string]bool{}
	for _, p := range s.Points {
		points[key(p.Map())] = true
	}
	err = st.Runs(ctx, nil, func(id int64, r *store.Run) error {
		for _, settings := range r.Spellings {
			k := key(ofPoint(settings))
			if !points[k] {
				continue
			}
			row, err := rowOf(ctx, st, id, r, settings, metrics)
			if err != nil {
				return err
			}
			if have := runs[k]; len(have) > 0 && have[0].Fields["version"] != r.Version {
				runs[k] = nil
			}
			runs[k] = append(runs[k], row)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for k := range points {
		if list := runs[k]; len(list) > 0 {
			rows = append(rows, together(list))
		} else {
			missing = append(missing, k)
		}
	}
	slices.Sort(missing)
	return sorted(rows), missing, nil
}

// WithKept adds rows that were kept of points that have no run now, so that a study needs to run only what is new in it. missing are the points
// that have neither.
func WithKept(rows, kept []Row, s *spec.Spec) (all []Row, missing []string) {
	todo := map[string]bool{}
	for _, p := range s.Points {
		todo[key(p.Map())] = true
	}
	for _, r := range slices.Concat(rows, kept) {
		if k := key(r.settings()); todo[k] {
			all, todo[k] = append(all, r), false
		}
	}
	for k, without := range todo {
		if without {
			missing = append(missing, k)
		}
	}
	slices.Sort(missing)
	return sorted(all), missing
}

// settings returns the fields of a row that are those of its point.
func (r Row) settings() map[string]string {
	m := ofPoint(r.Fields)
	delete(m, "status")
	delete(m, "version")
	return m
}

// sampled is the setting of a run that is simulated in part, and sampleError the metric of such a run: half of the width of
// the interval of its time, relative to it; 0 if it was simulated whole after all.
const (
	sampled     = "sample"
	sampleError = "sample_error"
)

// ofPoint returns settings without that of a run that is simulated in part: a long point may be run so.
func ofPoint(settings map[string]string) map[string]string {
	m := maps.Clone(settings)
	delete(m, sampled)
	return m
}

// rowOf returns the row of a run.
func rowOf(ctx context.Context, st *store.Store, id int64, r *store.Run, settings map[string]string, metrics []string) (Row, error) {
	row := Row{Fields: maps.Clone(settings), Metrics: map[string]float64{}}
	row.Fields["status"] = string(r.Status)
	row.Fields["version"] = r.Version
	ofSteps := false
	if x, ok := r.Metric(sampleError); ok && settings[sampled] != "" {
		row.Metrics[sampleError] = x
	}
	for _, name := range metrics {
		if x, ok := r.Metric(name); ok {
			row.Metrics[name] = x
		}
		ofSteps = ofSteps || strings.HasPrefix(name, "steps.") || strings.HasPrefix(name, insideSeries)
	}
	if !ofSteps || r.Status != store.OK || settings["kernel"] != "" {
		return row, nil
	}
	text, err := st.Attachment(ctx, id, "result")
	if err == nil {
		err = steps(row.Metrics, text, metrics)
	}
	if err == nil {
		err = inside(row.Metrics, text, metrics)
	}
	if err == nil {
		err = low(row.Metrics, text, metrics)
	}
	return row, err
}

// together returns one row for the repetitions of a point: with the medians if all ended well, and the last one otherwise.
func together(list []Row) Row {
	last := list[len(list)-1]
	if len(list) == 1 || slices.ContainsFunc(list, func(r Row) bool { return r.Fields["status"] != string(store.OK) }) {
		return last
	}
	for name := range last.Metrics {
		var values []float64
		for _, r := range list {
			if x, ok := r.Metrics[name]; ok {
				values = append(values, x)
			}
		}
		last.Metrics[name] = reduction("median", values)
	}
	return last
}

// steps adds the metrics steps.sum.NAME, steps.max.NAME and steps.last.NAME of a run's JSON.
func steps(to map[string]float64, text []byte, metrics []string) error {
	var result struct {
		Iterations []map[string]any `json:"per_iteration"`
		Others     []map[string]any `json:"other_launches"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	for _, m := range metrics {
		how, name, ok := strings.Cut(strings.TrimPrefix(m, "steps."), ".")
		if !ok || !strings.HasPrefix(m, "steps.") {
			continue
		}
		for _, step := range append(result.Iterations, result.Others...) {
			x, ok := step[name].(float64)
			if !ok {
				continue
			}
			have, some := to[m]
			switch {
			case !some || how == "last":
				to[m] = x
			case how == "sum":
				to[m] = have + x
			case how == "max":
				to[m] = max(have, x)
			}
		}
	}
	return nil
}

// insideSeries begins the name of a metric of a series.
const insideSeries = "series.inside."

// inside adds the metrics series.inside.NAME of a run's JSON: the sum of a series if its first
// and its last value are 0, and 0 otherwise. So a claim that something happens in the middle of
// a run, and neither at its start nor at its end, fails in each of the three ways.
func inside(to map[string]float64, text []byte, metrics []string) error {
	var result struct {
		Series []struct {
			Name   string
			Values []float64
		}
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	for _, s := range result.Series {
		metric := insideSeries + s.Name
		if !slices.Contains(metrics, metric) || len(s.Values) == 0 {
			continue
		}
		sum := 0.0
		if s.Values[0] == 0 && s.Values[len(s.Values)-1] == 0 {
			for _, x := range s.Values {
				sum += x
			}
		}
		to[metric] = sum
	}
	return nil
}

// lowSteps begins the name of a metric of the time of steps.
const lowSteps = "steps.low."

// low adds the metrics steps.low.NAME of a run's JSON: the part of the run's time in steps whose number, such as the
// throughput, is less than half of the highest. A step without the number has 0.
func low(to map[string]float64, text []byte, metrics []string) error {
	run, err := timeline.Read(text)
	if err != nil {
		return err
	}
	steps := run.Steps()
	for _, m := range metrics {
		name, ok := strings.CutPrefix(m, lowSteps)
		most, below, begin := 0.0, 0.0, 0.0
		for _, s := range steps {
			most = max(most, s[name])
		}
		if !ok || most == 0 {
			continue
		}
		for _, s := range steps {
			if s[name] < most/2 {
				below += s[timeline.Time] - begin
			}
			begin = s[timeline.Time]
		}
		if begin > 0 {
			to[m] = below / begin
		}
	}
	return nil
}

// key is a text that is the same for the same settings.
func key(settings map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s=%s;", name, settings[name])
	}
	return b.String()
}

// sorted orders rows by their fields, since runs end in no particular order.
func sorted(rows []Row) []Row {
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(key(a.Fields), key(b.Fields)) })
	return rows
}

// Write writes rows as CSV: the fields, with "=" before their names, then the metrics.
func Write(w io.Writer, rows []Row) error {
	fields, metrics := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		for name := range r.Fields {
			fields[name] = true
		}
		for name := range r.Metrics {
			metrics[name] = true
		}
	}
	f, m := slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(metrics))
	out := csv.NewWriter(w)
	var head []string
	for _, name := range f {
		head = append(head, fieldPrefix+name)
	}
	if err := out.Write(append(head, m...)); err != nil {
		return err
	}
	for _, r := range rows {
		var line []string
		for _, name := range f {
			line = append(line, r.Fields[name])
		}
		for _, name := range m {
			text := ""
			if x, ok := r.Metrics[name]; ok {
				text = strconv.FormatFloat(x, 'g', -1, 64)
			}
			line = append(line, text)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Read reads what Write wrote.
func Read(r io.Reader) ([]Row, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("an empty record")
	}
	var rows []Row
	for _, line := range lines[1:] {
		row := Row{Fields: map[string]string{}, Metrics: map[string]float64{}}
		for i, text := range line {
			name, field := strings.CutPrefix(lines[0][i], fieldPrefix)
			switch {
			case text == "":
			case field:
				row.Fields[name] = text
			default:
				if row.Metrics[name], err = strconv.ParseFloat(text, 64); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
