package page

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/weft-gpu/weft/internal/measure/store"
)

// The words that Select knows besides ids of runs.
const (
	Slowest       = "slowest"
	EachAlgorithm = "each-algorithm"
)

// Select returns the ids of the runs that words name: an id, Slowest for the run with the most
// cycles, or EachAlgorithm for that of each algorithm or kernel. Only runs on a simulated machine
// have profiles. An error says which word is wrong.
func Select(ctx context.Context, st *store.Store, where, words []string) (ids []int64, err error) {
	type slow struct {
		id     int64
		cycles float64
	}
	all := map[int64]bool{}
	names, slowest := []string{}, map[string]slow{}
	var most slow
	err = st.Runs(ctx, where, func(id int64, r *store.Run) error {
		all[id] = r.Machine != ""
		cycles, ok := r.Metric("cycles")
		if !ok || r.Machine == "" || r.Status != store.OK {
			return nil
		}
		name := r.Algorithm
		if name == "" {
			name = r.Kernel
		}
		if _, ok := slowest[name]; !ok {
			names = append(names, name)
		}
		if s := slowest[name]; cycles > s.cycles {
			slowest[name] = slow{id, cycles}
		}
		if cycles > most.cycles {
			most = slow{id, cycles}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, w := range words {
		id, notNumber := strconv.ParseInt(w, 10, 64)
		simulated, known := all[id]
		switch {
		case (w == Slowest || w == EachAlgorithm) && most.id == 0:
			return nil, fmt.Errorf("no run on a simulated machine ended well")
		case w == Slowest:
			ids = append(ids, most.id)
		case w == EachAlgorithm:
			for _, name := range names {
				ids = append(ids, slowest[name].id)
			}
		case notNumber != nil:
			return nil, fmt.Errorf("%q is not the id of a run, %s or %s", w, Slowest, EachAlgorithm)
		case !known:
			return nil, fmt.Errorf("there is no run %d among those of the page", id)
		case !simulated:
			return nil, fmt.Errorf("run %d was not on a simulated machine, which alone knows the cost of each line", id)
		default:
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
