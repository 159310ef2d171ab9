//go:build cgo && linux

package worker

// warmUps is how many empty kernels make the way of a launch warm.
const warmUps = 2

// ready waits for all work of the GPU, and launches an empty kernel by the way of the launch that follows.
func (w *gpu) ready(a *LaunchCall) error {
	if err := w.ctx.Synchronize(); err != nil {
		return err
	}
	w.busy = false
	if w.empty == nil || a.Func < 0 || a.Func >= len(w.funcs) { // in this process, a profiler would see kernels that are not the user's
		return nil
	}
	call := LaunchCall{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}}
	l := w.empty.launch(&call, nil)
	for range warmUps {
		var err error
		if w.empty.chain != nil && w.chained(a) {
			_, err = w.answers.run(w, w.empty.chain, &l, &call, nil)
		} else {
			_, err = w.timer.Run(&l, 1, a.Cooperative)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wakeBytes is the size of a copy that wakes the links between two GPUs: its addresses are spread over all of them.
const wakeBytes = 4 << 20

// readyLists waits for all work of all GPUs, wakes the links between them, and makes the way of a list of commands warm. Links that had nothing to do for some milliseconds sleep, and
// the first store over each takes some 50 us or a multiple of that to wake it (results/hw/h200x2, links that sleep).
func (s *server) readyLists() error {
	for _, g := range s.gpus {
		if err := s.use(g); err != nil {
			return err
		}
		if err := g.ctx.Synchronize(); err != nil {
			return err
		}
		g.busy = false
		if err := g.times.set(g, lasts/2); err != nil { // so that the list need not
			return err
		}
	}
	if err := s.wake(); err != nil {
		return err
	}
	for range warmUps {
		for _, g := range s.gpus {
			if g.empty == nil { // see ready
				continue
			}
			if err := s.use(g); err != nil {
				return err
			}
			q, err := g.queue(0)
			if err != nil {
				return err
			}
			call := LaunchCall{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}}
			k := g.empty.launch(&call, nil)
			if err := q.stream.Launch(&k, true); err != nil {
				return err
			}
			if err := g.ctx.Synchronize(); err != nil {
				return err
			}
		}
	}
	return nil
}

// wake copies from each GPU to each other one whose memory it reaches.
func (s *server) wake() error {
	for i, from := range s.gpus {
		if err := s.use(from); err != nil {
			return err
		}
		if len(s.gpus) > 1 && from.wake == 0 {
			at, err := from.ctx.Alloc(wakeBytes)
			if err != nil {
				return err
			}
			from.wake = at
		}
		q, err := from.queue(0)
		if err != nil {
			return err
		}
		for j, to := range s.gpus {
			if i == j || to.wake == 0 || !s.links[i][j].Access {
				continue // each pair of GPUs once: a link is awake in both directions
			}
			if err := q.stream.Copy(to.ctx, to.wake, from.ctx, from.wake, wakeBytes); err != nil {
				return err
			}
		}
		if err := from.ctx.Synchronize(); err != nil {
			return err
		}
	}
	return nil
}
