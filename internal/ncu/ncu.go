// Package ncu reads hardware counters by NVIDIA Nsight Compute: it runs a
// program under ncu, or reads the CSV that somebody else's ncu wrote.
package ncu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Launch is what ncu says of one kernel launch.
type Launch struct {
	ID      int
	Kernel  string // entry point
	Metrics map[string]float64
}

// ErrMissing says that there is no ncu on this machine.
var ErrMissing = errors.New("ncu (Nsight Compute) is not installed: import its output with --ncu FILE.csv instead")

// Run runs a program under ncu and reads its counters. Clocks are left alone.
// So are caches, which ncu would otherwise flush before each kernel: a launch
// finds what the one before it left there, as it does unobserved. ncu runs a
// kernel several times (passes) and puts memory back in between; from the
// second pass on the L2 holds what the kernel and the copying back left, which
// for data of its size is what it held anyway. Running the whole program once a
// pass would avoid that, but needs programs that launch the same kernels each
// time, and the number of iterations of ours depends on races.
//
// Counters that the GPU does not have are missing from the result (see Missing).
// A program that fails gives an error, and the launches that it made.
func Run(ctx context.Context, env []string, program string, args ...string) ([]Launch, error) {
	path, err := exec.LookPath("ncu")
	if err != nil {
		return nil, ErrMissing
	}
	asked := Metrics()
	for {
		all := append([]string{"--clock-control", "none", "--cache-control", "none", "--csv", "--print-units", "base",
			"--metrics", strings.Join(asked, ","), program}, args...)
		cmd := exec.CommandContext(ctx, path, all...)
		cmd.Env = append(os.Environ(), env...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		if err == nil {
			return Parse("ncu", &out)
		}
		complaint := errs.String() + out.String()
		launches, _ := Parse("ncu", &out) // of a program that failed in the end
		bad := refused(asked, complaints(complaint))
		if len(bad) == 0 && len(launches) == 0 {
			bad = instrumented(asked)
		}
		if ctx.Err() != nil || len(bad) == 0 || len(bad) == len(asked) {
			return launches, fmt.Errorf("ncu: %w: %s", err, lastLine(complaint))
		}
		asked = slices.DeleteFunc(asked, func(name string) bool { return slices.Contains(bad, name) })
	}
}

// complaints are the lines of ncu's own among what it and the program printed.
func complaints(output string) string {
	var own []string
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "==ERROR==") || strings.HasPrefix(line, "==WARNING==") {
			own = append(own, line)
		}
	}
	return strings.Join(own, "")
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
