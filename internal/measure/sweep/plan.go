package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/weft-gpu/weft/internal/base/memo"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// Plan is the tasks of a specification.
type Plan struct {
	Spec  *spec.Spec
	Tasks []*Task // in the order of the specification; the repetitions of a point follow each other

	catalog *catalog.Catalog
}

// NewPlan returns the plan of a specification. It compiles the kernels and reads the files of
// graphs, to identify the points. All points are checked; the error has the first mistakes.
func NewPlan(ctx context.Context, s *spec.Spec) (*Plan, error) {
	return NewPlanOf(ctx, s, indices(s))
}

// NewPlanOf returns the plan of some points of a specification, by their indices. It costs as much as
// these points alone.
func NewPlanOf(ctx context.Context, s *spec.Spec, points []int) (*Plan, error) {
	return newPlan(ctx, s, points, nil)
}

// NewPlanOn returns the plan of a specification whose points run on a device, whatever they say of it. Its keys tell points of this
// plan from each other and are for no store: they do not have the kernels, all of which it would take to compile.
func NewPlanOn(ctx context.Context, s *spec.Spec, d *devices.Spec) (*Plan, error) {
	return newPlan(ctx, s, indices(s), d)
}

// indices returns those of all points of a specification.
func indices(s *spec.Spec) []int {
	all := make([]int, len(s.Points))
	for i := range all {
		all[i] = i
	}
	return all
}

// newPlan returns the plan of some points; on is the device of all, or nil.
func newPlan(ctx context.Context, s *spec.Spec, points []int, on *devices.Spec) (*Plan, error) {
	c, err := catalog.Shared()
	if err != nil {
		return nil, err
	}
	ctx = memo.With(ctx, memo.New(newRoom(0).limit/keptShare)) // for kernels' arguments
	p := &planner{catalog: c, version: Version(), spec: s, on: on, graphs: map[string]string{}, kernels: map[string]string{}, devices: map[string]*devices.Spec{}, launches: map[string]*prepared{}}
	plan := &Plan{Spec: s, catalog: c}
	var mistakes []error
	var hint usage.Message
	said := map[string]bool{}
	for _, index := range points {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if index < 0 || index >= len(s.Points) {
			continue // of a specification that has changed
		}
		pt := s.Points[index]
		t, err := p.task(ctx, pt)
		if err != nil {
			what := err.Error()
			var absent *absentGraph
			if errors.As(err, &absent) { // the name of a file may stand at many places
				what, hint = absent.file, absent.hint()
			}
			if !said[what] {
				said[what] = true
				mistakes = append(mistakes, err)
			}
			const many = 20
			if len(mistakes) == many {
				break
			}
			continue
		}
		repeat := 1
		if t.settings.repeats(t.device) {
			repeat = s.Repeat
		}
		for i := range repeat {
			again := *t
			again.Repeat, again.Index = i, index
			plan.Tasks = append(plan.Tasks, &again)
		}
	}
	first := map[store.Key]*Task{}
	for _, t := range plan.Tasks {
		if f := first[t.Key]; f != nil {
			f.same = append(f.same, t.Point)
		} else {
			first[t.Key] = t
		}
	}
	err = errors.Join(mistakes...)
	if !hint.Empty() {
		err = usage.WithHint(err, hint)
	}
	return plan, err
}

// Refused returns the tasks whose algorithm and scheduler do not go together, with the reason.
func (p *Plan) Refused() (list []*Task, why []error) {
	for _, t := range p.Tasks {
		if t.refused != nil {
			list, why = append(list, t), append(why, t.refused)
		}
	}
	return list, why
}

// Missing returns the tasks whose results the store does not have, in order. Tasks with the same
// key, such as points that differ in a seed on which nothing depends, count once. With again, those that
// failed or were not decided count as missing, too; Run then replaces their results. Without a store, all are missing.
func (p *Plan) Missing(ctx context.Context, st *store.Store, again bool) ([]*Task, error) {
	var have map[store.Key]store.Status
	if st != nil {
		var err error
		if have, err = st.Keys(ctx); err != nil {
			return nil, err
		}
	}
	var missing []*Task
	seen := map[store.Key]bool{}
	for _, t := range p.Tasks {
		status, ok := have[t.Key]
		if ok && !(again && (status == store.Failed || status == store.Undecided)) || seen[t.Key] {
			continue
		}
		seen[t.Key] = true
		missing = append(missing, t)
	}
	return missing, nil
}

// Same returns how many tasks have the key of a task before them, and so its result.
func (p *Plan) Same() int {
	keys := map[store.Key]bool{}
	for _, t := range p.Tasks {
		keys[t.Key] = true
	}
	return len(p.Tasks) - len(keys)
}

// Name says what a task is, in one line.
func (t *Task) Name() string {
	name := fmt.Sprintf("%s by %s on %s, %s", t.settings.algorithm, t.settings.scheduler, t.device.Name, t.graphName())
	if k := t.settings.kernel; k != nil {
		name = fmt.Sprintf("%s on %s, %s blocks of %s threads", k.name, t.device.Name, k.grid, k.block)
	}
	if t.Repeat > 0 {
		name += fmt.Sprintf(", run %d", t.Repeat+1)
	}
	return name
}
