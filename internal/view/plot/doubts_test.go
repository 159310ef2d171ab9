package plot

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/spec"
)

func TestDoubts(t *testing.T) {
	s, err := spec.Parse("a.yaml", []byte(`name: a
set: {algorithm: bfs}
plots:
  - {kind: bars, x: schedular, y: cycels / arcs, series: my.counter, where: [grahp=x, step.size>1], file: a}
  - {kind: time, y: occupancy, file: b}
`), nil)
	require.NoError(t, err)
	plots, err := Parse(s.Plots)
	require.NoError(t, err)
	known := []string{"scheduler", "cycles", "arcs", "graph", "l2.latency"}
	var texts []string
	for _, p := range plots {
		for _, err := range p.Doubts(known) {
			texts = append(texts, err.Error())
		}
	}
	require.Equal(t, []string{
		`a.yaml:4:21: plots: there is no column, setting or metric "schedular"; did you mean scheduler?`,
		`a.yaml:4:35: plots: there is no column, setting or metric "cycels"; did you mean cycles?`,
		`a.yaml:4:87: plots: there is no column, setting or metric "grahp"; did you mean graph?`,
	}, texts)
}
