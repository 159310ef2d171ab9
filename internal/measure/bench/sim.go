package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/buildinfo"
	"github.com/weft-gpu/weft/internal/base/calibrate"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim"
)

// SimReport is what `weft bench sim --json` prints.
type SimReport struct {
	Command     string             `json:"command"`
	Build       buildinfo.Info     `json:"build"`
	Device      string             `json:"device"`
	Parameters  map[string]string  `json:"parameters,omitempty"` // parameters of the machine that were set
	Machine     map[string]any     `json:"machine,omitempty"`    // all parameters of the machine
	MachineHash string             `json:"machine_hash,omitempty"`
	Repeats     int                `json:"repeats"`
	Against     int                `json:"against_threads,omitempty"`
	Calibration calibrate.Measured `json:"calibration"`
	Runs        []SimSpeed         `json:"runs"`
	Costs       []CostBySize       `json:"cost_by_size,omitempty"` // for several limits
}

// CostBySize says how the cost of a warp instruction depends on the number of
// simulated ones.
type CostBySize struct {
	Algorithm string  `json:"algorithm"`
	Scheduler string  `json:"scheduler"`
	Kernel    string  `json:"kernel,omitempty"`
	Graph     string  `json:"graph"`
	Least     float64 `json:"least_nanoseconds"`
	Most      float64 `json:"most_nanoseconds"`
}

// SimPlan describes the simulations that measure the simulator: every algorithm
// with every scheduler on every graph, up to each limit, and, if there is a
// Group, the standard ones; see standard.
type SimPlan struct {
	Algorithms, Schedulers []string
	Graphs                 []*graph.CSR
	Limits                 []float64 // in warp instructions, ascending; a run that ends before a limit is the last
	Device                 *devices.Spec
	Group                  *devices.Spec // the device, several times; nil: no standard runs
	Repeats                int           // of each run; the run with the median user time counts
	Against                int           // threads on which each run is measured as well; 0 for none
}

// Simulator measures the simulator, a device with capability CycleLevel. If it
// is interrupted, or a run fails, the report has the results so far.
func Simulator(ctx context.Context, q SimPlan, calibrated func() float64, stderr io.Writer) (*SimReport, error) {
	r := &SimReport{Build: buildinfo.This(), Device: q.Device.Name, Parameters: q.Device.Overrides(), Repeats: q.Repeats, Against: q.Against, Runs: []SimSpeed{}}
	r.Machine, r.MachineHash = q.Device.Machine()
	loop := []float64{calibrated()}
	err := q.measure(ctx, stderr, &r.Runs)
	r.Calibration = calibrate.Measured{What: calibrate.Name, Rate: Median(append(loop, calibrated()))}
	r.Costs = costs(r.Runs)
	return r, err
}

// measure measures all runs of the plan, those of one kind from the shortest to
// the longest. A run that ends before its limit is the last of its kind.
func (q *SimPlan) measure(ctx context.Context, stderr io.Writer, out *[]SimSpeed) error {
	p := progressbar.New(stderr, "bench sim")
	defer p.Finish()
	for _, run := range q.runs() {
		for _, limit := range q.Limits {
			p.Update(0, int64(limit), run.what())
			run.limit = limit
			s, err := q.best(ctx, run, func(at sim.Progress) {
				p.Update(int64(at.Instructions), int64(limit), run.what())
			})
			if err != nil {
				return err
			}
			if run.on != q.Device {
				s.Device = run.on.Name
			}
			*out = append(*out, s)
			if s.Whole {
				break
			}
		}
	}
	return nil
}

// runs returns the runs of the plan, without limits.
func (q *SimPlan) runs() (runs []simRun) {
	for _, alg := range q.Algorithms {
		for _, sched := range q.Schedulers {
			for _, g := range q.Graphs {
				runs = append(runs, simRun{algorithm: alg, scheduler: sched, graph: g, on: q.Device})
			}
		}
	}
	return append(runs, q.standard()...)
}

// best returns the repeat with the median user time. A repeat on other threads follows each at once, so that both find the same
// computer.
func (q *SimPlan) best(ctx context.Context, r simRun, tell func(sim.Progress)) (SimSpeed, error) {
	var all, others []SimSpeed
	var faster []float64
	for range q.Repeats {
		s, err := r.measure(ctx, tell)
		if err != nil {
			return s, err
		}
		all = append(all, s)
		if q.Against == 0 {
			continue
		}
		other, on := r, *r.on
		on.Options.Threads = q.Against
		other.on = &on
		o, err := other.measure(ctx, tell)
		if err != nil {
			return s, err
		}
		others, faster = append(others, o), append(faster, s.Wall/o.Wall)
	}
	equal := len(others) > 0
	for i := range others {
		equal = equal && others[i].Cycles == all[0].Cycles && all[i].Cycles == all[0].Cycles && slices.Equal(others[i].counters, all[i].counters)
	}
	slices.SortFunc(all, func(a, b SimSpeed) int { return cmp.Compare(a.User, b.User) })
	s := all[(len(all)-1)/2]
	if len(others) > 0 {
		slices.SortFunc(others, func(a, b SimSpeed) int { return cmp.Compare(a.Wall, b.Wall) })
		s.Against = &Against{Threads: q.Against, Wall: others[(len(others)-1)/2].Wall, Faster: Median(faster), Equal: equal}
	}
	return s, nil
}

// Text prints the runs, and how much the cost of an instruction varies.
func (r *SimReport) Text(w io.Writer) {
	rows := [][]string{{"run", "graph", "instr", "sectors", "cycles", "launches", "user", "wall", "instr/s", "sectors/s", "cycles/s", "ns/instr", "B/thread"}}
	for i := range r.Runs {
		s := &r.Runs[i]
		rows = append(rows, []string{s.Title(), s.Graph, format.Scaled(s.Instructions), format.Scaled(s.Sectors), format.Scaled(float64(s.Cycles)),
			format.Thousands(s.Launches), format.Seconds(s.User), format.Seconds(s.Wall), format.Scaled(s.InstRate), format.Scaled(s.SectorRate), format.Scaled(s.CycleRate),
			format.Digits(s.PerInst), format.Thousands(int64(s.PerThread))})
	}
	format.Table(w, "", "llrrrrrrrrrrr", rows)
	r.against(w)
	for _, c := range r.Costs {
		run := SimSpeed{Algorithm: c.Algorithm, Scheduler: c.Scheduler, Kernel: c.Kernel}
		fmt.Fprintf(w, "\n%s on %s: %s to %s ns an instruction, %+.0f%%", printable.Line(run.Title()), printable.Line(c.Graph),
			format.Digits(c.Least), format.Digits(c.Most), 100*(c.Most/c.Least-1))
	}
	if len(r.Costs) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\n%s; warp instructions, rates by user time inside launches; calibration loop: %s steps/s (%s)\n",
		r.Device, format.Scaled(r.Calibration.Rate), r.Calibration.What)
}

// against prints how the runs compare with the same on other threads.
func (r *SimReport) against(w io.Writer) {
	var rows [][]string
	var ratios []float64
	for i := range r.Runs {
		s := &r.Runs[i]
		if s.Against == nil {
			continue
		}
		output := "equal"
		if !s.Against.Equal {
			output = "DIFFERENT"
		}
		ratios = append(ratios, s.Against.Faster)
		rows = append(rows, []string{s.Title(), s.Graph, format.Scaled(s.Instructions), format.Seconds(s.Wall), format.Seconds(s.Against.Wall), fmt.Sprintf("%.2f", s.Against.Faster), output})
	}
	if len(rows) == 0 {
		return
	}
	fmt.Fprintln(w)
	head := []string{"run", "graph", "instr", "wall", fmt.Sprintf("on %d threads", r.Against), "faster", "cycles and counters"}
	format.Table(w, "", "llrrrrl", append([][]string{head}, rows...))
	fmt.Fprintf(w, "median of %d: %.2f times as fast on %d threads\n", len(ratios), Median(ratios), r.Against)
}

// Title names the run in the table.
func (s *SimSpeed) Title() string {
	out := s.Algorithm + " " + s.Scheduler
	if s.Kernel != "" {
		out = s.Kernel[strings.LastIndexByte(s.Kernel, '/')+1:]
	}
	if s.Chosen != nil {
		out += " (" + s.Chosen.By + ")"
	}
	if s.Device != "" {
		out += " on " + s.Device
	}
	return out
}

// costs compares runs that differ only in their length. A run that was shorter
// than a tick of the host's clock of CPU time has no cost, and is left out.
func costs(runs []SimSpeed) (out []CostBySize) {
	for i := 0; i < len(runs); {
		first := &runs[i]
		c := CostBySize{Algorithm: first.Algorithm, Scheduler: first.Scheduler, Kernel: first.Kernel, Graph: first.Graph, Least: math.Inf(1)}
		timed := 0
		for limit := math.Inf(-1); i < len(runs) && runs[i].Limit > limit; i++ {
			limit = runs[i].Limit
			if cost := runs[i].PerInst; cost > 0 {
				c.Least, c.Most = min(c.Least, cost), max(c.Most, cost)
				timed++
			}
		}
		if timed > 1 {
			out = append(out, c)
		}
	}
	return out
}
