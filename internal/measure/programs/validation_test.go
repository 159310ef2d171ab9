package programs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/cuda"
)

// recordedOn are the GPUs of which results/cuda has a recording of the programs of experiments/validation.
var recordedOn = []string{"h100", "h200"}

// TestValidation computes what results/cuda/README.md says of the programs of experiments/validation, of each GPU with a recording and its
// simulation. Kernels count by launches of one shape of which there are two or more: those of one block that warm up do not.
func TestValidation(t *testing.T) {
	var page strings.Builder
	for _, gpu := range recordedOn {
		simulated, recorded := folder+"cuda/validation-sim-"+gpu+".json", folder+"cuda/validation-"+gpu+".json"
		a, err := Read(simulated)
		require.NoError(t, err)
		b, err := Read(recorded)
		require.NoError(t, err)
		page.WriteString(validationTables(t, strings.ToUpper(gpu), a, b))
	}
	onPage(t, "validation", "TestValidation", page.String()+"\n")
}

// validationTables returns the tables of a GPU: times as they are and, if both sides have launches of an empty kernel, with what these take longer on
// the GPU in the same process.
func validationTables(t *testing.T, gpu string, simulated, recorded []*Run) string {
	c := same(t, simulated, recorded)
	names := map[string]bool{}
	rows := c.Repeated()
	var withLaunch []Row
	for _, row := range rows {
		name, _, _ := strings.Cut(row.Program, " ")
		names[name] = true
		if row.Launch != nil {
			row.A = row.WithLaunch()
			withLaunch = append(withLaunch, row)
		}
	}
	require.GreaterOrEqual(t, len(names), 40)
	var out strings.Builder
	part := func(what string, rows []Row, more func(*errorTable)) {
		table := newErrorTable()
		errorsBySize(table, len(names), rows)
		more(table)
		farthest(table, rows)
		fmt.Fprintf(&out, "\n%s:\n%s", what, table.String())
	}
	part("On an "+gpu+", times as they are", rows, func(*errorTable) {})
	if len(withLaunch) == 0 {
		return out.String()
	}
	require.Len(t, withLaunch, len(rows), "some processes have no empty kernel")
	part("On an "+gpu+", simulated times with the launch cost of each process", withLaunch, func(table *errorTable) {
		table.line("an empty kernel in the shapes of these launches", emptyInShapes(simulated, recorded))
	})
	out.WriteString("\n" + ofEmptyKernels(t, simulated, recorded))
	return out.String()
}

// errorsBySize adds the errors of rows, of all and of parts.
func errorsBySize(table *errorTable, programs int, rows []Row) {
	var all, long [][2]float64
	var bySize [3][][2]float64
	for _, row := range rows {
		_, size, _ := strings.Cut(row.Program, " ")
		pair := [2]float64{row.A, row.B}
		all = append(all, pair)
		bySize[size[0]-'1'] = append(bySize[size[0]-'1'], pair)
		if row.B >= Long {
			long = append(long, pair)
		}
	}
	table.line(fmt.Sprintf("%d programs", programs), all)
	table.line(fmt.Sprintf("kernels of %.0f us or more", Long*1e6), long)
	for i, pairs := range bySize {
		table.line([]string{"small", "medium", "large"}[i], pairs)
	}
}

// farthest adds the ten kernels that are the farthest off, each in one size.
func farthest(table *errorTable, rows []Row) {
	factor := func(r Row) float64 { return math.Abs(math.Log(r.A / r.B)) }
	rows = slices.SortedFunc(slices.Values(rows), func(a, b Row) int { return cmp.Compare(factor(b), factor(a)) })
	table.WriteString("\nThe farthest off, in us of a launch:\n\n| program | kernel | simulated | measured | |\n|---|---|---|---|---|\n")
	shown := map[string]bool{}
	for _, r := range rows {
		if name, _, _ := strings.Cut(r.Program, " "); !shown[name+r.Kernel] && len(shown) < 10 {
			shown[name+r.Kernel] = true
			fmt.Fprintf(table, "| %s | `%s` | %.1f | %.1f | %.2f |\n", r.Program, r.Kernel, r.A*1e6, r.B*1e6, r.A/r.B)
		}
	}
}

// emptyInShapes returns pairs of what an empty kernel takes in the shapes of the rows, simulated with the launch cost of each process, and measured.
func emptyInShapes(simulated, recorded []*Run) (pairs [][2]float64) {
	for _, a := range simulated {
		i := slices.IndexFunc(recorded, func(b *Run) bool { return b.name() == a.name() })
		for _, k := range a.Times {
			x, y := emptyInShape(a, &k), emptyInShape(recorded[i], &k)
			if k.Launches > 1 && x > 0 && y > 0 {
				pairs = append(pairs, [2]float64{x + *launchDifference(a, recorded[i]), y})
			}
		}
	}
	return pairs
}

// emptyInShape returns the mean of the launches of an empty kernel in the shape of launches of the program, in seconds; 0 if there were none.
func emptyInShape(r *Run, k *cuda.KernelTime) (mean float64) {
	of := r.Costs[0].Empty
	i := slices.IndexFunc(of, func(t cuda.EmptyTime) bool { return t.Grid == k.Grid && t.Block == k.Block })
	if i < 0 {
		return 0
	}
	for _, x := range of[i].After {
		mean += x / float64(len(of[i].After))
	}
	return mean
}

// ofEmptyKernels says what a launch of an empty kernel takes in the processes, and how much of that was added to the measured time.
func ofEmptyKernels(t *testing.T, simulated, recorded []*Run) string {
	var took, moved, added, between []float64
	for _, r := range recorded {
		require.Len(t, r.Costs, 1, r.name())
		e, us := r.Costs[0].Empty[0], 1e6
		took, added = append(took, r.emptyLaunch()*us), append(added, -r.Costs[0].Overhead*us)
		moved = append(moved, math.Abs(median(e.After)-median(e.Before))*us)
		between = append(between, (r.emptyLaunch()+r.Costs[0].Overhead)*us)
	}
	return fmt.Sprintf(`An empty kernel of one block takes %.2f to %.2f us in the %d processes (median %.2f; simulated %.2f). After the kernels of a program it takes %.2f us more or less than
before them (median; at most %.2f). Of that, %.2f to %.2f us were added to the time that the GPU measured, %.2f to %.2f us.
`, slices.Min(took), slices.Max(took), len(took), median(took), simulated[0].emptyLaunch()*1e6, median(moved), slices.Max(moved),
		slices.Min(added), slices.Max(added), slices.Min(between), slices.Max(between))
}

// TestValidationTables makes the tables of a recording with launches of an empty kernel, each process of which has a launch cost of its own: with these the simulated
// times are the recorded ones.
func TestValidationTables(t *testing.T) {
	simulated, err := Read(folder + "cuda/validation-sim-h100.json")
	require.NoError(t, err)
	recorded, err := Read(folder + "cuda/validation-sim-h100.json")
	require.NoError(t, err)
	for i := range simulated {
		cost := 4e-6 + float64(i%4)*1e-6
		simulated[i].Costs, recorded[i].Costs = emptyOf(simulated[i], 4e-6), emptyOf(recorded[i], cost)
		for k := range recorded[i].Times {
			recorded[i].Times[k].Seconds += float64(recorded[i].Times[k].Launches) * (cost - 4e-6)
		}
	}
	page := validationTables(t, "X", simulated, recorded)
	assert.Contains(t, page, "\nOn an X, times as they are:\n")
	_, with, ok := strings.Cut(page, "\nOn an X, simulated times with the launch cost of each process:\n")
	require.True(t, ok)
	assert.Contains(t, with, "| 44 programs | 213 | 0.0% | 0.0% | 0.0% | 1.00 | 1.00 |\n")
	assert.Contains(t, with, "| an empty kernel in the shapes of these launches | 213 | 0.0% | 0.0% | 0.0% | 1.00 | 1.00 |\n")
	assert.Contains(t, with, "An empty kernel of one block takes 4.00 to 7.00 us in the 132 processes (median 5.50; simulated 4.00). After the kernels of a program it takes 0.00 us")
	assert.Contains(t, with, "Of that, 3.00 to 3.00 us were added to the time that the GPU measured, 1.00 to 4.00 us.\n")
	assert.NotContains(t, page[:len(page)-len(with)], "| 44 programs | 213 | 0.0%")
}

// emptyOf returns a launch cost of a run in all its shapes.
func emptyOf(r *Run, seconds float64) []cuda.LaunchCost {
	one := []float64{seconds, seconds, seconds}
	cost := cuda.LaunchCost{Overhead: -3e-6, Empty: []cuda.EmptyTime{{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Before: one, After: one}}}
	for _, k := range r.Times {
		cost.Empty = append(cost.Empty, cuda.EmptyTime{Grid: k.Grid, Block: k.Block, After: one})
	}
	return []cuda.LaunchCost{cost}
}
