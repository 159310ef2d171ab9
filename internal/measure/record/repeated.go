package record

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/run"
	"github.com/weft-gpu/weft/results"
	"github.com/weft-gpu/weft/scheduler"
)

// Export adds runs of a store, those for which all conditions hold, to a record, with one row for all runs of a point; a row that
// the record has is replaced. Launches of kernels are left out. It returns the number of rows.
func Export(ctx context.Context, st *store.Store, where []string, into *results.Repeated) (rows int, err error) {
	e := exporter{into: into, rows: map[results.Key]*repeats{}, sims: map[string]results.Meta{}}
	err = st.Runs(ctx, where, func(id int64, r *store.Run) error {
		if r.Algorithm == "" {
			return nil
		}
		x, err := readExtra(ctx, st, id)
		if err != nil {
			return err
		}
		e.add(r, x)
		return nil
	})
	for _, k := range e.order {
		into.Put(e.rows[k].row())
	}
	return len(e.order), err
}

// extra is what a run has besides its columns, settings and metrics.
type extra struct {
	origin *sweep.Origin // nil for a run that was not on a real GPU
	result struct {
		Chosen    json.RawMessage   `json:"chosen_by"`
		AlgParams map[string]string `json:"algorithm_parameters"`
		Source    *uint64           `json:"source"`
		Vertex    *uint32           `json:"source_vertex"` // nil if it is source
		Steps     []scheduler.Step  `json:"per_iteration"`
		Others    []scheduler.Step  `json:"other_launches"`
		Group     *run.Group        `json:"group"`
	}
}

func readExtra(ctx context.Context, st *store.Store, id int64) (*extra, error) {
	x := &extra{}
	for kind, to := range map[string]any{"result": &x.result, sweep.OriginAttachment: &x.origin} {
		text, err := st.Attachment(ctx, id, kind)
		if err != nil {
			return nil, err
		}
		if text == nil {
			continue
		}
		if err := json.Unmarshal(text, to); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// exporter collects the rows of a record.
type exporter struct {
	into  *results.Repeated
	order []results.Key
	rows  map[results.Key]*repeats
	sims  map[string]results.Meta // origins of runs that were not on a real GPU
}

// repeats are the runs of a row.
type repeats struct {
	results.Row
	failed string // the first error of a run other than one for which the time did not suffice
	late   string // the first error of such a run
	some   bool   // a run was right but nobody checked it
}

// keyOf identifies the row of a run.
func keyOf(r *store.Run) results.Key {
	params := map[string]string{}
	for name, value := range r.Spellings[0] { // a run of a store always has one
		if name, ok := strings.CutPrefix(name, "param."); ok {
			params[name] = value
		}
	}
	return results.Key{Graph: r.Graph, Algorithm: r.Algorithm, Scheduler: r.Scheduler, Params: format.Assignments(params)}
}

// add adds a run to its row.
func (e *exporter) add(r *store.Run, x *extra) {
	key := keyOf(r)
	row := e.rows[key]
	if row == nil {
		row = &repeats{Row: results.Row{Key: key}}
		e.rows[key], e.order = row, append(e.order, key)
	}
	row.Session = e.session(r, x)
	if r.Vertices > 0 {
		row.Vertices, row.Arcs = r.Vertices, r.Arcs
	}
	switch {
	case r.Status == store.Undecided:
		row.late = cmp.Or(row.late, r.Error)
		return
	case r.Status != store.OK:
		row.failed = cmp.Or(row.failed, r.Error)
		return
	}
	row.Chosen, row.Settings = x.result.Chosen, x.result.AlgParams
	if s := x.result.Source; s != nil { // a record has the number in memory, by which comparisons recognize a run
		source := uint32(*s)
		row.Source = cmp.Or(x.result.Vertex, &source)
	}
	row.Launches = 0
	for _, s := range slices.Concat(x.result.Steps, x.result.Others) {
		if !s.Setup {
			row.Launches++
		}
	}
	iterations, _ := r.Metric("iterations")
	row.Iterations = int(iterations)
	if right, _ := r.Metric("verified"); right == 0 {
		row.some = true
	}
	for name, to := range map[string]*[]float64{"solve_seconds": &row.Seconds, "algorithm_seconds": &row.WithCopy, "kernel_seconds": &row.KernelSeconds} {
		if seconds, ok := r.Metric(name); ok {
			*to = append(*to, seconds)
		}
	}
	row.Checked = results.ByReference
	row.Communication = communication(x.result.Group, r)
}

// row returns the row of all runs: it has no times if one of them failed.
func (r *repeats) row() results.Row {
	if r.Checked == results.Unchecked {
		r.failed = cmp.Or(r.failed, r.late)
	}
	if r.some {
		r.Checked = results.Unchecked
	}
	if r.failed != "" {
		r.Error, r.Checked = r.failed, results.Unchecked
		r.Seconds, r.WithCopy, r.KernelSeconds = nil, nil, nil
	}
	return r.Row
}

// session returns the session of a run, which it adds to the record if it has none such. Of runs on a device that is no real GPU,
// those of one program are one.
func (e *exporter) session(r *store.Run, x *extra) int {
	var meta results.Meta
	if x.origin != nil {
		meta = x.origin.Meta
		e.into.Describe(x.origin.Graph)
	} else {
		key := r.Device + " " + r.Version
		if _, ok := e.sims[key]; !ok {
			e.sims[key] = results.Meta{GPU: r.Device, Date: r.Date.UTC().Format(time.RFC3339), Commit: r.Version}
		}
		meta = e.sims[key]
	}
	if i := slices.IndexFunc(e.into.Sessions, func(m results.Meta) bool { return reflect.DeepEqual(m, meta) }); i >= 0 {
		return i
	}
	e.into.Sessions = append(e.into.Sessions, meta)
	return len(e.into.Sessions) - 1
}

// communication returns what the GPUs of a group sent each other; nil for one GPU, or if the scheme does not say it.
func communication(g *run.Group, r *store.Run) *scheduler.Communication {
	if g == nil || len(g.Pairs) == 0 {
		return nil
	}
	iterations, _ := r.Metric("iterations")
	c := &scheduler.Communication{Arcs: r.Arcs, Iterations: int(iterations)}
	for _, p := range g.Pairs {
		use := scheduler.PairUse{From: p.From, To: p.To, Bytes: p.Bytes}
		if p.Useful != nil {
			c.Counted, use.Useful = true, *p.Useful
		}
		c.Pairs = append(c.Pairs, use)
	}
	c.Compute, _ = r.Metric("compute_time")
	c.Transfer, _ = r.Metric("transfer_time")
	c.Overlap, _ = r.Metric("overlap")
	return c
}
