package command

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChosenGPUs runs on as many GPUs as --gpus auto chooses: one, unless a run does not fit on it.
func TestChosenGPUs(t *testing.T) {
	const graph = "uniform:n=1000,degree=200,seed=1"
	for _, c := range []struct {
		args []string
		on   string
		gpus int
	}{
		{[]string{"run", "bfs", "--device", "sim:tinyx4", "--graph", "grid:width=8"}, "sim:tiny", 1},
		{[]string{"run", "bfs", "--device", "funcx2", "--graph", graph}, "func", 1}, // it has as much memory as this computer
		{[]string{"run", "bfs", "--device", "sim:tinyx8", "--set", "dram.capacity=1", "--graph", graph}, "sim:tinyx3", 3},
		{[]string{"run", "sssp", "--device", "sim:tinyx8", "--set", "dram.capacity=1", "--graph", graph}, "sim:tinyx5", 5}, // weights take as much as arcs
	} {
		out, errs, code := command(t, append(c.args, "--gpus", "auto", "--scheduler", "auto", "--json")...)
		require.Equal(t, 0, code, errs)
		var r struct {
			Device string
			Answer string
			Chosen struct {
				GPUs   int
				Of     int
				Reason string
			} `json:"gpus_chosen_by"`
		}
		require.NoError(t, json.Unmarshal([]byte(out), &r))
		assert.Equal(t, c.on, r.Device, "%v", c.args)
		assert.Equal(t, "verified", r.Answer)
		assert.Equal(t, c.gpus, r.Chosen.GPUs, "%v", c.args)
		assert.NotEmpty(t, r.Chosen.Reason)
	}
	for _, more := range [][]string{nil, {"--sources", "2"}} {
		out, errs, code := command(t, append([]string{"run", "bfs", "--device", "sim:tinyx2", "--gpus", "auto", "--scheduler", "auto", "--graph", "rmat:scale=7,degree=8,seed=1"}, more...)...)
		require.Equal(t, 0, code, errs)
		assert.Regexp(t, `(?m)^GPUs +1 of 2, by auto: `, out)
	}
}

// TestChosenGPUsRefused checks what does not go with --gpus auto.
func TestChosenGPUsRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "bfs", "--gpus", "auto", "--device", "funcx2"}, "weft: --gpus auto: the number of GPUs and the scheduler are chosen together\n  write --scheduler auto\n"},
		{[]string{"run", "bfs", "--gpus", "auto", "--scheduler", "auto"}, "weft: --gpus auto: sim:h200 is one GPU\n  name a group, such as --device sim:h200x2\n"},
		{[]string{"run", "bfs", "--gpus", "auto", "--scheduler", "auto", "--device", "hw"}, "weft: --gpus auto: hw is one GPU\n  name a group, such as --device hw:0,1\n"},
		{[]string{"run", "bfs", "--gpus", "auto", "--scheduler", "auto", "--device", "funcx2", "--graph", "missing.mtx"}, "weft: graph missing.mtx: no such file or directory\n"},
		{[]string{"run", "nothing", "--gpus", "auto", "--scheduler", "auto", "--device", "funcx2"}, "weft: unknown algorithm \"nothing\"\n"},
		{[]string{"bench", "sim", "--gpus", "auto"}, "weft: --gpus: only weft run chooses a number of GPUs\n  write a number\n"},
		{[]string{"micro", "--gpus", "auto"}, "weft: --gpus: only weft run chooses a number of GPUs\n  write a number\n"},
		{[]string{"run", "bfs", "--gpus", "all"}, "weft: --gpus: \"all\" is not a number of GPUs from 1 to 16\n"},
	} {
		out, errs, code := command(t, c.args...)
		require.Empty(t, out, "%v", c.args)
		require.Contains(t, errs, c.want)
		require.Contains(t, []int{1, 2}, code)
	}
}
