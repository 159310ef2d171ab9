package graph

import "context"

// pollEvery is how much work (vertices, arcs) is done between looks at the
// context: some hundred microseconds.
const pollEvery = 1 << 16

// poller looks at a context now and then.
type poller struct {
	ctx  context.Context
	left int // work until the next look
}

// after is the context's error, looked at after enough work.
func (p *poller) after(work int) error {
	if p.left -= work; p.left > 0 {
		return nil
	}
	p.left = pollEvery
	return p.ctx.Err()
}

// chunks calls f with parts of s, and the index of the first element of each,
// until f is through or ctx ends.
func chunks[T any](ctx context.Context, s []T, f func(first int, part []T)) error {
	for first := 0; first < len(s); first += pollEvery {
		if err := ctx.Err(); err != nil {
			return err
		}
		f(first, s[first:min(first+pollEvery, len(s))])
	}
	return ctx.Err()
}
