package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// todo is the file with the points of a share.
type todo struct {
	Share  int
	Keys   []store.Key
	Points []int // the points of Keys, by their indices in the specification
}

// Plan returns the plan of the share whose file of points is given. It has the share's points
// alone, unless the specification changed since the share was submitted.
func Plan(ctx context.Context, s *spec.Spec, file string) (*sweep.Plan, error) {
	t, err := readTodo(file)
	if err != nil {
		return nil, err
	}
	plan, err := sweep.NewPlanOf(ctx, s, t.Points)
	if err != nil {
		return nil, err
	}
	have := map[store.Key]bool{}
	for _, task := range plan.Tasks {
		have[task.Key] = true
	}
	for _, k := range t.Keys {
		if !have[k] {
			return sweep.NewPlan(ctx, s)
		}
	}
	return plan, nil
}

func readTodo(file string) (*todo, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t := &todo{}
	if err := json.Unmarshal(text, t); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// publish is how long a file of a worker gets results before the engine sees them.
const publish = 5 * time.Second

// Work runs the share whose file of points is todo (FOLDER/todo/7), as a task of a Slurm array.
// Tasks that an earlier worker of the share began and did not end come last, so that a point
// that ends its worker does not keep others from running.
func Work(ctx context.Context, plan *sweep.Plan, file string, o sweep.Running) (ran int, err error) {
	t, err := readTodo(file)
	if err != nil {
		return 0, err
	}
	folder := filepath.Dir(filepath.Dir(file))
	byKey := map[store.Key]*sweep.Task{}
	for _, task := range plan.Tasks {
		byKey[task.Key] = task
	}
	begunFile := filepath.Join(folder, "begun", strconv.Itoa(t.Share))
	earlier, err := os.ReadFile(begunFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	before := map[string]bool{}
	for line := range strings.Lines(string(earlier)) {
		before[strings.TrimSpace(line)] = true
	}
	var fresh, again []*sweep.Task
	unknown := 0
	for _, k := range t.Keys {
		switch task := byKey[k]; {
		case task == nil:
			unknown++
		case before[line(k)]:
			again = append(again, task)
		default:
			fresh = append(fresh, task)
		}
	}
	begun, err := os.OpenFile(begunFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer begun.Close()
	progress := o.Progress
	o.Progress = func(p sweep.Progress) {
		if p.Began != nil {
			// Without the line the order of the next attempt is worse, and nothing else.
			_, _ = fmt.Fprintln(begun, line(p.Began.Key))
		}
		if progress != nil {
			progress(p)
		}
	}
	into := newShard(filepath.Join(folder, "shards"), attempt(t.Share), publish)
	for _, tasks := range [][]*sweep.Task{fresh, again} {
		if len(tasks) == 0 || err != nil {
			continue
		}
		var sum *sweep.Summary
		if sum, err = plan.Run(ctx, into, tasks, o); sum != nil {
			ran += sum.Ran
		}
	}
	if err = errors.Join(err, into.Close()); err == nil && unknown > 0 {
		err = fmt.Errorf("%d of the %d points of this share are not in the study: the specification, a graph or a kernel changed since it was submitted", unknown, len(t.Keys))
	}
	return ran, err
}

// line is a task in the file of those that began.
func line(k store.Key) string { return fmt.Sprintf("%s %d", k.Point, k.Repeat) }

// attempt begins the names of the files that a worker writes, differently for each attempt.
func attempt(share int) string {
	host, _ := os.Hostname() // only to tell workers apart
	return fmt.Sprintf("%d-%s-%s.%d", share, os.Getenv("SLURM_JOB_ID"), host, os.Getpid())
}

// shareOf returns the number of the share from the name of a worker's file.
func shareOf(file string) (int, bool) {
	text, _, _ := strings.Cut(filepath.Base(file), "-")
	n, err := strconv.Atoi(text)
	return n, err == nil
}
