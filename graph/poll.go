package graph

import "context"

// pollEvery is the amount of work (vertices, arcs) between checks of the context: a few
// hundred microseconds.
const pollEvery = 1 << 16

// poller checks a context at intervals.
type poller struct {
	ctx  context.Context
	left int // work until the next check
}

// after records an amount of work. It returns the context's error if a check is due and the
// context is done.
func (p *poller) after(work int) error {
	if p.left -= work; p.left > 0 {
		return nil
	}
	p.left = pollEvery
	return p.ctx.Err()
}

// chunks calls f with parts of s and the index of the first element of each, until s is
// processed or ctx is done.
func chunks[T any](ctx context.Context, s []T, f func(first int, part []T)) error {
	for first := 0; first < len(s); first += pollEvery {
		if err := ctx.Err(); err != nil {
			return err
		}
		f(first, s[first:min(first+pollEvery, len(s))])
	}
	return ctx.Err()
}
