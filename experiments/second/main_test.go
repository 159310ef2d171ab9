package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	for _, command := range []string{"clang-19", "ld.lld-19"} {
		if _, err := exec.LookPath(command); err != nil {
			t.Skipf("no %s: apt-get install clang-19 lld-19", command)
		}
	}
	var out strings.Builder
	require.NoError(t, run(context.Background(), []string{"-program", "stencil", "-sizes", "64,256"}, &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3, out.String())
	for i, size := range []string{"64", "256"} {
		fields := strings.Fields(lines[1+i])
		require.Len(t, fields, 6)
		assert.Equal(t, []string{"stencil", size, "10"}, fields[:3])
		assert.NotContains(t, fields[3:5], "0.0")
	}
}

func TestRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		`-sizes: "x" is not a number of 16 or more`:  {"-sizes", "x"},
		`-sizes: "15" is not a number of 16 or more`: {"-sizes", "15"},
		`-program: no program "none"`:                {"-program", "none"},
	} {
		assert.EqualError(t, run(context.Background(), args, &strings.Builder{}), want)
	}
}
