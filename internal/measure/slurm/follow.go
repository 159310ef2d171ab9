package slurm

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// follow submits and gathers until nothing is pending.
func (e *engine) follow(ctx context.Context) error {
	if len(e.pending) > 0 {
		if err := e.prepare(); err != nil {
			return err
		}
	}
	total := len(e.pending)
	for {
		have, err := e.cluster.shares(ctx, e.name)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		note := ""
		if err != nil {
			note = noAnswer + err.Error() // slurmctld restarts; the shares run
		} else {
			if err := e.collect(ctx, have); err != nil {
				return err
			}
			if len(e.pending) == 0 && len(have) == 0 {
				return e.store.Spell(ctx, e.plan.Spelled()) // workers know their own points alone
			}
			if err := e.settle(ctx, have); err != nil {
				return err
			}
			if err := e.submit(ctx, have); err != nil {
				if ctx.Err() != nil || e.answers(ctx) { // sbatch refused
					return err
				}
				note = noAnswer + err.Error()
			}
		}
		e.report(total, have, note)
		if err := e.sleep(ctx); err != nil {
			return err
		}
	}
}

// noAnswer begins the note while slurmctld is away.
const noAnswer = "Slurm does not answer: "

// answers reports whether slurmctld is there.
func (e *engine) answers(ctx context.Context) bool {
	_, err := e.cluster.maxArray(ctx)
	return err == nil
}

// settle looks at shares that Slurm does not have any more. It returns an error if nothing is
// left to do and runs are missing.
func (e *engine) settle(ctx context.Context, have map[int]active) error {
	busy := false
	var lost *share
	number := 0
	for _, n := range e.numbers() {
		s := e.shares[n]
		left := e.left(s.keys)
		if a, runs := have[n]; runs {
			s.id = a.id
			busy = true
			if left == 0 {
				s.idle++
			}
			if s.idle == mostIdle {
				s.idle = 0
				if err := e.cluster.cancel(ctx, []string{a.id}); err != nil && e.answers(ctx) {
					return err
				}
			}
			continue
		}
		switch {
		case left == 0 || s.given:
		case s.queued:
			busy = true
			continue
		case left == s.left && s.attempts >= e.o.Retries:
			s.given = true
		default:
			if left < s.left {
				s.attempts = 0
			} else {
				s.attempts++
			}
			s.queued, busy = true, true
			e.summary.Retried++
			continue
		}
		if s.given && left > 0 {
			lost, number = s, n
		}
	}
	if busy || len(e.pending) == 0 {
		return nil
	}
	err := &LostError{Runs: len(e.pending)}
	if lost != nil {
		err.Fate = e.cluster.fate(ctx, lost.id)
		err.Log, err.Tail = e.tail(lost.id, number)
	}
	return err
}

// numbers returns the numbers of the shares in order.
func (e *engine) numbers() []int {
	var list []int
	for n := range e.shares {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// tail returns the last lines of the log of a task.
func (e *engine) tail(id string, share int) (file, text string) {
	job, _, _ := strings.Cut(id, "_")
	file = e.path("log", fmt.Sprintf("%s_%d.txt", job, share%e.array))
	data, err := os.ReadFile(file)
	if err != nil {
		return file, ""
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return file, strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// report calls Progress.
func (e *engine) report(total int, have map[int]active, note string) {
	if e.o.Progress == nil {
		return
	}
	p := Progress{Tasks: total, Done: total - len(e.pending), Note: note}
	for _, a := range have {
		if !a.pending {
			p.Running++
			continue
		}
		p.Waiting++
		if p.Note == "" && a.reason != "None" {
			p.Note = a.reason
		}
	}
	if p.Running > 0 && note == "" {
		p.Note = ""
	}
	if n := e.summary.Ran; n > 0 {
		p.Left = time.Since(e.began) / time.Duration(n) * time.Duration(len(e.pending))
	}
	e.o.Progress(p)
}

// sleep waits until Slurm is asked again.
func (e *engine) sleep(ctx context.Context) error {
	select {
	case <-time.After(e.o.Poll):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
