package laps

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestLaps checks that a part has its own time alone, and that one which is done again has the time of both.
func TestLaps(t *testing.T) {
	at := time.Unix(0, 0)
	l := &List{now: func() time.Time { return at }}
	ctx := With(t.Context(), l)
	pass := func(seconds int) { at = at.Add(time.Duration(seconds) * time.Second) }
	reading := Start(ctx, "reading")
	pass(1)
	inner := Start(ctx, "symmetrising")
	pass(10)
	assert.Empty(t, l.Laps(), "nothing has ended")
	inner()
	pass(2)
	reading()
	pass(100) // belongs to none
	again := Start(ctx, "symmetrising")
	pass(5)
	again()
	Start(t.Context(), "unmeasured")()
	Start(With(ctx, nil), "unmeasured")()
	assert.Equal(t, []Lap{{"reading", 1, 3}, {"symmetrising", 2, 15}}, l.Laps())
	var real List
	Start(With(t.Context(), &real), "short")()
	assert.Len(t, real.Laps(), 1)
}
