package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReportString(t *testing.T) {
	r := &Report{Launches: 2, Counters: []Counter{{Name: "a.sum", Unit: "inst", Value: 12}, {Name: "b.sum", Unit: "inst"}, {Name: "c.pct", Unit: "%", Value: 0.125}}}
	const counters = "  a.sum                                                                                   12 inst\n" +
		"  c.pct                                                                                0.125 %\n"
	assert.Equal(t, "launches 2\n"+counters, r.String())
	r.Cycles, r.Seconds, r.Counters = 1500, 2.5e-6, nil
	assert.Equal(t, "launches 2, cycles 1500, time 2.5 us\n", r.String())
}
