package run

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGroup checks that the links carry what the scheme says that it sent, and that the figures of GPUs, pairs and the
// whole agree.
func TestGroup(t *testing.T) {
	for _, device := range []string{"funcx3", "sim:tinyx3"} {
		for _, counted := range []string{"true", "false"} {
			q := request(t, device)
			q.Scheduler, q.Params = "multi", map[string]string{"useful": counted, "transfer": "peer"}
			r, err := Run(t.Context(), q)
			require.NoError(t, err)
			require.NoError(t, r.Err())
			assert.Equal(t, 3, r.GPUs)
			assert.False(t, r.OwnMachine(), "a group of a preset")
			g := r.Group
			require.NotNil(t, g)
			require.Len(t, g.GPUs, 3)
			require.Len(t, g.Pairs, 6)
			measures := map[string]float64{}
			for _, m := range g.Measures {
				measures[m.Name] = m.Value
				assert.NotEmpty(t, m.Unit)
				assert.NotEmpty(t, m.What)
			}
			var sent, useful, received uint64
			launches := 0
			for i, x := range g.GPUs {
				assert.Equal(t, i, x.GPU)
				assert.Equal(t, device == "sim:tinyx3", x.Seconds > 0)
				sent, received, launches = sent+x.Sent, received+x.Received, launches+x.Launches
				require.Equal(t, counted == "true", x.Useful != nil)
				if x.Useful != nil {
					useful += *x.Useful
				}
			}
			assert.Equal(t, r.Launches, launches)
			require.Positive(t, sent)
			assert.Equal(t, sent, received)
			assert.InDelta(t, sent, measures["bytes_sent"], 0)
			assert.InDelta(t, useful, measures["useful_bytes"], 0)
			if counted == "true" {
				assert.InDelta(t, 100*float64(useful)/float64(sent), measures["communication_efficiency"], 1e-9)
			} else {
				assert.NotContains(t, measures, "communication_efficiency")
			}
			assert.Equal(t, device == "sim:tinyx3", measures["transfer_time"] > 0)
			for _, x := range g.GPUs {
				var left uint64
				for _, l := range g.Links {
					if l.From == fmt.Sprintf("GPU %d", x.GPU) && l.To != "root complex" {
						left += l.Bytes
					}
				}
				assert.Equal(t, x.Sent, left, "%s: GPU %d", device, x.GPU)
			}
		}
	}
	r, err := Run(t.Context(), request(t, "func"))
	require.NoError(t, err)
	assert.Nil(t, r.Group)

	_, err = Run(t.Context(), request(t, "funcx2"))
	assert.EqualError(t, err, "scheduler thread uses one GPU, and funcx2 is a group of 2; schedulers that run bfs on all of them: atos, bitmap, multi, near-far")
}
