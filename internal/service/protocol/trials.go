package protocol

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/laps"
	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Request describes trials.
type Request struct {
	// Run is one of them. Its source does not count.
	Run      run.Request
	Protocol *Protocol // nil for none
	Sources  int       // number of trials; 0 for that of the protocol
	Largest  bool      // draw sources from the largest component alone
	// Source is whether the algorithm has one. Without, it runs as often as the protocol says on a real GPU, and once elsewhere.
	Source bool
	// Preparing has the parts of the preparation that are done when Run begins; those of the trials are added.
	Preparing *laps.List
	// Progress, if not nil, is called before each trial, with the number of those that are done.
	Progress func(done, all int)
}

// Trials is the result of all: the object that --json prints. Numbers that a device does not have (func has no clock) are
// left out.
type Trials struct {
	Command   string         `json:"command"`
	Build     buildinfo.Info `json:"build"`
	Algorithm string         `json:"algorithm"`
	Scheduler string         `json:"scheduler"`
	Chosen    *choice.Choice `json:"chosen_by,omitempty"`
	Kernel    string         `json:"kernel"`

	run.On

	Graph           graphs.Facts      `json:"graph"`
	Notes           []string          `json:"notes,omitempty"`
	AlgParams       map[string]string `json:"algorithm_parameters,omitempty"`
	SchedulerParams map[string]string `json:"scheduler_parameters,omitempty"`
	SchedulerSet    map[string]string `json:"-"`

	Protocol Followed `json:"protocol"`
	// Preparation is how long this machine took to read the graph, and to make of it what the runs need. It is in no time
	// of a trial.
	Preparation []laps.Lap `json:"preparation"`
	WarmUps     int        `json:"warm_up_runs"` // runs before the first trial, which are not counted
	Trials      []Trial    `json:"trials"`
	Answers     Answers    `json:"answers"`

	KernelSeconds    *Spread `json:"kernel_seconds,omitempty"`
	AlgorithmSeconds *Spread `json:"algorithm_seconds,omitempty"`
	SolveSeconds     *Spread `json:"solve_seconds,omitempty"`
	// TEPS is the number of traversed edges per second of the solve time, for algorithms with a source.
	TEPS *Spread `json:"teps,omitempty"`

	WallSeconds float64      `json:"wall_seconds"`
	Error       *run.Failure `json:"error,omitempty"` // what ended a trial early; it is the last one
}

// Followed says which rules were followed.
type Followed struct {
	Name        string   `json:"name,omitempty"` // "" if there was none
	Cites       string   `json:"cites,omitempty"`
	Trials      int      `json:"trials"` // as asked
	Seed        uint64   `json:"seed"`   // of the sources; left out of the text for an algorithm without
	Component   string   `json:"component,omitempty"`
	Differences []string `json:"differences,omitempty"` // from the specification
}

// The values of Followed.Component.
const (
	AnyComponent     = "any"
	LargestComponent = "largest"
)

// Components are the values of the option.
var Components = []string{AnyComponent, LargestComponent}

// Trial is one run.
type Trial struct {
	Source *uint64 `json:"source,omitempty"` // its id in the graph's file; nil for an algorithm without
	*Traversed
	Iterations       int              `json:"iterations"`
	KernelSeconds    float64          `json:"kernel_seconds,omitempty"`
	AlgorithmSeconds float64          `json:"algorithm_seconds,omitempty"`
	SolveSeconds     float64          `json:"solve_seconds,omitempty"`
	TEPS             float64          `json:"teps,omitempty"`
	Answer           string           `json:"answer"` // as of run.Result
	Why              string           `json:"why,omitempty"`
	Tolerance        *graph.Tolerance `json:"tolerance,omitempty"`
}

// Answers counts the trials by what is known of their answers.
type Answers struct {
	Verified   int `json:"verified"`
	Wrong      int `json:"wrong"`
	Unchecked  int `json:"not_verified"`
	Incomplete int `json:"incomplete"`
}

// Err returns run.ErrWrong, with the first source whose answer is wrong, or nil.
func (t *Trials) Err() error {
	for i, x := range t.Trials {
		if x.Answer != run.AnswerWrong {
			continue
		}
		from := ""
		if x.Source != nil {
			from = fmt.Sprintf(" from source %d", *x.Source)
		}
		return fmt.Errorf("%w in %d of %d trials, first in trial %d%s: %s", run.ErrWrong, t.Answers.Wrong, len(t.Trials), i+1, from, x.Why)
	}
	return nil
}

// keptBytes is how much the trials keep of what each of them needs: the graph's transpose, its closure, its weights.
const keptBytes = 1 << 36

// Run runs the trials. The result is nil if nothing was run; otherwise the error, if any, says why a trial ended early. A
// wrong answer is not an error: see Trials.Err.
func Run(ctx context.Context, q Request) (*Trials, error) {
	if q.Preparing == nil {
		q.Preparing = &laps.List{}
	}
	ctx = memo.With(laps.With(ctx, q.Preparing), memo.New(keptBytes))
	s := &series{Request: q, traversals: traversals{g: q.Run.Graph}}
	sources, err := s.plan(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	err = errors.Join(s.all(ctx, sources), s.close())
	if s.out.Build == (buildinfo.Info{}) {
		return nil, err
	}
	s.summarize()
	s.out.Preparation, s.out.WallSeconds = q.Preparing.Laps(), time.Since(began).Seconds()
	return &s.out, err
}

// series is trials that run.
type series struct {
	Request
	traversals traversals
	out        Trials
	open       device.Device // a real GPU, which stays open; nil for other devices
}

// plan fills Protocol of the result, and returns the sources; those of an algorithm without are nil.
func (s *series) plan(ctx context.Context) (sources []*run.Source, err error) {
	f := &s.out.Protocol
	f.Trials, f.Seed = s.Sources, s.Run.Device.Options.Seed
	if p := s.Protocol; p != nil {
		if p.undirected && !s.Run.Graph.Symmetric {
			return nil, usage.Errorf(usage.Say("%s adds the opposite of every arc", option.Symmetrize), "%s: %s is for undirected graphs, and graph %s is directed", option.Protocol, p.Name, s.Run.Graph.Name)
		}
		n, err := p.Trials(s.Run.Algorithm)
		if err != nil {
			return nil, err
		}
		f.Name, f.Cites, f.Trials, f.Differences = p.Name, p.Cites, cmp.Or(s.Sources, n), p.differences(s.Run.Algorithm)
		switch real := s.Run.Device.Can().Has(device.Silicon); {
		case !s.Source && !real:
			f.Trials = 1
			f.Differences = append(f.Differences, fmt.Sprintf(oneTrial, n))
		case f.Trials != n:
			f.Differences = append(f.Differences, fmt.Sprintf("%d trials instead of %d", f.Trials, n))
		}
		if s.Largest {
			f.Differences = append(f.Differences, "sources are in the largest component")
		}
	}
	if !s.Source {
		return make([]*run.Source, f.Trials), nil
	}
	f.Component = AnyComponent
	if s.Largest {
		f.Component = LargestComponent
	}
	drawn, err := Sources(ctx, s.Run.Graph, f.Trials, f.Seed, s.Largest)
	if err != nil {
		return nil, err
	}
	if len(drawn) == 0 {
		return nil, fmt.Errorf("graph %s has no vertex with an arc to another one, to start from", s.Run.Graph.Name)
	}
	for _, v := range drawn {
		from := run.SourceAt(s.Run.Graph, v)
		sources = append(sources, &from)
	}
	return sources, nil
}

// all runs the trials, on a real GPU after a run that is not counted: a driver loads kernels and raises clocks in the first.
func (s *series) all(ctx context.Context, sources []*run.Source) (err error) {
	if s.Run.Device.Can().Has(device.Silicon) {
		if s.open, err = s.Run.Device.Open(ctx, devices.Watch{}); err != nil {
			return err
		}
		if _, err := s.once(ctx, sources[0], true); err != nil {
			return err
		}
		s.out.WarmUps = 1
	}
	for i, from := range sources {
		if s.Progress != nil {
			s.Progress(i, len(sources))
		}
		r, err := s.once(ctx, from, false)
		if r != nil {
			if e := s.take(ctx, r); err == nil {
				err = e
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// once runs the algorithm from a source.
func (s *series) once(ctx context.Context, from *run.Source, warming bool) (*run.Result, error) {
	q := s.Run
	if from != nil {
		q.Source = *from
	}
	if s.open != nil {
		q.On = devices.Lend(s.open)
	}
	q.NoVerify = q.NoVerify || warming
	return run.Run(ctx, q)
}

// close closes the device that stayed open.
func (s *series) close() error {
	if s.open == nil {
		return nil
	}
	return s.open.Close()
}

// take adds a trial.
func (s *series) take(ctx context.Context, r *run.Result) error {
	if len(s.out.Trials) == 0 {
		o := &s.out
		o.Build, o.Algorithm, o.Scheduler, o.Chosen, o.Kernel, o.On = r.Build, r.Algorithm, r.Scheduler, r.Chosen, r.Kernel, r.On
		o.Graph, o.Notes, o.AlgParams, o.SchedulerParams, o.SchedulerSet = r.Graph, r.Notes, r.AlgParams, r.SchedulerParams, r.SchedulerSet
	}
	t := Trial{Source: r.Source, Iterations: r.Iterations, KernelSeconds: r.KernelSeconds, AlgorithmSeconds: r.AlgorithmSeconds, SolveSeconds: r.SolveSeconds,
		Answer: r.Answer, Why: r.Why, Tolerance: r.Tolerance}
	s.out.Error = r.Error
	var err error
	if t.Source != nil {
		var x Traversed
		v, _ := s.Run.Graph.VertexOf(*t.Source)
		if x, err = s.traversals.from(laps.With(ctx, nil), v); err == nil {
			t.Traversed = &x
		}
		if err == nil && t.SolveSeconds > 0 {
			t.TEPS = float64(x.Edges) / t.SolveSeconds
		}
	}
	switch t.Answer {
	case run.AnswerVerified:
		s.out.Answers.Verified++
	case run.AnswerWrong:
		s.out.Answers.Wrong++
	case run.AnswerIncomplete:
		s.out.Answers.Incomplete++
	default:
		s.out.Answers.Unchecked++
	}
	s.out.Trials = append(s.out.Trials, t)
	return err
}

// summarize fills the spreads, of the trials that ended.
func (s *series) summarize() {
	of := func(value func(t *Trial) float64) (list []float64) {
		for i := range s.out.Trials {
			t := &s.out.Trials[i]
			if x := value(t); x > 0 && t.Answer != run.AnswerIncomplete {
				list = append(list, x)
			}
		}
		return list
	}
	o := &s.out
	o.KernelSeconds = times(of(func(t *Trial) float64 { return t.KernelSeconds }))
	o.AlgorithmSeconds = times(of(func(t *Trial) float64 { return t.AlgorithmSeconds }))
	o.SolveSeconds = times(of(func(t *Trial) float64 { return t.SolveSeconds }))
	o.TEPS = rates(of(func(t *Trial) float64 { return t.TEPS }))
}

// Checked reports whether the rules want every answer to be compared.
func (p *Protocol) Checked() bool { return p != nil && p.checked }
