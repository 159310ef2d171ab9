package command

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLaunchPTX launches kernels of a file of PTX: right, out of bounds, and racing, each with the line of the CUDA source.
func TestLaunchPTX(t *testing.T) {
	launch := func(kernel string, more ...string) (stdout, stderr string, code int) {
		return command(t, append([]string{"launch", "testdata/ptx/two.ptx" + kernel, "--grid", "2", "--block", "64"}, more...)...)
	}
	scale := []string{"--arg", "p0=iota:100", "--arg", "p1=zeros:len(p0)", "--arg", "p2=0.5", "--arg", "p3=len(p0)"}
	for _, device := range []string{"func", "sim:h200"} {
		stdout, stderr, code := launch(":scale", append(scale, "--device", device, "--print", "p1[97:100]")...)
		require.Equal(t, exitRight, code, stderr)
		assert.Contains(t, stdout, "arguments  p0 []float32 = iota:100, 100 elements\n")
		assert.Contains(t, stdout, "\n   99  49.5\n")
	}
	stdout, stderr, code := launch(":_Z5scalePfS_fi", append(scale, "--annotate")...)
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "  y[i] = x[i] * by;")

	_, stderr, code = launch(":scale", "--arg", "p0=iota:100", "--arg", "p1=zeros:100", "--arg", "p2=0.5", "--arg", "p3=128", "--device", "func")
	require.Equal(t, exitWrong, code)
	assert.Equal(t, "weft: kernel scale: testdata/ptx/scale.cu:4:3: index 100 out of range of p0 with length 100 (block 1, thread 36)\n", stderr)

	stdout, stderr, code = launch(":count", "--arg", "total=0,", "--device", "func", "--race")
	require.Equal(t, exitWrong, code)
	assert.Equal(t, "weft: data race between a pair of lines, 227 times\n", stderr)
	assert.Contains(t, stdout, "plain store at testdata/ptx/scale.cu:9:3 by block ")

	_, stderr, code = launch(":lock", "--arg", "l=0,", "--device", "sim:k40")
	require.Equal(t, exitHang, code, stderr)
	assert.Contains(t, stderr, "testdata/ptx/scale.cu:14:10 in lock\n        spins until l[0] == 0; it is 1\n        ended by atom.exch of 0: testdata/ptx/scale.cu:15:3 in lock")

	stdout, stderr, code = command(t, "launch", "testdata/ptx/print.ptx", "--grid", "1", "--block", "2", "--device", "func")
	require.Equal(t, exitRight, code, stderr)
	assert.True(t, strings.HasPrefix(stdout, "thread 0 of hi\nthread 1 of hi\n"), stdout)

	stdout, stderr, code = command(t, "ir", "testdata/ptx/two.ptx:count", "--program")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "; testdata/ptx/scale.cu:9")
	stdout, stderr, code = command(t, "ptx", "testdata/ptx/two.ptx:count")
	require.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stdout, "$END:\n\t.loc 1 5 1\n")
}

// TestPTXMistakes has what can be wrong with the name of a kernel of PTX, and with its arguments.
func TestPTXMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"ir", "none.ptx"}, "weft: open none.ptx: no such file or directory\n", exitUsage},
		{[]string{"ir", "testdata/ptx/two.ptx"}, "weft: testdata/ptx/two.ptx has 3 kernels; write one of testdata/ptx/two.ptx:_Z5scalePfS_fi, testdata/ptx/two.ptx:count, testdata/ptx/two.ptx:lock\n", exitUsage},
		{[]string{"ir", "testdata/ptx/two.ptx:nothing"}, "weft: testdata/ptx/two.ptx has no kernel \"nothing\"; it has _Z5scalePfS_fi, count, lock\n", exitUsage},
		{[]string{"ptx", "testdata/ptx/two.ptx:count", "--check"}, "weft: kernel count was read from PTX, which is printed as it stands: without checks and options\n", exitWrong},
		{[]string{"launch", "testdata/ptx/two.ptx:count", "--grid", "1", "--block", "32", "--bind", "total=1"}, "weft: --bind total=1: total is a slice, and only numbers and bools can be constants\n  write --arg total=zeros:1024\n", exitUsage},
		{[]string{"launch", "testdata/ptx/two.ptx:scale", "--grid", "1", "--block", "32", "--bind", "p3=1"}, "weft: testdata/ptx/two.ptx:scale: parameters of a kernel read from PTX cannot be constants\n", exitWrong},
	} {
		_, stderr, code := command(t, c.args...)
		assert.Equal(t, c.want, stderr)
		assert.Equal(t, c.code, code)
	}
}
