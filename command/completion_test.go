package command

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCompletion asks as shells do what may be typed next.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"run bf":                         "bfs\n:0\n",
		"run bfs --device sim:h1":        "sim:h100\n:4\n",
		"run bfs --scheduler aut":        "auto\n:4\n",
		"run bfs --graph dem":            "demo\n:2\n",
		"run bfs --set l2.far=2,l2.late": "l2.far=2,l2.latency=\n:6\n",
		"bench sim --algorithm bfs,ss":   "bfs,sssp\nbfs,sswp\n:4\n",
		"sweep bfs --device func,sim:k4": "func,sim:k40\n:4\n",
		"sweep bfs --plots x":            ":16\n", // folders
	} {
		stdout, _, code := command(t, append([]string{"__complete"}, strings.Fields(line)...)...)
		require.Equal(t, exitRight, code)
		assert.Equal(t, want, stdout, line)
	}
}

// TestLimits gives every flag with limits the number below the least one.
func TestLimits(t *testing.T) {
	seen := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			named, ok := f.Value.(namedValue)
			if !ok {
				return
			}
			if v, ok := named.Value.(limited); ok {
				seen++
				before := v.String()
				require.ErrorContains(t, v.Set("-1"), "-1 is not "+v.limits.String(), "%s --%s", cmd.CommandPath(), f.Name)
				assert.Equal(t, before, v.String())
				assert.ErrorContains(t, v.Set("many"), "invalid syntax")
			}
		})
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit((&app{}).root())
	assert.Greater(t, seen, 20)
}
