//go:build slurm

package command

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cluster starts a Slurm of one node for a test, and returns a function that calls its setup.sh.
func cluster(t *testing.T, environment ...string) (do func(action string)) {
	t.Helper()
	setup, err := filepath.Abs("../internal/measure/slurm/setup.sh")
	require.NoError(t, err)
	folder, err := os.MkdirTemp("", "slurm") // short, for the name of a socket
	require.NoError(t, err)
	script := func(ctx context.Context, action string) {
		c := exec.CommandContext(ctx, setup, action, folder)
		c.Env = append(os.Environ(), environment...)
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	t.Cleanup(func() {
		script(context.Background(), "stop")
		require.NoError(t, os.RemoveAll(folder))
	})
	script(t.Context(), "start")
	script(t.Context(), "start") // nothing happens the second time
	t.Setenv("SLURM_CONF", filepath.Join(folder, "slurm.conf"))
	t.Setenv(asCommand, "1") // the workers run this program
	return func(action string) { script(t.Context(), action) }
}

// slurmStudy writes a study of points that take a while, in the current folder.
func slurmStudy(t *testing.T, points int) (line []string) {
	t.Helper()
	text := fmt.Sprintf("set: {algorithm: bfs, device: 'sim:tiny', scheduler: thread}\nvary: {graph: 'rmat:scale=8,degree=8,seed={1:%d:1}'}\n", points)
	require.NoError(t, os.WriteFile("study.yaml", []byte(text), 0o644))
	return []string{"sweep", "study.yaml", "--engine", "slurm", "--poll", "200ms", "--out", "r.db", "--json"}
}

// workers returns the processes of workers in a study's folder.
func workers(t *testing.T, folder string) (list []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	abs, err := filepath.Abs(folder)
	require.NoError(t, err)
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(text, []byte(abs+"/weft-")) {
			continue // it has ended, or is another one
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		require.NoError(t, err)
		list = append(list, pid)
	}
	return list
}

// TestSlurmKilled runs a study on a real Slurm while workers are killed, tasks cancelled, the
// controller is killed and restarted, and the engine itself is killed. WEFT_KILLED=1000 makes it
// 1,000 points.
func TestSlurmKilled(t *testing.T) {
	points, kills := 60, 6
	if text := os.Getenv("WEFT_KILLED"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		points, kills = n, 40
	}
	slurm := cluster(t, "MAX_ARRAY_SIZE=4") // several arrays
	t.Chdir(t.TempDir())
	line := append(slurmStudy(t, points), "--tasks", "10", "--retries", "10")
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	did := map[string]int{}
	p := newProcess(t, line...)
	require.NoError(t, p.Start())
	ended := make(chan int, 1)
	wait := func(p *process) { ended <- p.ended(t) }
	go wait(p)
	code, pause := -1, 10*time.Millisecond
	for code == -1 {
		select {
		case code = <-ended:
			continue
		case <-time.After(pause):
		}
		pause = 10 * time.Millisecond // a worker may live for less than the pause after a kill
		if did["all"] == kills || len(workers(t, "r.db.slurm")) == 0 {
			continue
		}
		pause = time.Duration(300+random.IntN(700)) * time.Millisecond
		kind := []string{"worker", "scancel", "worker", "controller", "engine"}[(did["worker"]+did["scancel"]+did["controller"]+did["engine"])%5]
		did["all"]++
		switch kind {
		case "worker":
			if list := workers(t, "r.db.slurm"); len(list) > 0 {
				_ = syscall.Kill(list[random.IntN(len(list))], syscall.SIGKILL) // it may have ended just now
				did[kind]++
			} else {
				did["all"]--
			}
		case "scancel":
			out, err := exec.CommandContext(t.Context(), "squeue", "--noheader", "--array", "--states=RUNNING,PENDING", "--format=%i").Output()
			require.NoError(t, err)
			if jobs := strings.Fields(string(out)); len(jobs) > 0 {
				_ = exec.CommandContext(t.Context(), "scancel", jobs[random.IntN(len(jobs))]).Run() // as above
				did[kind]++
			} else {
				did["all"]--
			}
		case "controller":
			did[kind]++
			slurm("restart")
		case "engine":
			did[kind]++
			require.NoError(t, p.Process.Kill())
			require.Equal(t, -1, <-ended)
			p = newProcess(t, line...)
			require.NoError(t, p.Start())
			go wait(p)
		}
	}
	t.Logf("did %v", did)
	require.Equal(t, exitRight, code, "%s%s", p.out.String(), p.err.String())
	whole(t, "r.db", points)
	assert.NoDirExists(t, "r.db.slurm")
	assert.Positive(t, did["all"])
	if did["all"] < kills {
		return // the study ended before: a quick machine
	}
	for _, kind := range []string{"worker", "scancel", "controller", "engine"} {
		assert.Positive(t, did[kind], kind)
	}
}

// TestSlurmFullDisk gives the workers a disk that is too small, and then space.
func TestSlurmFullDisk(t *testing.T) {
	cluster(t)
	t.Chdir(t.TempDir())
	line := append(slurmStudy(t, 12), "--tasks", "1", "--retries", "1")
	shards, err := filepath.Abs("r.db.slurm/shards")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(shards, 0o777))
	require.NoError(t, os.WriteFile("r.db.slurm/lock", nil, 0o666)) // as an earlier sweep leaves the folder
	require.NoError(t, syscall.Mount("tmpfs", shards, "tmpfs", 0, "size=40k"))
	mounted := true
	t.Cleanup(func() {
		if mounted {
			require.NoError(t, syscall.Unmount(shards, 0))
		}
	})
	_, stderr, code := command(t, line...)
	require.Equal(t, exitWrong, code)
	require.Contains(t, stderr, "runs have no result: the tasks that should run them ended without one, the last with FAILED, exit code 1; ")
	require.Contains(t, stderr, "disk is full")
	few := dates(t, "r.db")
	require.Less(t, len(few), 12)
	require.NoError(t, syscall.Unmount(shards, 0))
	mounted = false
	stdout, stderr, code := command(t, line...)
	require.Equal(t, exitRight, code, stderr)
	require.Contains(t, stdout, `"points": 12`)
	all := dates(t, "r.db")
	for point, date := range few {
		require.Equal(t, date, all[point])
	}
	whole(t, "r.db", 12)
}

// TestSlurmCancel leaves jobs running, follows them again, and cancels them.
func TestSlurmCancel(t *testing.T) {
	cluster(t)
	t.Chdir(t.TempDir())
	line := append(slurmStudy(t, 1500), "--tasks", "4", "--max-tasks", "3", "--sbatch-option", "--comment=hello")
	for range 2 {
		p := newProcess(t, line...)
		require.NoError(t, p.Start())
		for len(workers(t, "r.db.slurm")) == 0 {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(700 * time.Millisecond) // the second process finds workers before it listens to signals
		require.NoError(t, p.Process.Signal(syscall.SIGINT))
		require.Equal(t, exitInterrupt, p.ended(t), "%s%s", p.out.String(), p.err.String())
	}
	out, err := exec.CommandContext(t.Context(), "squeue", "--noheader", "--array").Output()
	require.NoError(t, err)
	require.Len(t, strings.Split(strings.TrimSpace(string(out)), "\n"), 3, "%s", out)
	stdout, stderr, code := command(t, append(line, "--cancel")...)
	require.Equal(t, exitRight, code, stderr)
	require.Contains(t, stdout, `"cancelled": 3`)
	require.Empty(t, workers(t, "r.db.slurm"))
	assert.NoDirExists(t, "r.db.slurm")
	whole(t, "r.db", len(dates(t, "r.db")))
}
