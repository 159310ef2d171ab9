package atos

import (
	"github.com/weft-gpu/weft/gpu"
	"github.com/weft-gpu/weft/scheduler"
)

// discrete is the discrete kernel (section 3.4): it processes the tasks at count positions
// from first on, all of which were added before the launch. What follows from them is for
// later launches. Nobody waits for a task, so tasks need no tickets.
//
// A launch ends before its followers are processed, so a task is added at most once while
// the tasks of a round of launches are in the ring, and with two slots for each task no
// position is void.
func discrete[P App[V, M], V gpu.Num, M scheduler.Mapping](t gpu.Thread, app P, g scheduler.Graph, q Queue, w worker, first, count uint32, done Done) {
	var total report
	for batch := w.number * w.fetch; batch < count; batch += w.workers * w.fetch {
		n := min(w.fetch, count-batch)
		var it Item[V]
		if w.index < n {
			it = read[P, V, M](app, g, q, first+batch+w.index)
		}
		total.arcs += uint64(app.Run(t, w, n, it))
		complete[V, M](t, w, q, it, &total)
	}
	total.add(w, done)
}

// read takes the task at a position that has one.
func read[P App[V, M], V gpu.Num, M scheduler.Mapping](app P, g scheduler.Graph, q Queue, position uint32) Item[V] {
	task := uint32(gpu.AtomicExch(q.slot(position), Empty))
	u := task &^ Second
	return item[P, V, M](app, q, task, g.Row[u], g.Row[u+1])
}
