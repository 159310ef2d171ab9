package slurm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
	"github.com/weft-gpu/weft/internal/service/option"
)

// engine follows the shares of a study.
type engine struct {
	o       Options
	cluster cluster
	plan    *sweep.Plan
	store   *store.Store
	name    string // of the jobs, without offset
	array   int    // indices of arrays are below it

	pending map[store.Key]bool // without a result
	points  map[store.Key]int  // indices in the specification
	shares  map[int]*share
	summary *Summary
	began   time.Time
}

// share is a part of the points.
type share struct {
	keys     []store.Key
	queued   bool // to be submitted
	given    bool // given up
	attempts int  // without a result, one after the other
	left     int  // points without a result when it was submitted last
	id       string
	idle     int // times that Slurm had it although all its results were there
}

// mostIdle is how often Slurm may be asked and still have a share that is done. A slurmctld that
// crashed can forget that a task has ended, and then it holds processors that nobody uses.
const mostIdle = 10

// path returns a path in the folder.
func (e *engine) path(parts ...string) string {
	return filepath.Join(append([]string{e.o.Folder}, parts...)...)
}

// Run submits what is missing in the store, follows it, and returns when all results are there. If
// ctx ends, what was submitted goes on, and another Run follows it. Errors are a *LostError, or
// say what is wrong with the cluster, the folder or the store.
func Run(ctx context.Context, plan *sweep.Plan, st *store.Store, o Options) (*Summary, error) {
	e, done, err := open(ctx, plan, st, o)
	if err != nil {
		return nil, err
	}
	defer done()
	err = e.follow(ctx)
	e.summary.Wall = time.Since(e.began)
	if err == nil {
		err = os.RemoveAll(e.o.Folder)
	}
	return e.summary, err
}

// Cancel ends what Slurm has of the study, and gathers what there is. It returns how many
// tasks it ended.
func Cancel(ctx context.Context, plan *sweep.Plan, st *store.Store, o Options) (*Summary, int, error) {
	e, done, err := open(ctx, plan, st, o)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	ended := 0
	for {
		have, err := e.cluster.shares(ctx, e.name)
		if err != nil {
			return e.summary, ended, err
		}
		if len(have) == 0 {
			break
		}
		if ended == 0 {
			var ids []string
			for _, a := range have {
				ids = append(ids, a.id)
			}
			if err := e.cluster.cancel(ctx, ids); err != nil {
				return e.summary, 0, err
			}
			ended = len(ids)
		}
		if err := e.sleep(ctx); err != nil {
			return e.summary, ended, err
		}
	}
	if err := e.collect(ctx, nil); err != nil {
		return e.summary, ended, err
	}
	return e.summary, ended, os.RemoveAll(e.o.Folder)
}

// open makes the folder, takes it for this process, and gathers what is in it.
func open(ctx context.Context, plan *sweep.Plan, st *store.Store, o Options) (*engine, func(), error) {
	if err := Installed(); err != nil {
		return nil, nil, err
	}
	var err error
	if o.Folder, err = filepath.Abs(o.Folder); err != nil {
		return nil, nil, err
	}
	e := &engine{o: o, plan: plan, store: st, pending: map[store.Key]bool{}, points: map[store.Key]int{}, shares: map[int]*share{}, began: time.Now(),
		name: jobName(o.Study, o.Folder), summary: &Summary{ByStatus: map[store.Status]int{}}}
	if err := makeFolder(o.Folder); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(e.path(lockFile), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, nil, err
	}
	done := func() { _ = f.Close() } // which also unlocks it
	if !lock(f) {
		done()
		return nil, nil, fmt.Errorf("another weft follows this study; %s is its folder", o.Folder)
	}
	if err := e.begin(ctx); err != nil {
		done()
		return nil, nil, err
	}
	return e, done, nil
}

// jobName returns the name of the jobs of a study in a folder.
func jobName(study, folder string) string {
	return "weft-" + study + "-" + digest([]byte(folder))[:8]
}

// begin finds out what is missing and which shares Slurm has.
func (e *engine) begin(ctx context.Context) error {
	most, err := e.cluster.maxArray(ctx)
	if err != nil {
		return err
	}
	e.array = most
	if n := e.o.ArraySize; n > most {
		return usage.Errorf("", "%s: %d is more than the %d that this Slurm allows (MaxArraySize)", option.ArraySize, n, most)
	} else if n > 0 {
		e.array = n
	}
	have, err := e.cluster.shares(ctx, e.name)
	if err != nil {
		return err
	}
	if err := e.collect(ctx, have); err != nil {
		return err
	}
	missing, err := e.plan.Missing(ctx, e.store, e.o.Again)
	if err != nil {
		return err
	}
	e.summary.Missing = len(missing)
	var keys []store.Key
	for _, t := range missing {
		e.pending[t.Key], e.points[t.Key] = true, t.Index
		keys = append(keys, t.Key)
	}
	if err := e.store.Number(ctx, keys); err != nil {
		return err
	}
	// What Slurm has keeps its points; the others get shares with new numbers.
	first := 0
	owned := map[store.Key]bool{}
	for number, a := range have {
		first = max(first, number+1)
		t, err := readTodo(e.path("todo", strconv.Itoa(number)))
		if err != nil {
			return fmt.Errorf("share %d, which Slurm has as job %s: %w", number, a.id, err)
		}
		e.shares[number] = &share{keys: t.Keys, left: e.left(t.Keys), id: a.id}
		for _, k := range t.Keys {
			owned[k] = true
		}
	}
	var fresh []store.Key
	for _, t := range missing {
		if !owned[t.Key] {
			fresh = append(fresh, t.Key)
		}
	}
	tasks := e.o.Tasks
	if tasks == 0 {
		tasks = DefaultTasks
	}
	for _, keys := range divide(fresh, tasks) {
		e.shares[first] = &share{keys: keys, queued: true}
		first++
	}
	return nil
}

// left counts the keys without a result.
func (e *engine) left(keys []store.Key) (n int) {
	for _, k := range keys {
		if e.pending[k] {
			n++
		}
	}
	return n
}

// collect gathers results and counts them; have are the shares that Slurm has.
func (e *engine) collect(ctx context.Context, have map[int]active) error {
	got, err := e.gather(ctx, func(share int) bool { _, runs := have[share]; return !runs })
	for k, status := range got {
		if e.pending[k] {
			e.summary.Ran++
			e.summary.ByStatus[status]++
			delete(e.pending, k)
		}
	}
	return err
}
