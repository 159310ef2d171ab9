package compare

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOrder: points stand in the order of their values, in whichever order their runs ended.
func TestOrder(t *testing.T) {
	var points []map[string]string
	for _, p := range [][2]string{{"roads", "330"}, {"grid", "66"}, {"roads", "66"}, {"grid", "1000"}, {"roads", ""}} {
		points = append(points, map[string]string{"graph": p[0], "l2.latency": p[1]})
	}
	slices.SortFunc(points, func(a, b map[string]string) int { return byValues([]string{"graph", "l2.latency"}, a, b) })
	var got []string
	for _, p := range points {
		got = append(got, p["graph"]+" "+p["l2.latency"])
	}
	assert.Equal(t, []string{"grid 66", "grid 1000", "roads ", "roads 66", "roads 330"}, got)
}
