package progress_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/proof/progress"
	"github.com/weft-gpu/weft/internal/proof/progress/litmus"
)

// TestCounterexamples checks for all given tests, under all models, that a
// counterexample is an execution of the program that the model allows.
func TestCounterexamples(t *testing.T) {
	tests, err := litmus.ReadDir(t.Context(), "litmus/testdata/tests")
	require.NoError(t, err)
	for _, test := range tests {
		checkAll(t, test)
	}
}

// TestRandomPrograms compares verdicts on random programs with those of another
// algorithm, and checks the counterexamples.
func TestRandomPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	hangs := map[string]int{}
	const programs = 400
	for i := range programs {
		test := randomTest(r, i)
		for name, verdict := range checkAll(t, test) {
			want := progress.Terminates
			if newReference(t, test.System()).hangs(model(t, name)) {
				want = progress.MayHang
				hangs[name]++
			}
			require.Equal(t, want, verdict, "%s:\n%s", name, test)
		}
	}
	for _, name := range progress.ModelNames() {
		require.Greater(t, hangs[name], programs/20, name) // both verdicts occur
		require.Less(t, hangs[name], programs*19/20, name)
	}
}

func model(t *testing.T, name string) *progress.Model {
	t.Helper()
	m, err := progress.Lookup(name)
	require.NoError(t, err)
	return m
}

// randomTest returns a test of 1 to 4 threads of 1 to 3 instructions.
func randomTest(r *rand.Rand, i int) *litmus.Test {
	test := &litmus.Test{Name: fmt.Sprint("random", i), Cells: 2}
	for range 1 + r.IntN(4) {
		code := make([]litmus.Instr, 1+r.IntN(3))
		for i := range code {
			code[i] = litmus.Instr{
				Op: litmus.Op(r.IntN(3)), Cell: r.IntN(2), Check: r.Uint32N(3), Value: r.Uint32N(3), Target: r.IntN(len(code) + 1),
			}
		}
		test.Threads = append(test.Threads, code)
	}
	return test
}

// checkAll returns the verdict under each model, and checks each counterexample.
func checkAll(t *testing.T, test *litmus.Test) map[string]string {
	t.Helper()
	g, err := progress.Explore(t.Context(), test.System(), progress.Limits{States: 1 << 20})
	require.NoError(t, err)
	verdicts := map[string]string{}
	for _, m := range progress.Models {
		verdict, x := g.Decide(m)
		require.Equal(t, verdict == progress.MayHang, x != nil)
		if x != nil {
			checkExecution(t, test.System(), m, x)
		}
		verdicts[m.Name] = verdict
	}
	return verdicts
}

// checkExecution checks that the model allows an execution which never ends.
func checkExecution(t *testing.T, sys progress.System, m *progress.Model, x *progress.Counterexample) {
	t.Helper()
	state, started := sys.Initial(), progress.Set(0)
	move := func(mv progress.Move) {
		require.Equal(t, state, mv.From)
		next, err := sys.Step(state, mv.Thread, nil)
		require.NoError(t, err)
		require.Contains(t, next, mv.To)
		state, started = mv.To, started|1<<mv.Thread
	}
	for _, mv := range x.Prefix {
		move(mv)
	}
	first := state
	ended, idle := sys.Status(state)
	moved := progress.Set(0)
	taken := map[progress.Move]bool{}
	for _, mv := range x.Cycle {
		move(mv)
		_, blocked := sys.Status(state)
		idle |= blocked
		moved |= 1 << mv.Thread
		taken[mv] = true
	}
	require.Equal(t, first, state)
	unfinished := progress.All(sys.Threads()) &^ ended
	fair := m.Fair(started, unfinished)
	require.NotZero(t, fair)
	require.Equal(t, fair, x.Fair)
	require.Equal(t, unfinished, x.Unfinished)
	if !m.Strong {
		require.Zero(t, fair&^moved&^idle)
		return
	}
	require.False(t, x.Partial)
	states := []string{first}
	for _, mv := range x.Cycle {
		states = append(states, mv.To)
	}
	for _, s := range states {
		_, blocked := sys.Status(s)
		for _, thread := range (fair &^ blocked).Threads() {
			next, err := sys.Step(s, thread, nil)
			require.NoError(t, err)
			for _, to := range next {
				require.True(t, taken[progress.Move{Thread: thread, Unit: thread, From: s, To: to}])
			}
		}
	}
}

// reference decides by fixed points over sets of states, as textbooks define
// fairness, without strongly connected components.
type reference struct {
	all   progress.Set
	nodes []refNode
}

type refNode struct {
	started, ended progress.Set
	steps          []refStep
}

type refStep struct{ thread, to int }

func newReference(t *testing.T, sys progress.System) *reference {
	t.Helper()
	type key struct {
		state   string
		started progress.Set
	}
	r := &reference{all: progress.All(sys.Threads())}
	seen := map[key]int{}
	var visit func(k key) int
	visit = func(k key) int {
		if i, ok := seen[k]; ok {
			return i
		}
		i := len(r.nodes)
		seen[k] = i
		ended, _ := sys.Status(k.state)
		r.nodes = append(r.nodes, refNode{started: k.started, ended: ended})
		for _, thread := range (r.all &^ ended).Threads() {
			next, err := sys.Step(k.state, thread, nil)
			require.NoError(t, err)
			for _, s := range next {
				step := refStep{thread, visit(key{s, k.started | 1<<thread})}
				r.nodes[i].steps = append(r.nodes[i].steps, step)
			}
		}
		return i
	}
	visit(key{sys.Initial(), 0})
	return r
}

func (r *reference) fair(m *progress.Model, i int) progress.Set {
	return m.Fair(r.nodes[i].started, r.all&^r.nodes[i].ended)
}

func (r *reference) hangs(m *progress.Model) bool {
	bad := make([]bool, len(r.nodes))
	if m.Strong {
		// The least fixed point of "the fair set is empty, or one of its steps leads to
		// such a node"; the others are bad.
		for i := range bad {
			bad[i] = r.fair(m, i) != 0
		}
		for again := true; again; {
			again = false
			for i, n := range r.nodes {
				if bad[i] && slices.ContainsFunc(n.steps, func(s refStep) bool { return r.fair(m, i).Has(s.thread) && !bad[s.to] }) {
					bad[i], again = false, true
				}
			}
		}
		return slices.Contains(bad, true)
	}
	// The greatest fixed point (Emerson and Lei): nodes from which, for each thread
	// that is fair there, a path within the set leads to a step of that thread
	// into the set. A node with an empty fair set is not in it.
	for i := range bad {
		bad[i] = r.fair(m, i) != 0
	}
	for again := true; again; {
		again = false
		for _, thread := range r.all.Threads() {
			can := r.canStep(bad, thread)
			for i := range bad {
				if bad[i] && !can[i] && r.fair(m, i).Has(thread) {
					bad[i], again = false, true
				}
			}
		}
	}
	return slices.Contains(bad, true)
}

// canStep returns the nodes from which a path within the set leads to a step of
// the thread into the set.
func (r *reference) canStep(within []bool, thread int) []bool {
	can := make([]bool, len(r.nodes))
	for again := true; again; {
		again = false
		for i, n := range r.nodes {
			if within[i] && !can[i] && slices.ContainsFunc(n.steps, func(s refStep) bool { return within[s.to] && (s.thread == thread || can[s.to]) }) {
				can[i], again = true, true
			}
		}
	}
	return can
}

func TestLimit(t *testing.T) {
	test, err := litmus.Parse("x", "x", "THREAD0\natomic_store(0,1)\natomic_store(0,2)\n")
	require.NoError(t, err)
	g, err := progress.Explore(t.Context(), test.System(), progress.Limits{States: 3})
	require.NoError(t, err)
	require.Equal(t, 3, g.States())
	_, err = progress.Explore(t.Context(), test.System(), progress.Limits{States: 2})
	require.EqualError(t, err, "undecided: the program has more than 2 states")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = progress.Explore(ctx, test.System(), progress.Limits{States: 3})
	require.ErrorIs(t, err, context.Canceled)
}

func TestLookup(t *testing.T) {
	_, err := progress.Lookup("lobe_stong")
	require.EqualError(t, err, `unknown progress model "lobe_stong"`)
	for _, name := range progress.ModelNames() {
		require.Equal(t, name, model(t, name).Name)
	}
}
