package sweep

import (
	"encoding/json"
	"time"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/memory"
)

// A forecast is the time that tasks will take. Tasks that differ in parameters of the machine
// alone take about the same time on the host, so the mean of those that ended stands for the others of
// the same algorithm, scheduler, graph and kind of device; without any, the mean of all.
type forecast struct {
	groups map[group]*load
	all    load
}

// group is tasks that take about the same time.
type group struct{ algorithm, scheduler, graph, device string }

// load counts the tasks of a group.
type load struct {
	waiting int // and running
	ended   int
	took    time.Duration // all that ended
}

func (t *Task) group() group {
	if k := t.settings.kernel; k != nil {
		return group{k.name, "", k.grid + " " + k.block, t.device.Name}
	}
	return group{t.settings.algorithm, t.settings.scheduler, graphKey(&t.settings.graph), t.device.Name}
}

func newForecast(tasks []*Task) *forecast {
	f := &forecast{groups: map[group]*load{}}
	for _, t := range tasks {
		if f.groups[t.group()] == nil {
			f.groups[t.group()] = &load{}
		}
		f.groups[t.group()].waiting++
		f.all.waiting++
	}
	return f
}

// ended takes over the time of a task.
func (f *forecast) ended(t *Task, took time.Duration) {
	for _, g := range []*load{f.groups[t.group()], &f.all} {
		g.waiting--
		g.ended++
		g.took += took
	}
}

// left returns the time for the tasks that have not ended; 0 if nothing is known.
func (f *forecast) left(jobs int) time.Duration {
	if f.all.ended == 0 {
		return 0
	}
	var sum time.Duration
	for _, g := range f.groups {
		from := g
		if g.ended == 0 {
			from = &f.all
		}
		sum += from.took / time.Duration(from.ended) * time.Duration(g.waiting)
	}
	return sum / time.Duration(min(jobs, max(f.all.waiting, 1)))
}

// memory returns a forecast of the bytes that the task needs, without its graph: the buffers of
// the device and the state of the machine.
func (t *Task) memory() uint64 {
	vertices, arcs := t.size()
	const perSM = 1 << 20 // registers, caches and warps
	machine := uint64(32 << 20)
	if n, ok := t.device.Number("sm.count"); ok {
		machine += uint64(n) * perSM
	}
	return machine + memory.Bytes[[8]uint32](vertices) + memory.Bytes[[4]uint32](arcs)
}

// size returns the size of the graph, if it is known without reading it.
func (t *Task) size() (vertices, arcs uint64) {
	return graph.Forecast(t.settings.graph.Spec)
}

// machineText returns all parameters of a task's machine as JSON.
func machineText(t *Task) []byte {
	values, _ := t.device.Machine()
	text, err := json.Marshal(values)
	if err != nil {
		panic("sweep: a parameter that JSON does not have: " + err.Error())
	}
	return text
}
