package sweep

import (
	"context"
	"strings"

	"github.com/weft-gpu/weft/internal/memory"
	"github.com/weft-gpu/weft/results/store"
)

// Outlook is what tasks will take, by forecast.
type Outlook struct {
	Seconds float64 `json:"seconds"` // on this machine, with the given number of jobs
	// Known is the number of tasks whose time is that of results of the same algorithm, scheduler,
	// graph and device. The time of the others is that of other results by the size of their graph, or,
	// without any, what runs of BFS take: it may be wrong by a factor of ten.
	Known int `json:"known"`
	// Bytes is the memory for the largest tasks that may run at the same time, with their graphs.
	Bytes uint64 `json:"bytes"`
}

// roughly is the time of a run on the host without any results to go by: a part for each run and
// one for each arc. func is faster.
const (
	perRun         = 0.03
	perArc         = 3e-6
	perArcFunc     = 2e-7
	perArcOfKernel = 0.1 // seconds, for a launch
)

// Outlook forecasts the time and memory of tasks. st may be nil.
func (p *Plan) Outlook(ctx context.Context, st *store.Store, tasks []*Task, jobs int) (Outlook, error) {
	type kind struct{ algorithm, scheduler, graph, device string }
	means, overall := map[kind]float64{}, 0.0 // overall: seconds per arc
	if st != nil {
		t, err := st.SQL(ctx, "SELECT CASE algorithm WHEN '' THEN kernel ELSE algorithm END, scheduler, graph, device, avg(wall), sum(wall), sum(arcs) FROM runs WHERE status = 'ok' GROUP BY 1, 2, 3, 4")
		if err != nil {
			return Outlook{}, err
		}
		wall, arcs := 0.0, 0.0
		for _, r := range t.Rows {
			means[kind{r[0].(string), r[1].(string), r[2].(string), r[3].(string)}] = r[4].(float64)
			wall += r[5].(float64)
			arcs += float64(r[6].(int64))
		}
		if arcs > 0 {
			overall = wall / arcs
		}
	}
	var o Outlook
	var most []uint64 // bytes of the largest tasks, in descending order
	for _, t := range tasks {
		s := t.settings
		k := kind{s.algorithm, s.scheduler, s.graph.Spec, t.device.Name}
		if s.kernel != nil {
			k = kind{s.kernel.name, "", "", t.device.Name}
		}
		vertices, arcs := t.size()
		seconds, known := means[k]
		switch {
		case known:
			o.Known++
		case t.refused != nil:
		case s.kernel != nil:
			seconds = perArcOfKernel
		case overall > 0:
			seconds = perRun + overall*float64(arcs)
		case strings.HasPrefix(t.device.Name, "func"):
			seconds = perRun + perArcFunc*float64(arcs)
		default:
			seconds = perRun + perArc*float64(arcs)
		}
		o.Seconds += seconds
		need := t.memory()
		if s.kernel == nil {
			need += memory.Bytes[uint64](vertices) + memory.Bytes[[2]uint32](arcs) // the graph
		}
		most = insert(most, need, max(jobs, 1))
	}
	for _, bytes := range most {
		o.Bytes += bytes
	}
	o.Seconds /= float64(max(min(jobs, len(tasks)), 1))
	return o, nil
}

// insert adds a number to the largest n, in descending order.
func insert(most []uint64, x uint64, n int) []uint64 {
	i := 0
	for i < len(most) && most[i] >= x {
		i++
	}
	most = append(most, 0)
	copy(most[i+1:], most[i:])
	most[i] = x
	return most[:min(len(most), n)]
}
