package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/service/run"
)

func TestGroup(t *testing.T) {
	var out strings.Builder
	Group(&out, nil)
	assert.Empty(t, out.String())

	n := uint64(1500)
	g := &run.Group{
		GPUs:     []run.OnGPU{{GPU: 0, Launches: 12, Seconds: 3e-5, Sent: 3000, Useful: &n, Received: 40}, {GPU: 1, Launches: 7, Seconds: 2e-5, Sent: 40, Received: 3000}},
		Links:    []run.Link{{From: "GPU 0", To: "GPU 1", Kind: "PCIe 3", Bytes: 3000, Wire: 3300, Busy: 2e-7}},
		Pairs:    []run.Sent{},
		Measures: []run.Measure{{Name: "bytes_sent", Unit: "byte", What: "all of it", Value: 3040}, {Name: "overlap", Unit: "s", What: "both", Value: 2.5e-6}},
	}
	Group(&out, g)
	assert.Equal(t, `
       launches  kernel time  bytes sent  useful  received
GPU 0        12      30.0 us       3,000   1,500        40
GPU 1         7      20.0 us          40       -     3,000

link            kind    bytes  with headers    busy
GPU 0 to GPU 1  PCIe 3  3,000         3,300  200 ns

communication  value  unit  meaning
bytes_sent     3,040  byte  all of it
overlap         2.50  us    both
`, out.String())

	out.Reset()
	Group(&out, &run.Group{GPUs: []run.OnGPU{{Launches: 1}}, Links: []run.Link{{From: "GPU 0", To: "GPU 1", Bytes: 8}}})
	assert.Equal(t, `
       launches
GPU 0         1

link            bytes
GPU 0 to GPU 1      8
`, out.String())
}
