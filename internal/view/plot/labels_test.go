package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/vg"
)

// TestLabels: no name covers a point or another name, or leaves the panel, however dense the points are.
func TestLabels(t *testing.T) {
	placed := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		panel := vg.Rectangle{Min: vg.Point{X: 30, Y: 30}, Max: vg.Point{X: 330, Y: 300}}
		n := []int{3, 30, 300, 3000}[seed%4]
		var s scatter
		for i := range n {
			a := math.Exp(r.Float64() * 6)
			s.pairs = append(s.pairs, pair{name: fmt.Sprintf("bfs block-queue point %d of rmat:scale=%d", i, seed), a: a, b: a * math.Exp(r.NormFloat64()*0.4)})
		}
		toX := func(v float64) vg.Length { return panel.Min.X + vg.Length((math.Log(v)+2)/10)*300 }
		toY := func(v float64) vg.Length { return panel.Min.Y + vg.Length((math.Log(v)+2)/10)*270 }
		labels := s.labels(panel, letters(7.5, ink), toX, toY)
		placed += len(labels)
		for i, l := range labels {
			assert.True(t, l.at.Min.X >= panel.Min.X && l.at.Max.X <= panel.Max.X && l.at.Min.Y >= panel.Min.Y && l.at.Max.Y <= panel.Max.Y, "%d points: %s leaves the panel", n, l.text)
			for _, p := range s.pairs {
				at := vg.Point{X: toX(p.a), Y: toY(p.b)}
				assert.False(t, l.at.Min.X < at.X && at.X < l.at.Max.X && l.at.Min.Y < at.Y && at.Y < l.at.Max.Y, "%d points: %s covers one", n, l.text)
			}
			for _, other := range labels[:i] {
				assert.False(t, overlap(l.at, other.at))
			}
		}
	}
	assert.Greater(t, placed, 30, "names that have room are shown")
}
