package slurm

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// cluster runs Slurm's commands.
type cluster struct{}

// commands are those that the engine needs.
var commands = []string{"sbatch", "squeue", "scancel", "scontrol"}

// Installed returns an error if Slurm's commands are missing here.
func Installed() error {
	for _, name := range commands {
		if _, err := exec.LookPath(name); err != nil {
			return usage.Errorf(usage.Say("run weft where you submit jobs (a login node), or leave %s out to run here", option.Engine),
				"%s: there is no command %s on the PATH", option.Engine.With("slurm"), name)
		}
	}
	return nil
}

// call runs a command and returns what it printed.
func (cluster) call(ctx context.Context, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", fmt.Errorf("%s: %s", name, cmp.Or(strings.TrimSpace(errs.String()), err.Error()))
	}
	return out.String(), nil
}

// active is a share that Slurm has: it waits or runs.
type active struct {
	id      string // of the array's task: "1234_7"
	state   string // "PENDING", "RUNNING", "COMPLETING", ...
	reason  string // why it waits
	pending bool
}

// ended are the states of tasks that squeue may show although they are over.
var ended = []string{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"}

// shares returns the shares that Slurm has under the job name NAME-OFFSET, by number. The share
// is the offset plus the index in the array.
func (c cluster) shares(ctx context.Context, name string) (map[int]active, error) {
	out, err := c.call(ctx, "squeue", "--noheader", "--array", "--me", "--format=%i|%K|%T|%r|%j")
	if err != nil {
		return nil, err
	}
	list := map[int]active{}
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSpace(line), "|", 5)
		if len(f) < 5 {
			continue
		}
		text, ours := strings.CutPrefix(f[4], name+"-")
		offset, err1 := strconv.Atoi(text)
		index, err2 := strconv.Atoi(f[1])
		if !ours || err1 != nil || err2 != nil || slices.Contains(ended, f[2]) {
			continue
		}
		list[offset+index] = active{f[0], f[2], f[3], f[2] == "PENDING"}
	}
	return list, nil
}

// maxArray returns the size of the largest array that Slurm accepts; an index is less.
func (c cluster) maxArray(ctx context.Context) (int, error) {
	out, err := c.call(ctx, "scontrol", "show", "config")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) == "MaxArraySize" {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err == nil && n < 2 {
				err = errors.New("this Slurm has no job arrays: its MaxArraySize is " + strings.TrimSpace(value))
			}
			return n, err
		}
	}
	return 0, errors.New("scontrol show config does not say MaxArraySize")
}

// submit submits an array and returns the number of the job.
func (c cluster) submit(ctx context.Context, args []string) (job string, err error) {
	out, err := c.call(ctx, "sbatch", append([]string{"--parsable"}, args...)...)
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";") // with the cluster's name after it
	return job, err
}

// cancel ends tasks.
func (c cluster) cancel(ctx context.Context, ids []string) error {
	for part := range slices.Chunk(ids, 200) {
		if _, err := c.call(ctx, "scancel", part...); err != nil {
			return err
		}
	}
	return nil
}

// fate says how a task ended: "TIMEOUT", "NODE_FAIL", "FAILED, exit code 1"; "" if Slurm does not
// know it any more.
func (c cluster) fate(ctx context.Context, id string) string {
	out, err := c.call(ctx, "scontrol", "show", "job", "--oneliner", id)
	if err != nil {
		return ""
	}
	state, code := "", ""
	for word := range strings.FieldsSeq(out) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "JobState":
			state = value
		case "ExitCode":
			code = value
		}
	}
	exit, signal, _ := strings.Cut(code, ":")
	switch {
	case signal != "" && signal != "0":
		return state + ", signal " + signal
	case exit != "" && exit != "0":
		return state + ", exit code " + exit
	}
	return state
}

// ranges writes numbers as sbatch reads them: "0-4,7,9-10". The numbers are in order.
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, strconv.Itoa(list[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}
