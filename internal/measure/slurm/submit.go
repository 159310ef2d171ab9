package slurm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// divide distributes keys over at most n shares by the hash of their points, so that a point
// is in the same share whatever else is missing. Shares without points are left out.
func divide(keys []store.Key, n int) (list [][]store.Key) {
	n = min(n, len(keys))
	if n == 0 {
		return nil
	}
	all := make([][]store.Key, n)
	for _, k := range keys {
		i := hashOf(k) % uint64(n)
		all[i] = append(all[i], k)
	}
	for _, s := range all {
		if len(s) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// hashOf returns 64 bits of the hash of a point.
func hashOf(k store.Key) uint64 {
	h, err := strconv.ParseUint(k.Point[:min(16, len(k.Point))], 16, 64)
	if err != nil {
		panic("slurm: a point that is no hash: " + k.Point)
	}
	return h + uint64(k.Repeat)
}

// prepare copies the program, so that a build or the end of "go run" does not change or remove
// what the workers run, and writes the script of the arrays.
func (e *engine) prepare() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	program := e.path("weft-" + sweep.Version())
	if _, err := os.Stat(program); err != nil {
		if err := copyFile(program, exe, 0o755); err != nil {
			return fmt.Errorf("copying the program for the workers: %w", err)
		}
	}
	words := []string{quote(program)}
	for _, w := range e.o.Worker {
		words = append(words, quote(w))
	}
	script := "#!/bin/sh\n# A task of the arrays; its argument is the number of the share with index 0.\n" +
		"exec " + strings.Join(words, " ") + " " + quote(e.path("todo")+"/") + "\"$(($1 + SLURM_ARRAY_TASK_ID))\"\n"
	return writeFile(e.path("job.sh"), []byte(script), 0o755)
}

// quote writes a word as sh reads it.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// submit submits the shares that are queued, as far as MaxTasks allows.
func (e *engine) submit(ctx context.Context, have map[int]active) error {
	room := len(e.shares)
	if e.o.MaxTasks > 0 {
		room = e.o.MaxTasks - len(have)
	}
	byOffset := map[int][]int{}
	var offsets []int
	for _, n := range e.numbers() {
		s := e.shares[n]
		if _, runs := have[n]; runs || !s.queued || room <= 0 {
			continue
		}
		room--
		offset := n / e.array * e.array
		if byOffset[offset] == nil {
			offsets = append(offsets, offset)
		}
		byOffset[offset] = append(byOffset[offset], n-offset)
	}
	for _, offset := range offsets {
		if err := e.submitArray(ctx, offset, byOffset[offset]); err != nil {
			return err
		}
	}
	return nil
}

// submitArray submits shares as one array.
func (e *engine) submitArray(ctx context.Context, offset int, indices []int) error {
	for _, i := range indices {
		s := e.shares[offset+i]
		t := todo{Share: offset + i}
		for _, k := range s.keys {
			if e.pending[k] {
				t.Keys, t.Points = append(t.Keys, k), append(t.Points, e.points[k])
			}
		}
		slices.Sort(t.Points)
		t.Points = slices.Compact(t.Points)
		text, err := json.Marshal(t)
		if err != nil {
			return err
		}
		if err := writeFile(e.path("todo", strconv.Itoa(t.Share)), text, 0o666); err != nil {
			return err
		}
	}
	job, err := e.cluster.submit(ctx, e.arguments(offset, indices))
	if err != nil {
		return err
	}
	for _, i := range indices {
		s := e.shares[offset+i]
		s.queued, s.left, s.id = false, e.left(s.keys), job+"_"+strconv.Itoa(i)
	}
	return nil
}

// arguments returns the arguments of sbatch.
func (e *engine) arguments(offset int, indices []int) []string {
	// A share that lost its node is submitted again by the engine, and not by Slurm as well.
	args := []string{"--job-name=" + e.name + "-" + strconv.Itoa(offset), "--array=" + ranges(indices), "--no-requeue",
		"--output=" + e.path("log", "%A_%a.txt"), "--open-mode=append", "--cpus-per-task=" + strconv.Itoa(e.o.Jobs)}
	for _, x := range [][2]string{{"partition", e.o.Partition}, {"time", e.o.Time}, {"mem", e.o.Memory}} {
		if x[1] != "" {
			args = append(args, "--"+x[0]+"="+x[1])
		}
	}
	args = append(args, e.o.Extra...)
	return append(args, e.path("job.sh"), strconv.Itoa(offset))
}
