package programs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/cuda"
)

// written writes a file of runs.
func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "runs.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

const simulated = `{"device":"sim:x","program":"./a","status":0,"kernel_times":[
 {"kernel":"k","grid":[4,1,1],"block":[32,1,1],"launches":2,"seconds":24e-6},
 {"kernel":"k","grid":[8,2,1],"block":[32,1,1],"launches":1,"seconds":3e-6},
 {"kernel":"mine","grid":[1,1,1],"block":[1,1,1],"launches":1,"seconds":1e-6}]}
{"device":"sim:x","program":"/x/b","arguments":["7"],"status":1}
{"device":"sim:x","program":"c","status":0}
`

const measured = `{"device":"hw","program":"/elsewhere/a","status":0,"kernel_times":[
 {"kernel":"_Z1kPi","grid":[4,1,1],"block":[32,1,1],"launches":4,"seconds":40e-6},
 {"kernel":"k","grid":[8,2,1],"block":[32,1,1],"launches":1,"seconds":4e-6}]}
{"device":"hw","program":"b","arguments":["7"],"status":0}
{"device":"hw","program":"d","status":0}
`

// TestCompare compares by hand: 12 us against 10 in the mean of a launch, and 3 against 4.
func TestCompare(t *testing.T) {
	a, err := Read(written(t, simulated))
	require.NoError(t, err)
	b, err := Read(written(t, measured))
	require.NoError(t, err)
	c := Compare(a, b)
	require.Len(t, c.Rows, 2)
	assert.InDelta(t, 0.2, float64(c.Rows[0].Error), 1e-9)
	assert.InDelta(t, -0.25, float64(c.Rows[1].Error), 1e-9)
	assert.InDelta(t, 0.225, c.Kernels.Mean, 1e-9)
	assert.InDelta(t, 4.0/3, c.Kernels.Worst, 1e-9)
	assert.Equal(t, 1, c.Longer.N, "10 us and more")
	// 27 us of two kernels against 44.
	assert.Equal(t, 1, c.Programs.N)
	assert.InDelta(t, 1-27.0/44, c.Programs.Mean, 1e-9)
	assert.Equal(t, []string{"a: mine 1 of 1 (on sim:x)", "c (on sim:x)", "d (on hw)"}, c.Only)
	assert.Equal(t, []string{"b 7 (exit code 1 on sim:x)"}, c.Failed)
	var text bytes.Buffer
	c.Print(&text)
	assert.Equal(t, `program  kernel  blocks of threads  launches    sim:x       hw   error
a        k       4 of 32                2, 4  12.0 us  10.0 us  +20.0%
a        k       8x2 of 32                 1  3.00 us  4.00 us  -25.0%

                               compared  mean error  median  worst factor
kernels, a launch in the mean         2       22.5%   22.5%         x1.33
those of 10 us or more on hw          1       20.0%   20.0%         x1.20
programs, all their kernels           1       38.6%   38.6%         x1.63
not compared, since it is in one file only: a: mine 1 of 1 (on sim:x)
not compared, since it is in one file only: c (on sim:x)
not compared, since it is in one file only: d (on hw)
not compared, since it failed: b 7 (exit code 1 on sim:x)
`, text.String())
}

// costs are launch costs of a process, whose launches of an empty kernel of one block have the median of the list.
func costs(one ...float64) []cuda.LaunchCost {
	return []cuda.LaunchCost{{Empty: []cuda.EmptyTime{{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Before: one[:1], After: one[1:]}, {Grid: [3]int{9, 1, 1}, After: []float64{1}}}}}
}

// TestCompareWithLaunch adds by hand what an empty kernel takes longer on the other device: 3 us, where one run of the two programs has it on both.
func TestCompareWithLaunch(t *testing.T) {
	run := func(device, program string, seconds float64, c []cuda.LaunchCost) *Run {
		return &Run{Device: device, Program: program, Times: []cuda.KernelTime{{Kernel: "k", Grid: [3]int{4, 1, 1}, Block: [3]int{32, 1, 1}, Launches: 2, Seconds: seconds}}, Costs: c}
	}
	a := []*Run{run("sim:x", "a", 18e-6, costs(4e-6, 4e-6, 4e-6)), run("sim:x", "b", 18e-6, nil)}
	b := []*Run{run("hw", "a", 20e-6, costs(90e-6, 6e-6, 7e-6)), run("hw", "b", 20e-6, costs(5e-6, 5e-6))}
	c := Compare(a, b)
	require.Len(t, c.Rows, 2)
	assert.InDelta(t, 3e-6, *c.Rows[0].Launch, 1e-12)
	assert.InDelta(t, 12e-6, c.Rows[0].WithLaunch(), 1e-12)
	assert.InDelta(t, -0.1, float64(c.Rows[0].Error), 1e-9, "as they are")
	assert.InDelta(t, 0.2, float64(*c.Rows[0].LaunchError), 1e-9)
	assert.Nil(t, c.Rows[1].Launch)
	assert.Nil(t, c.Rows[1].LaunchError)
	assert.InDelta(t, 0.1, c.Kernels.Mean, 1e-9)
	assert.Equal(t, 1, c.KernelsWithLaunch.N)
	assert.InDelta(t, 0.2, c.KernelsWithLaunch.Mean, 1e-9)
	var text bytes.Buffer
	c.Print(&text)
	assert.Equal(t, `program  kernel  blocks of threads  launches    sim:x       hw   error  with launch cost
a        k       4 of 32                   2  9.00 us  10.0 us  -10.0%            +20.0%
b        k       4 of 32                   2  9.00 us  10.0 us  -10.0%

                                     compared  mean error  median  worst factor
kernels, a launch in the mean               2       10.0%   10.0%         x1.11
those of 10 us or more on hw                2       10.0%   10.0%         x1.11
programs, all their kernels                 2       10.0%   10.0%         x1.11
kernels, with the launch cost of hw         1       20.0%   20.0%         x1.20
those of 10 us or more                      1       20.0%   20.0%         x1.20
`, text.String())
}

// TestWrite keeps what a comparison needs, and refuses runs that failed.
func TestWrite(t *testing.T) {
	runs, err := Read(written(t, `{"device":"hw","program":"/x/a","arguments":["1"],"status":0,"machine_hash":"7","kernel_times":[],
 "launch_costs":[{"overhead_seconds":-3e-6,"empty_kernel":[{"grid":[1,1,1],"block":[32,1,1],"seconds_before":[4e-6]}]}]}`))
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, Write(&text, runs))
	assert.Equal(t, `{"device":"hw","program":"a","arguments":["1"],"status":0,"kernel_times":[],"launch_costs":[{"overhead_seconds":-0.000003,"empty_kernel":[{"grid":[1,1,1],"block":[32,1,1],"seconds_before":[0.000004]}]}]}
`, text.String())
	runs, err = Read(written(t, simulated))
	require.NoError(t, err)
	assert.EqualError(t, Write(&text, runs), "b 7 failed (exit code 1 on sim:x)")
}

// TestRead checks the errors of files that are none.
func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "has no run of a CUDA program",
		"{":                 "unexpected EOF",
		`{"device":"func"}`: "was not written by weft cuda run: object 1 has no program or no device",
	} {
		_, err := Read(written(t, text))
		assert.ErrorContains(t, err, want)
	}
	_, err := Read(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
