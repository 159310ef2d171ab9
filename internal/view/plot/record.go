package plot

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/results"
)

// ran is what a run in a store says about its parameters: a part of the JSON of "weft run".
type ran struct {
	Algorithm map[string]string `json:"algorithm_parameters"`
	Scheduler map[string]string `json:"scheduler_parameters"`
}

// sizeKey identifies an algorithm under a scheme on a graph of a size.
type sizeKey struct {
	algorithm, scheduler, vertices, arcs string
}

// against returns the selected runs that a record has, too: the recorded time as a, that of the run as b. Labels say what both
// sides are. The graph is
// recognized by its numbers of vertices and arcs, because a record and a study may call it by different names.
func (s *Spec) against(ctx context.Context, st *store.Store) (pairs []pair, labels [2]string, notes []string, err error) {
	of, err := results.LoadTimes(ctx, s.Record)
	if err != nil {
		return nil, labels, nil, fmt.Errorf("record: %w", err)
	}
	if !slices.Contains(results.TimeMetrics, s.Y[0]) {
		return nil, labels, nil, fmt.Errorf("y: a record has %s, not %s", strings.Join(results.TimeMetrics, ", "), s.Y[0])
	}
	settings, _, err := st.Names(ctx)
	if err != nil {
		return nil, labels, nil, err
	}
	apart := slices.Concat(factors, settings)
	slices.Sort(apart)
	apart = slices.Compact(apart)
	rows, _, err := s.rows(ctx, st, slices.Concat(s.Where, s.B), slices.Concat(apart, s.Series, []string{"vertices", "arcs"}), s.Y)
	if err != nil {
		return nil, labels, nil, err
	}
	if len(rows) == 0 {
		return nil, labels, nil, s.nothing()
	}
	written, err := st.Spellings(ctx)
	if err != nil {
		return nil, labels, nil, err
	}
	recorded := map[sizeKey][]results.TimedRun{}
	for _, r := range of.Runs {
		k := sizeKey{r.Algorithm, r.Scheduler, fmt.Sprint(r.Vertices), fmt.Sprint(r.Arcs)}
		recorded[k] = append(recorded[k], r)
	}
	var found []row
	lacking := 0
	for _, r := range rows {
		v, ok := r.number[s.Y[0]]
		time, known := 0.0, false
		if ok {
			if time, known, err = recordedTime(ctx, st, r, s.Y[0], written[r.id], recorded[sizeKey{r.texts["algorithm"], r.texts["scheduler"], r.texts["vertices"], r.texts["arcs"]}]); err != nil {
				return nil, labels, nil, err
			}
		}
		if !known {
			lacking++
			continue
		}
		found = append(found, r)
		pairs = append(pairs, pair{series: join(r, s.Series), a: time, b: v, runs: []int64{r.id}, first: r})
	}
	if len(pairs) == 0 {
		return nil, labels, nil, fmt.Errorf("record: %s has none of the %s that are selected: no %s of the same algorithm, scheduler, parameters and size of the graph", s.Record, count(len(rows), "run"), s.Y[0])
	}
	vary := slices.DeleteFunc(apart, func(n string) bool {
		return !slices.ContainsFunc(found, func(r row) bool { return r.texts[n] != found[0].texts[n] })
	})
	for i, r := range found {
		pairs[i].name = plainName(r, vary)
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.a, b.a), strings.Compare(a.name, b.name)) })
	if lacking > 0 {
		notes = append(notes, fmt.Sprintf("Left out: %s that %s not in the record.", count(lacking, "run"), plural(lacking, "is", "are")))
	}
	labels = [2]string{"recorded on " + of.GPU, strings.Join(s.B, ", ")}
	if labels[1] == "" {
		labels[1] = "on " + strings.Join(devicesOf(found), ", ")
	}
	return pairs, labels, notes, nil
}

// plainName is join with the names of files alone, without their folders.
func plainName(r row, names []string) string {
	short := row{texts: map[string]string{}}
	for _, n := range names {
		short.texts[n] = filepath.Base(r.texts[n])
		if r.texts[n] == "" {
			short.texts[n] = ""
		}
	}
	return join(short, names)
}

// devicesOf returns the devices of runs, in order.
func devicesOf(rows []row) (names []string) {
	for _, r := range rows {
		if !slices.Contains(names, r.texts["device"]) {
			names = append(names, r.texts["device"])
		}
	}
	slices.Sort(names)
	return names
}

// recordedTime returns the time of a run in a record; known is false if the record does not have it.
func recordedTime(ctx context.Context, st *store.Store, r row, metric string, written []map[string]string, candidates []results.TimedRun) (seconds float64, known bool, err error) {
	if len(candidates) == 0 {
		return 0, false, nil
	}
	text, err := st.Attachment(ctx, r.id, "result")
	if err != nil || text == nil {
		return 0, false, err
	}
	var full ran
	if err := json.Unmarshal(text, &full); err != nil {
		return 0, false, fmt.Errorf("result of run %d: %w", r.id, err)
	}
	for _, c := range candidates {
		if v, ok := c.Seconds[metric]; ok && sameRun(r, full, c, written) {
			return v, true, nil
		}
	}
	return 0, false, nil
}

// sameRun reports whether a run and a recorded one have the same parameters. Those of the scheme that the record does not name
// have their defaults there, so no study that has the run must have written them: written are its settings in each.
func sameRun(r row, full ran, c results.TimedRun, written []map[string]string) bool {
	for name, v := range c.Params {
		if !same(full.Scheduler[name], v) {
			return false
		}
	}
	for name, v := range c.Settings {
		if have, ok := full.Algorithm[name]; ok && !same(have, v) {
			return false
		}
	}
	if source := r.texts["source"]; source != "" && source != "max-degree" {
		return false // records begin at the vertex of the largest degree
	}
	for _, settings := range written {
		for name := range settings {
			param, ok := strings.CutPrefix(name, "param.")
			param = strings.TrimPrefix(param, r.texts["scheduler"]+".")
			if _, ofScheme := full.Scheduler[param]; !ok || !ofScheme {
				continue
			}
			if _, ok := c.Params[param]; !ok {
				return false
			}
		}
	}
	return true
}
