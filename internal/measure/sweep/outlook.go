package sweep

import (
	"context"

	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/measure/store"
)

// Outlook is what tasks will take, by forecast.
type Outlook struct {
	Seconds float64 `json:"seconds"` // on this machine, with the given number of jobs
	// Known is the number of tasks whose time is that of results of the same algorithm, scheduler,
	// graph and device. The time of the others is rough: by measured rates of simulation and the size of graph and
	// device, corrected by what results of others took. It may be wrong by a factor of ten.
	Known int `json:"known"`
	// Bytes is the memory for the largest tasks that may run at the same time, with their graphs.
	Bytes uint64 `json:"bytes"`
}

// Outlook forecasts the time and memory of tasks. st may be nil.
func (p *Plan) Outlook(ctx context.Context, st *store.Store, tasks []*Task, jobs int) (Outlook, error) {
	kindOf := func(t *Task) group {
		if k := t.settings.kernel; k != nil {
			return group{k.name, "", "", t.device.Name}
		}
		return group{t.settings.algorithm, t.settings.scheduler, t.graphName(), t.device.Name}
	}
	means := map[group]float64{}
	if st != nil {
		t, err := st.SQL(ctx, "SELECT CASE algorithm WHEN '' THEN kernel ELSE algorithm END, scheduler, graph, device, avg(wall) FROM runs WHERE status = 'ok' GROUP BY 1, 2, 3, 4")
		if err != nil {
			return Outlook{}, err
		}
		for _, r := range t.Rows {
			means[group{r[0].(string), r[1].(string), r[2].(string), r[3].(string)}] = r[4].(float64)
		}
	}
	correction := 1.0 // of rough times, by those runs of the plan that have ended
	took, forecast := 0.0, 0.0
	for _, t := range p.Tasks {
		if seconds, known := means[kindOf(t)]; known && t.settings.kernel == nil {
			took += seconds
			forecast += rough(t.workload())
		}
	}
	if forecast > 0 {
		correction = took / forecast
	}
	var o Outlook
	var most []uint64 // bytes of the largest tasks, in descending order
	for _, t := range tasks {
		s := t.settings
		vertices, arcs := t.size()
		seconds, known := means[kindOf(t)]
		switch {
		case known:
			o.Known++
		case t.refused != nil:
		case s.kernel != nil:
			seconds = perLaunch
		default:
			seconds = correction * rough(t.workload())
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
