package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/run"
)

// TestContended: the most contended words are printed with all counters.
func TestContended(t *testing.T) {
	w := &run.Work{All: []device.Counter{{Name: "smsp__inst_executed.sum", Value: 3, Unit: "inst", Desc: "warp instructions"}}, Contended: []device.ContendedWord{
		{Buffer: "queue.Count", Operations: 2000, WaitCycles: 90000.6, Queue: 640}, {GPU: 1, Buffer: "dist", Index: 17, Byte: 4, Operations: 2, WaitCycles: 3, Queue: 2}}}
	var out strings.Builder
	Counters(&out, w, true)
	assert.Contains(t, out.String(), `
contended word       operations  wait cycles  wait of one  longest queue
queue.Count[0]            2,000       90,001         45.0            640
dist[17]+4 on GPU 1           2            3          1.5              2
`)
	out.Reset()
	Counters(&out, w, false)
	assert.NotContains(t, out.String(), "contended")
}
