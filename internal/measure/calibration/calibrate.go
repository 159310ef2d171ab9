package calibration

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/progressbar"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/sim/config"
)

// Request says what to calibrate.
type Request struct {
	Recording *Recording
	Base      string   // a preset or a file
	Set       []string // values that the recording does not say: "l2.bytes=48 MiB"
	Jobs      int      // rows that are simulated at the same time
	Stderr    io.Writer

	steps []Step // nil: Steps()
}

// Result is a machine that was calibrated, and how.
type Result struct {
	Command string   `json:"command"`
	GPU     string   `json:"gpu"`
	Record  string   `json:"record"` // the table
	Base    string   `json:"base"`
	Machine string   `json:"machine_hash"`
	Facts   []Fact   `json:"facts"`
	Fitted  []Fitted `json:"fitted"`
	Kept    []Kept   `json:"kept"`
	Rows    []Row    `json:"rows"`
	Before  Errors   `json:"before"` // of the rows on the base with the facts
	After   Errors   `json:"after"`
	Passes  int      `json:"passes"` // over all steps
	Probes  int      `json:"simulations"`
	Seconds float64  `json:"wall_seconds"`

	machine *config.GPU
}

// Fact is a parameter that was not fitted, because the record or the user says its value.
type Fact struct {
	Parameter string `json:"parameter"`
	From      string `json:"from"`
	To        string `json:"to"`
	Unit      string `json:"unit"`
	Source    string `json:"source"`
}

// Fitted is a parameter that was fitted.
type Fitted struct {
	Parameter string `json:"parameter"`
	Wave      int    `json:"wave"` // parameters of one wave are fitted to the machine that the waves before it left
	From      string `json:"from"`
	To        string `json:"to"`
	Unit      string `json:"unit"`
	Asked     []Ask  `json:"asked"`
}

// Ask is the value that a row asks for.
type Ask struct {
	Row    string  `json:"row"`
	Value  float64 `json:"value"`
	Beyond string  `json:"beyond,omitempty"` // the row asks for more or less than this value, which is a bound
	Note   string  `json:"note,omitempty"`   // why it does not count
}

// Kept is a parameter that has the value of the base.
type Kept struct {
	Parameter string `json:"parameter"`
	Value     string `json:"value"`
	Unit      string `json:"unit"`
	Source    string `json:"source"` // of the base
	Why       string `json:"why"`
}

// Row is a row to which a parameter was fitted.
type Row struct {
	Name     string  `json:"row"`
	Unit     string  `json:"unit"`
	Recorded float64 `json:"recorded"`
	Before   float64 `json:"before"`
	After    float64 `json:"after"`
}

// Errors are the mean and the worst of the errors of rows.
type Errors struct {
	Mean  float64 `json:"mean"`
	Worst float64 `json:"worst"`
	At    string  `json:"worst_row"`
}

// unfitted are the words of a parameter that no step has.
const unfitted = "no row isolates it"

// calibrator has the state of a calibration.
type calibrator struct {
	Request
	kernels  catalog.Compiler
	rows     map[string]micro.Row
	set      map[string]string  // parameters that differ from the base
	start    *config.GPU        // the base with the facts
	outcomes map[string]outcome // by parameter
	waves    int                // so far, in all passes
	jobs     chan struct{}      // a place for each simulation

	bar *progressbar.Bar

	mu     sync.Mutex // guards what follows
	probes int
	values map[string]float64 // of rows that were simulated, by machine and row
}

// Run calibrates. It refuses rows that contradict each other, with an error that names all of them.
func Run(ctx context.Context, q Request) (*Result, error) {
	began := time.Now()
	if q.steps == nil {
		q.steps = Steps()
	}
	base, err := config.Load(devices.Machine(q.Base))
	if err != nil {
		return nil, usage.Errorf("", "%s: %v", option.Base, err)
	}
	c := &calibrator{Request: q, rows: map[string]micro.Row{}, set: map[string]string{}, jobs: make(chan struct{}, max(q.Jobs, 1)), values: map[string]float64{}, outcomes: map[string]outcome{}}
	for _, r := range micro.Rows() {
		c.rows[nameOf(r.Group, r.Name)] = r
	}
	if c.kernels, err = catalog.Kernels(); err != nil {
		return nil, err
	}
	r := &Result{GPU: q.Recording.Meta.GPU, Record: q.Recording.Table(), Base: devices.Machine(q.Base)}
	if r.Facts, err = c.facts(base); err != nil {
		return nil, err
	}
	c.bar = progressbar.New(q.Stderr, "calibrate "+r.GPU)
	err = c.run(ctx, base, r)
	c.bar.Finish()
	if ctx.Err() != nil {
		return nil, signals.Interrupted
	}
	r.Probes, r.Seconds = c.probes, format.Since(began)
	return r, err
}

// run fits all parameters, with the rows before and after.
func (c *calibrator) run(ctx context.Context, base *config.GPU, r *Result) error {
	before, err := c.table(ctx)
	if err != nil {
		return err
	}
	for r.Passes = 0; r.Passes < mostPasses; r.Passes++ {
		repeated := 0
		for _, wave := range waves(c.steps) {
			n, err := c.wave(ctx, wave, r.Passes+1)
			if err != nil {
				return err
			}
			repeated += n
		}
		if repeated == 0 {
			break
		}
	}
	var against []string
	for i, wave := range waves(c.steps) {
		for _, s := range wave {
			o := c.outcomes[s.Parameter]
			if o.against != "" {
				against = append(against, o.against)
			}
			if o.why == "" {
				from, _ := c.start.Get(s.Parameter)
				r.Fitted = append(r.Fitted, Fitted{s.Parameter, i + 1, from, c.set[s.Parameter], unitOf(s.Parameter), o.asked})
			}
		}
	}
	if len(against) > 0 {
		return fmt.Errorf("%s: %s", c.Recording.Table(), strings.Join(against, "\n\t"))
	}
	after, err := c.table(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		r.Rows = append(r.Rows, Row{name, c.rows[name].Unit, c.Recording.rows[name].Median, before[name], after[name]})
	}
	r.Before, r.After = summary(r.Rows, func(r Row) float64 { return r.Before }), summary(r.Rows, func(r Row) float64 { return r.After })
	spec, err := c.spec(nil)
	if err != nil {
		return err
	}
	r.machine = spec.Config()
	r.Machine = r.machine.Hash()
	for _, p := range base.Parameters() {
		if _, set := c.set[p.Path]; !set {
			v := p.Values[base.Name]
			r.Kept = append(r.Kept, Kept{p.Path, v.Value, p.Unit, v.Origin(), cmp.Or(c.outcomes[p.Path].why, unfitted)})
		}
	}
	return nil
}

// facts sets what the record and the user say.
func (c *calibrator) facts(base *config.GPU) (list []Fact, err error) {
	var all []fact
	spec, err := devices.New("sim:"+base.Name, devices.Options{Set: c.Set})
	if err != nil {
		return nil, err
	}
	said := map[string]bool{}
	for _, s := range spec.Set {
		v, _ := spec.Config().Get(s.Path)
		all, said[s.Path] = append(all, fact{s.Path, v, "said by " + option.Set.String()}), true
	}
	for _, f := range c.Recording.facts() {
		g := *base
		if f.parameter == "l1.bytes" && !base.L1.Unified { // an array of its own, of which the driver says nothing
			continue
		}
		if !said[f.parameter] && g.Set(f.parameter, f.value) == nil { // of a word that this version does not know, the base's stays
			all = append(all, f)
		}
	}
	for _, f := range all {
		from, _ := base.Get(f.parameter)
		c.set[f.parameter] = f.value
		list = append(list, Fact{f.parameter, from, f.value, unitOf(f.parameter), f.source})
	}
	slices.SortFunc(list, func(a, b Fact) int { return cmp.Compare(a.Parameter, b.Parameter) })
	if spec, err = c.spec(nil); err != nil {
		return nil, fmt.Errorf("%s with what is known of the %s: %w", c.Base, c.Recording.Meta.GPU, err)
	}
	c.start = spec.Config()
	return list, nil
}

// described are the parameters of machines, by path.
var described = sync.OnceValue(func() map[string]*config.Parameter {
	all := map[string]*config.Parameter{}
	ps := (&config.GPU{}).Parameters()
	for i := range ps {
		all[ps[i].Path] = &ps[i]
	}
	return all
})

// unitOf returns the unit of a parameter.
func unitOf(path string) string { return described()[path].Unit }

// spec returns the machine so far, with some parameters changed.
func (c *calibrator) spec(change map[string]string) (*devices.Spec, error) {
	all := maps.Clone(c.set)
	maps.Copy(all, change)
	var set []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		set = append(set, path+"="+all[path])
	}
	return devices.New("sim:"+devices.Machine(c.Base), devices.Options{Set: set, Seed: 1, Threads: 1})
}

// summary returns the errors of rows.
func summary(rows []Row, value func(Row) float64) (e Errors) {
	for _, r := range rows {
		miss := math.Abs(value(r)/r.Recorded - 1)
		e.Mean += miss / float64(len(rows))
		if miss > e.Worst {
			e.Worst, e.At = miss, r.Name
		}
	}
	return e
}
