package progress

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
)

// Undecided is the verdict on a program with too many states.
const Undecided = "undecided"

// A Result is the verdict on one program under one model.
type Result struct {
	Test           string     `json:"test"`
	Model          string     `json:"model"`
	Verdict        string     `json:"verdict"` // Terminates, MayHang or Undecided
	States         int        `json:"states"`  // that were explored
	Counterexample *Execution `json:"counterexample,omitempty"`
	// Moves is the same execution as states of the program; nil if there is none.
	Moves *Counterexample `json:"-"`
}

// An Execution is a counterexample in words.
type Execution struct {
	Fair       []int  `json:"fair"`       // threads that the model schedules fairly during the cycle
	Unfinished []int  `json:"unfinished"` // threads that have not ended
	Prefix     []Step `json:"prefix"`
	Cycle      []Step `json:"cycle"` // repeats for ever; empty if no fair thread can take a step
	Partial    bool   `json:"partial,omitempty"`
	// Causes says what waiting threads lack during the cycle, as far as the program knows.
	Causes []string `json:"causes,omitempty"`
	// Schedule is the execution in the form that a simulated machine can follow; nil
	// if it was not asked for.
	Schedule any `json:"schedule,omitempty"`
}

// A Step describes one step of a thread.
type Step struct {
	Thread int `json:"thread"`
	// Machine says that the step is not one of the thread, but of what it has begun.
	Machine bool   `json:"machine,omitempty"`
	At      string `json:"at"`     // an instruction's number, or a place in the source
	Code    string `json:"code"`   // what is executed
	Effect  string `json:"effect"` // what it reads and writes, and where that leads
}

// Results returns the verdicts on an explored program.
func (g *Graph) Results(test string, models []*Model) []*Result {
	list := make([]*Result, len(models))
	for i, m := range models {
		verdict, x := g.Decide(m)
		list[i] = &Result{Test: test, Model: m.Name, Verdict: verdict, States: g.States()}
		if x != nil {
			list[i].Counterexample, list[i].Moves = g.execution(x), x
		}
	}
	return list
}

// UndecidedResults returns the results for a program whose exploration ended
// with err, if err is a *LimitError; else nil.
func UndecidedResults(test string, models []*Model, err error) (list []*Result) {
	var limit *LimitError
	if !errors.As(err, &limit) {
		return nil
	}
	for _, m := range models {
		list = append(list, &Result{Test: test, Model: m.Name, Verdict: Undecided, States: limit.States})
	}
	return list
}

// execution describes a counterexample.
func (g *Graph) execution(x *Counterexample) *Execution {
	steps := func(moves []Move) []Step {
		list := make([]Step, len(moves))
		for i, m := range moves {
			list[i] = g.sys.Describe(m)
		}
		return list
	}
	out := &Execution{
		Fair: x.Fair.Threads(), Unfinished: x.Unfinished.Threads(), Prefix: steps(x.Prefix), Cycle: steps(x.Cycle), Partial: x.Partial,
	}
	if sys, ok := g.sys.(explainer); ok {
		out.Causes = sys.Causes(g.cycles(x))
	}
	return out
}

// Print prints the execution: what a thread of the program is called, and which
// model it is an execution of.
func (x *Execution) Print(w io.Writer, thread string, m *Model) {
	rows := func(steps []Step) {
		table := make([][]string, len(steps))
		for i, s := range steps {
			who := fmt.Sprintf("%s %d", thread, s.Thread)
			if s.Machine {
				who = "copy of " + who
			}
			table[i] = []string{who, s.At, s.Code, s.Effect}
		}
		format.Table(w, "  ", "lrll", table)
	}
	if len(x.Prefix) > 0 {
		fmt.Fprintln(w, "from the start")
		rows(x.Prefix)
	}
	again := "for ever"
	if len(x.Prefix) > 0 {
		again = "then for ever"
	}
	if len(x.Cycle) > 0 {
		fmt.Fprintln(w, again)
		rows(x.Cycle)
	} else {
		fmt.Fprintf(w, "%s nothing: each %s that is scheduled fairly waits at a barrier\n", again, thread)
	}
	if x.Partial {
		fmt.Fprintf(w, "  ... and more: strong fairness takes every possible step of these states, and this is at least one of each %s\n", thread)
	}
	for _, what := range x.Causes {
		fmt.Fprintf(w, "cause: %s\n", what)
	}
	fmt.Fprintf(w, "%s is fair to %s: %s here", m.Name, m.What, numbers(thread, x.Fair))
	if free := without(x.Unfinished, x.Fair); len(free) > 0 {
		fmt.Fprintf(w, "; it need not run %s", numbers(thread, free))
	}
	fmt.Fprintln(w)
}

// numbers returns "thread 0" or "threads 0, 2".
func numbers(thread string, list []int) string {
	if len(list) != 1 {
		thread += "s"
	}
	return thread + " " + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

func without(list, other []int) (left []int) {
	for _, n := range list {
		found := false
		for _, o := range other {
			found = found || o == n
		}
		if !found {
			left = append(left, n)
		}
	}
	return left
}
