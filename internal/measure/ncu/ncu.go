package ncu

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/service/option"
)

// Launch has the metrics of one kernel launch.
type Launch struct {
	ID      int
	Kernel  string // entry point
	Metrics map[string]float64
}

// ErrMissing means that ncu is not installed on this machine.
var ErrMissing = fmt.Errorf("ncu (Nsight Compute) is not installed: import its output with %s instead", option.NCU.With("FILE.csv"))

// Run runs a program under ncu and reads its counters. It leaves clocks unchanged, and also caches, which ncu would
// otherwise flush before each kernel: a launch finds the cache contents left by the previous one, as without a
// profiler. ncu runs a kernel several times (passes) and restores memory in between; from the second pass on, the L2
// holds what the kernel and the restoring copies left, which for data of its size is what it would have held anyway.
// Running the whole program once per pass would avoid that, but requires programs that launch the same kernels each
// time, and the number of iterations of ours depends on races.
//
// Counters that the GPU does not have are missing from the result (see Missing). If the program fails, Run returns an
// error and the launches made before.
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
		launches, _ := Parse("ncu", &out) // of a program that failed at the end
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

// complaints returns ncu's own messages from its output, which also contains the program's.
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
