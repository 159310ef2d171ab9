//go:build cgo && linux

package worker

import "github.com/weft-gpu/weft/hw/internal/cuda"

// clock converts times of a GPU to those of Monotonic: an event that is recorded on the idle GPU lies between two moments
// of the host. The clocks of a GPU and of the host differ by some millionths, so the event is recorded anew for a list
// that comes a second later.
type clock struct {
	base   *cuda.Event
	moment float64 // of base, as by Monotonic
	// off is by how much a time may be off, in seconds: half of the time between the two moments, and by how much the
	// clocks went apart within a second.
	off float64
}

// lasts is how long a base is used, in seconds.
const lasts = 1

// set records a new base if the last one is older than a number of seconds. The GPU is idle, and its context is current.
func (c *clock) set(g *gpu, age float64) error {
	old := *c
	if old.base != nil && Monotonic()-old.moment < age {
		return nil
	}
	q, err := g.queue(0)
	if err != nil {
		return err
	}
	best := *c
	for i := range 5 {
		e, err := g.ctx.NewEvent(true)
		if err != nil {
			return err
		}
		before := Monotonic()
		if err := q.stream.Record(e); err != nil {
			return err
		}
		if err := e.Wait(); err != nil {
			return err
		}
		after := Monotonic()
		x := clock{base: e, moment: (before + after) / 2, off: (after - before) / 2}
		drop := e
		if i == 0 || x.off < best.off {
			drop, best = best.base, x
		}
		if drop != nil && drop != old.base {
			if err := drop.Close(); err != nil {
				return err
			}
		}
	}
	if old.base != nil {
		seconds, err := old.base.Until(best.base)
		if err != nil {
			return err
		}
		passed := best.moment - old.moment
		apart := max(seconds-passed, passed-seconds)
		best.off += apart / max(passed/lasts, 1)
		if err := old.base.Close(); err != nil {
			return err
		}
	}
	*c = best
	return nil
}

// at returns when an event was reached, as by Monotonic.
func (c *clock) at(e *cuda.Event) (float64, error) {
	seconds, err := c.base.Until(e)
	return c.moment + seconds, err
}
