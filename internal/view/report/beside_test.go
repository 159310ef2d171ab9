package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/service/cpu"
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

// TestCPUTimes: the times of the processor are beside that of the device, and a parallel code that there is not is said so.
func TestCPUTimes(t *testing.T) {
	r := &run.Result{CPU: &cpu.Times{Processor: "Z80", Cores: 4, Sequential: cpu.Time{Code: "queue", Seconds: 3e-3, Runs: 1000}, Parallel: &cpu.Time{Code: "all at once", Seconds: 1e-3, Runs: 5}}}
	r.AlgorithmSeconds = 2e-3
	var out strings.Builder
	CPU(&out, r)
	assert.Equal(t, `
CPU       wall time  code
one core    3.00 ms  queue        median of 1,000 runs  1.5 times the algorithm time
4 cores     1.00 ms  all at once  median of 5 runs      0.5 times the algorithm time
on this machine: Z80
`, out.String())
	out.Reset()
	r.CPU.Parallel, r.CPU.Processor, r.AlgorithmSeconds = nil, "", 0
	CPU(&out, r)
	assert.Equal(t, `
CPU       wall time  code
one core    3.00 ms  queue                      median of 1,000 runs
4 cores              there is no parallel code
`, out.String())
	out.Reset()
	CPU(&out, &run.Result{})
	assert.Empty(t, out.String())
}
