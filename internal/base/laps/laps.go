package laps

import (
	"context"
	"sync"
	"time"
)

// Lap is how long a part took on this machine, without the parts within it.
type Lap struct {
	What    string  `json:"what"`    // "reading"
	Times   int     `json:"times"`   // how often it was done
	Seconds float64 `json:"seconds"` // of all times together
}

// List has the parts, in the order in which they began first. Parts may lie within one another but do not overlap
// otherwise. The zero value is empty.
type List struct {
	mu   sync.Mutex
	laps []*Lap
	open []*Lap    // the innermost last
	from time.Time // since when the innermost one counts
	now  func() time.Time
}

type inContext struct{}

// With returns a context under which parts are measured; nil ends that.
func With(ctx context.Context, l *List) context.Context {
	return context.WithValue(ctx, inContext{}, l)
}

// Start begins a part, and returns what ends it.
func Start(ctx context.Context, what string) (stop func()) {
	l, _ := ctx.Value(inContext{}).(*List)
	if l == nil {
		return func() {}
	}
	l.enter(what)
	return l.leave
}

// Laps returns the parts that have ended.
func (l *List) Laps() (list []Lap) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.laps {
		if x.Times > 0 {
			list = append(list, *x)
		}
	}
	return list
}

// charge adds the time since the last call to the innermost part.
func (l *List) charge() {
	if l.now == nil {
		l.now = time.Now
	}
	now := l.now()
	if n := len(l.open); n > 0 {
		l.open[n-1].Seconds += now.Sub(l.from).Seconds()
	}
	l.from = now
}

func (l *List) enter(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.charge()
	for _, x := range l.laps {
		if x.What == what {
			l.open = append(l.open, x)
			return
		}
	}
	x := &Lap{What: what}
	l.laps, l.open = append(l.laps, x), append(l.open, x)
}

func (l *List) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.charge()
	last := len(l.open) - 1
	l.open[last].Times++
	l.open = l.open[:last]
}
