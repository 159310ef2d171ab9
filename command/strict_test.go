package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dot is the command line of a launch of Dot, which is right for every block size.
func dot(block string, more ...string) []string {
	return append([]string{"launch", "./examples/axpy.Dot", "--grid", "3", "--block", block, "--arg", "x=ones:1000", "--arg", "y=ones:1000", "--arg", "sum=0", "--print", "sum"}, more...)
}

// misuse is the command line of a launch of a kernel that PTX leaves undefined.
func misuse(kernel, block string, more ...string) []string {
	return append([]string{"launch", "./internal/testing/undefined/misuse." + kernel, "--grid", "1", "--block", block,
		"--arg", "out=zeros:64", "--arg", "blank=zeros:64", "--arg", "zero=0"}, more...)
}

// TestStrict checks --strict on devices that are strict by default, that are not, and that
// cannot be.
func TestStrict(t *testing.T) {
	t.Chdir("..")
	for _, block := range []string{"48", "33", "1", "96"} {
		for _, device := range []string{"func", "sim:tiny"} {
			stdout, stderr, code := command(t, dot(block, "--strict", "--device", device)...)
			require.Equal(t, exitRight, code, stderr)
			assert.Regexp(t, `(?m)^ +0 +1000$`, stdout, "blocks of %s threads on %s", block, device)
			assert.Empty(t, stderr)
		}
	}
	const missing = "ShflDown reads lane 16, which does not exist: the block has 48 threads: the value is undefined (block 0, thread 32)"
	for _, c := range []struct {
		args []string
		code int
		want string // on the standard error
	}{
		{misuse("ShuffleMissing", "48", "--device", "func"), exitWrong, missing},
		{misuse("ShuffleMissing", "48", "--device", "func", "--strict"), exitWrong, missing},
		{misuse("ShuffleMissing", "48", "--device", "func", "--strict=false"), exitRight, ""},
		{misuse("ShuffleMissing", "48", "--device", "sim:tiny"), exitRight, ""},
		{misuse("ShuffleMissing", "48", "--device", "sim:tiny", "--strict"), exitWrong, missing},
		{misuse("SyncAround", "64", "--device", "sim:v100", "--strict"), exitWrong, "Sync, around which thread 40 of the block has gone to the end of the kernel"},
		{misuse("SyncAround", "64", "--device", "hw", "--strict"), exitUsage, "--strict: device hw does not detect what PTX leaves undefined"},
		{misuse("SyncAround", "64", "--device", "func", "--strict=maybe"), exitUsage, `"maybe"`},
		{misuse("ShuffleMissing", "48", "--device", "sim:tiny", "--compare-with", "func", "--strict=false"), exitWrong, "the devices differ"},
	} {
		_, stderr, code := command(t, c.args...)
		assert.Equal(t, c.code, code, "%v: %s", c.args, stderr)
		assert.Contains(t, stderr, c.want, "%v", c.args)
	}
}

// TestLaunchWarns checks that weft launch warns of updates that are lost.
func TestLaunchWarns(t *testing.T) {
	t.Chdir("../internal/compiler/compile/testdata")
	_, stderr, code := command(t, "launch", "./lint.Sum", "--grid", "1", "--block", "256", "--arg", "x=ones:256", "--arg", "total=0", "--device", "func")
	assert.Equal(t, exitRight, code, stderr)
	assert.Contains(t, stderr, "warning: lint/races.go:42:3: plain update of total, at an address that is the same for all threads")
}
