package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// record is the result of the experiment.
type record struct {
	Title string `json:"title"`
	Rows  []row  `json:"rows"`
}

// row is a run. Times are in seconds of the simulated machine, 0 on func.
type row struct {
	Table      string  `json:"table"`
	Device     string  `json:"device"`
	Graph      string  `json:"graph"`
	Vertices   int     `json:"vertices"`
	Arcs       int     `json:"arcs"` // of the graph on which the algorithm ran
	Algorithm  string  `json:"algorithm"`
	GPUs       int     `json:"gpus"`
	Exchange   string  `json:"exchange"`
	Transfer   string  `json:"transfer"`
	Overlap    bool    `json:"overlap"`
	Iterations int     `json:"iterations"`
	Sent       uint64  `json:"sent_bytes"`
	Useful     uint64  `json:"useful_bytes"` // 0 if they were not counted, in rows with times
	Compute    float64 `json:"compute_seconds"`
	Transfers  float64 `json:"transfer_seconds"`
	Overlapped float64 `json:"overlap_seconds"`
	Solve      float64 `json:"solve_seconds"` // from the first launch until the host knows that the answer is complete
}

// efficiency returns the useful part of what was sent.
func (r row) efficiency() float64 {
	if r.Sent == 0 {
		return 0
	}
	return float64(r.Useful) / float64(r.Sent)
}

// perArc returns the bytes that were sent per arc and iteration.
func (r row) perArc() float64 { return float64(r.Sent) / float64(r.Arcs) / float64(r.Iterations) }

// tableOf says by its device to which table a row belongs.
var tableOf = map[string]string{"func": "bytes", "gtx780": "times", "h200": "scaling"}

// key identifies a row.
func (r row) key() row {
	return row{Table: r.Table, Device: r.Device, Graph: r.Graph, Algorithm: r.Algorithm, GPUs: r.GPUs, Exchange: r.Exchange, Transfer: r.Transfer, Overlap: r.Overlap}
}

// keyOf returns the key of a row from the settings of a point or of a run.
func keyOf(settings map[string]string) (r row, err error) {
	// The name of a group has the number of its GPUs.
	device := strings.TrimSuffix(strings.TrimPrefix(settings["device"], "sim:"), "x"+settings["gpus"])
	r = row{Table: tableOf[device], Device: device, Graph: settings["graph"], Algorithm: settings["algorithm"], GPUs: 1,
		Exchange: settings["param.exchange"], Transfer: settings["param.transfer"], Overlap: settings["param.overlap"] == "true"}
	if r.Table == "" {
		return r, fmt.Errorf("device %s belongs to no table", settings["device"])
	}
	if n := settings["gpus"]; n != "" {
		r.GPUs, err = strconv.Atoi(n)
	}
	return r, err
}

// add adds the rows of a store to the record, in place of those that it has.
func (rec *record) add(ctx context.Context, st *store.Store) error {
	err := st.Runs(ctx, []string{"scheduler=multi"}, func(_ int64, run *store.Run) error {
		r, err := rowOf(run)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(rec.Rows, func(old row) bool { return old.key() == r.key() }); i >= 0 {
			rec.Rows[i] = r
		} else {
			rec.Rows = append(rec.Rows, r)
		}
		return nil
	})
	slices.SortStableFunc(rec.Rows, func(a, b row) int { return slices.Index(tables, a.Table) - slices.Index(tables, b.Table) })
	return err
}

// rowOf returns the row of a run, whose answer must be right.
func rowOf(run *store.Run) (row, error) {
	settings := maps.Clone(run.Defaults)
	if settings == nil {
		settings = map[string]string{}
	}
	maps.Copy(settings, run.Settings)
	settings["graph"] = run.Graph // its name, and not the path of a file
	r, err := keyOf(settings)
	if err != nil {
		return r, err
	}
	if run.Status != store.OK {
		return r, fmt.Errorf("%s on %s, %d GPUs, %s: %s", r.Algorithm, r.Graph, r.GPUs, r.Exchange, run.Error)
	}
	number := func(metric string) float64 {
		x, _ := run.Metric(metric)
		return x
	}
	r.Vertices, r.Arcs, r.Iterations, r.Solve = run.Vertices, run.Arcs, int(number("iterations")), number("solve_seconds")
	r.Sent, r.Useful = uint64(number("bytes_sent")), uint64(number("useful_bytes"))
	r.Compute, r.Transfers, r.Overlapped = number("compute_time"), number("transfer_time"), number("overlap")
	if perArc := number("bytes_per_arc"); perArc > 0 { // of the graph on which the algorithm ran, which may be the symmetric closure
		r.Arcs = int(math.Round(float64(r.Sent) / perArc / float64(r.Iterations)))
	}
	return r, nil
}
