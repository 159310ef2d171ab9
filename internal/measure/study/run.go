package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/results"
)

// Verify says which answers are checked.
type Verify string

// The values of Plan.Verify.
const (
	VerifyAll   Verify = "all"   // of every row
	VerifyFirst Verify = "first" // of the first row of each algorithm and scheme on each graph
	VerifyNone  Verify = "none"
)

// Plan says how a study is measured.
type Plan struct {
	Spec *Spec
	// Open opens the device; a device whose run failed is closed, and the next row gets another one.
	Open func(context.Context) (device.Device, error)
	Load func(context.Context, Graph) (*graph.CSR, error)
	Meta func(device.Device) results.Meta // the origin of the rows
	Save func(*File) error                // called after each row
	// Only selects rows by Key.String; nil for all.
	Only   func(row string) bool
	Again  bool // also measure rows that the record has
	Verify Verify
	// Limit ends the study, RowLimit each row: its timed runs end with those made so far, and a first run that takes
	// longer is an error of the row. Checks on the CPU do not count for RowLimit. 0 for none.
	Limit, RowLimit time.Duration
	Log             io.Writer // one line for each row

	rowContext func(context.Context) (context.Context, context.CancelFunc) // instead of RowLimit, for tests
}

// Run measures the rows that the record lacks and adds them to it; missing are those for which the time did not
// suffice. The error of a row is in the record. A row that the program cannot run, because it has no such scheme or
// parameter, is left out: Spec.Check names it. A graph that cannot be loaded is an error at the end; its rows are left
// out, too. If the context ends, or the device or the record fails, that ends the run.
func (p *Plan) Run(ctx context.Context, f *File) (missing []Key, err error) {
	limited := ctx
	if p.Limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, p.Limit)
		defer cancel()
	}
	s := &session{Plan: p, file: f}
	defer func() { err = errors.Join(err, s.close()) }()
	var unread error
	for _, g := range p.Spec.Graphs {
		rows := slices.DeleteFunc(p.Spec.rows(g.Name), func(r planned) bool { return r.err != nil || !p.wanted(f, r.Key) })
		if len(rows) == 0 {
			continue
		}
		done, err := s.graph(limited, g, rows)
		var load *loadError
		switch {
		case ctx.Err() != nil:
			return missing, ctx.Err()
		case limited.Err() != nil:
			for _, r := range rows[done:] {
				missing = append(missing, r.Key)
			}
		case errors.As(err, &load):
			fmt.Fprintf(p.Log, "%v\n", err)
			unread = errors.Join(unread, err)
		case err != nil:
			return missing, err
		}
	}
	return missing, unread
}

// loadError says why the rows of a graph are left out.
type loadError struct {
	graph string
	err   error
}

func (e *loadError) Error() string { return "graph " + e.graph + ": " + e.err.Error() }
func (e *loadError) Unwrap() error { return e.err }

// wanted reports whether a row is to be measured.
func (p *Plan) wanted(f *File, k Key) bool {
	return (p.Again || f.Find(k) == nil) && (p.Only == nil || p.Only(k.String()))
}

// session is a running study.
type session struct {
	*Plan
	file  *File
	dev   device.Device // nil if none is open
	index int           // of File.Sessions; valid once a device was open
	begun bool
}

// graph measures the rows of a graph, and returns how many it did before it ended.
func (s *session) graph(ctx context.Context, at Graph, rows []planned) (done int, err error) {
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	start := time.Now()
	g, err := s.load(ctx, at, rows)
	if err != nil {
		return 0, &loadError{at.Name, err}
	}
	fmt.Fprintf(s.Log, "%s: %s vertices, %s arcs; %.1f s\n", at.Name, format.Thousands(g.Vertices()), format.Thousands(g.Arcs()), format.Since(start))
	facts, err := choice.Describe(ctx, at.Name, g)
	if err != nil {
		return 0, &loadError{at.Name, err}
	}
	s.file.describe(facts)
	known := &answers{}
	for _, row := range rows {
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		start := time.Now()
		if err := s.open(ctx); err != nil {
			return done, err
		}
		r := s.row(ctx, g, row, known)
		if ctx.Err() != nil { // it may have failed only because the time was over
			return done, ctx.Err()
		}
		r.Session = s.index
		s.file.put(r)
		if err := s.Save(s.file); err != nil {
			return done, err
		}
		done++
		fmt.Fprintf(s.Log, "%s: %s (%.1f s)\n", r.Key, r.outcome(), format.Since(start))
		if r.Error != "" {
			if err := s.close(); err != nil {
				fmt.Fprintf(s.Log, "closing the device: %v\n", err)
			}
		}
	}
	return done, nil
}

// load loads a graph, with weights if a row needs them: each run would assign them anew.
func (s *session) load(ctx context.Context, at Graph, rows []planned) (*graph.CSR, error) {
	g, err := s.Load(ctx, at)
	if err != nil {
		return nil, err
	}
	if at.Vertices > 0 && g.Vertices() != at.Vertices || at.Arcs > 0 && g.Arcs() != at.Arcs {
		return nil, fmt.Errorf("%d vertices and %d arcs; the study is about a graph with %d and %d", g.Vertices(), g.Arcs(), at.Vertices, at.Arcs)
	}
	if slices.ContainsFunc(rows, func(r planned) bool { return r.entry.Type.Weighted }) {
		g, _, err = g.WithWeights(ctx)
	}
	return g, err
}

func (s *session) open(ctx context.Context) (err error) {
	if s.dev != nil {
		return nil
	}
	if s.dev, err = s.Open(ctx); err != nil {
		s.dev = nil
		return err
	}
	if !s.begun {
		s.begun, s.index = true, len(s.file.Sessions)
		s.file.Sessions = append(s.file.Sessions, s.Meta(s.dev))
	}
	return nil
}

func (s *session) close() error {
	if s.dev == nil {
		return nil
	}
	err := s.dev.Close()
	s.dev = nil
	return err
}

// row measures one row.
func (s *session) row(ctx context.Context, g *graph.CSR, row planned, known *answers) Row {
	r := Row{Key: row.Key}
	if err := s.measure(ctx, g, row, known, &r); err != nil {
		r.Error, r.Seconds, r.KernelSeconds = err.Error(), nil, nil
	}
	return r
}

// measure runs a row once, checks the answer, and times it.
func (s *session) measure(ctx context.Context, g *graph.CSR, row planned, known *answers, r *Row) error {
	entry, err := catalog.Resolve(ctx, row.Algorithm, row.Scheduler, g)
	if err != nil {
		return err
	}
	params, err := entry.Parameters(row.params)
	if err != nil {
		return err
	}
	r.Chosen = entry.Chosen
	source, _ := g.MaxDegreeVertex()
	r.Vertices, r.Arcs = g.Vertices(), g.Arcs()
	if entry.Type.Source {
		r.Source = &source
	}
	q := catalog.Request{Algorithm: row.Algorithm, Scheduler: row.Scheduler, Graph: g, Source: source, Params: row.params}
	timed, cancel := s.rowTime(ctx)
	defer cancel()
	res, err := catalog.Run(timed, s.dev, q)
	if err != nil {
		return s.late(ctx, timed, err)
	}
	r.Iterations, r.Launches, r.Communication = res.Iterations, res.Launches(), res.Communication
	if len(res.Params) > 0 {
		r.Settings = res.Params // with the defaults for this graph
	}
	if r.Checked, err = s.check(ctx, q, params, res, known); err != nil {
		return err
	}
	if res.AlgorithmSeconds == 0 { // there is no clock
		return nil
	}
	timed, again := s.rowTime(ctx)
	defer again()
	for i := range s.Spec.Repeat {
		res, err := catalog.Run(timed, s.dev, q)
		if err != nil && i > 0 && timed.Err() != nil && ctx.Err() == nil {
			return s.close() // the launch that was cut off may have left the device unusable
		}
		if err != nil {
			return s.late(ctx, timed, err)
		}
		r.Iterations, r.Launches, r.Communication = res.Iterations, res.Launches(), res.Communication
		r.Seconds, r.WithCopy = append(r.Seconds, res.SolveSeconds), append(r.WithCopy, res.AlgorithmSeconds)
		r.KernelSeconds = append(r.KernelSeconds, res.KernelSeconds())
	}
	return nil
}

// rowTime returns the context of runs of one row.
func (s *session) rowTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.rowContext != nil {
		return s.rowContext(ctx)
	}
	if s.RowLimit > 0 {
		return context.WithTimeout(ctx, s.RowLimit)
	}
	return context.WithCancel(ctx)
}

// late says that a run was ended because of the row's limit, if it was.
func (s *session) late(ctx, timed context.Context, err error) error {
	if timed.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("a run took longer than the limit of a row, %v", s.RowLimit)
	}
	return err
}

// answers are the answers on one graph that the reference confirmed.
type answers struct {
	right []answer
	// asked are the pairs of algorithm and scheme of which a row was checked.
	asked []Key
}

// answer is a right answer of an algorithm with values of its parameters.
type answer struct {
	algorithm, settings string
	values              any
}

// check checks the answer of a run. The reference, which takes long for a large graph, is asked only if no answer with
// the same values is known to be right.
func (s *session) check(ctx context.Context, q catalog.Request, params catalog.Parameters, res *catalog.Result, known *answers) (Checked, error) {
	pair := Key{Algorithm: q.Algorithm, Scheduler: q.Scheduler}
	if s.Verify == VerifyNone || s.Verify == VerifyFirst && slices.Contains(known.asked, pair) {
		return Unchecked, nil
	}
	known.asked = append(known.asked, pair)
	settings := format.Assignments(params.Algorithm)
	for _, a := range known.right {
		if a.algorithm == q.Algorithm && a.settings == settings && equal(a.values, res.Values) {
			return ByValues, nil
		}
	}
	q.Verify = true
	res, err := catalog.Run(ctx, s.dev, q)
	switch {
	case err != nil:
		return Unchecked, err
	case res.Mismatch != nil:
		return Unchecked, fmt.Errorf("wrong answer: %w", res.Mismatch)
	case !res.Verified:
		return Unchecked, nil // there is no reference
	}
	known.right = append(known.right, answer{q.Algorithm, settings, res.Values})
	return ByReference, nil
}

// equal reports whether two answers have the same values.
func equal(a, b any) bool {
	x, ok := a.([]uint32)
	y, both := b.([]uint32)
	if ok && both {
		return slices.Equal(x, y) // millions of values, which DeepEqual compares one by one by reflection
	}
	return reflect.DeepEqual(a, b)
}
