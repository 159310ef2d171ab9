package command

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/scheduler"
)

// TestWatchText checks that the bar shows iterations if there are any, else
// launches, and the scheme's numbers.
func TestWatchText(t *testing.T) {
	w := &runWatch{}
	assert.Equal(t, "launch 1", w.text(0, ""))
	w.launches, w.cycles, w.last = 1, 1000, scheduler.Step{Numbers: []scheduler.Number{{Name: "tasks", Value: 12345}}}
	assert.Equal(t, "launch 2, 1,500 cycles, block 2 of 3, tasks 12,345", w.text(500, ", block 2 of 3"))
	w.last = scheduler.Step{Iteration: 4, Numbers: []scheduler.Number{{Name: "frontier", Value: 7}, {Name: "next", Value: 0.5}}}
	assert.Equal(t, "iteration 5, 1,000 cycles, frontier 7, next 0.5", w.text(0, ""))
}
