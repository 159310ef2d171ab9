// Command fresh runs the differential tests on newly generated kernels in place
// of the committed ones: as plain Go, on the functional device with and without
// optimisation, and on simulated machines.
//
//	go run ./internal/difftest/fresh -n 200
//
// These report a kernel that ends as a hang if they are wrong about hangs: every
// kernel ends, or deadlocks at barriers of different kinds on purpose.
//
// A kernel that fails is named by its seed (K1234); -from 1234 -n 1 runs it
// again. The command changes no file of the project.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/weft-gpu/weft/internal/difftest/generate"
)

func main() {
	from := flag.Uint64("from", uint64(time.Now().Unix()), "first seed (default: the time, so that each run has new kernels)")
	n := flag.Int("n", 100, "kernels")
	flag.Parse()
	if err := run(*from, *n); err != nil {
		fmt.Fprintln(os.Stderr, "fresh:", err)
		os.Exit(1)
	}
}

// atOnce is the largest number of kernels that are compiled together.
const atOnce = 500

func run(from uint64, n int) error {
	for ; n > atOnce; n -= atOnce {
		if err := group(from, atOnce); err != nil {
			return err
		}
		from += atOnce
	}
	return group(from, n)
}

// group tests the kernels of n seeds, from the first one on.
func group(from uint64, n int) error {
	var seeds []uint64
	for i := range n {
		seeds = append(seeds, from+uint64(i))
	}
	dir, err := os.MkdirTemp("", "weft-fresh")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := Overlay(filepath.Join("internal", "difftest", "corpus"), dir, seeds)
	if err != nil {
		return err
	}
	fmt.Printf("seeds %d to %d\n", from, from+uint64(n)-1)
	cmd := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-run", "TestCorpusAgrees|TestNativeIsDeterministic", "./internal/difftest")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// Overlay writes an overlay for go test to dir. It replaces the kernels in the
// folder corpus by the kernels of seeds.
func Overlay(corpus, dir string, seeds []uint64) (path string, err error) {
	corpus, err = filepath.Abs(corpus)
	if err != nil {
		return "", err
	}
	old, err := filepath.Glob(filepath.Join(corpus, "kernels*.go"))
	if err != nil || len(old) == 0 {
		return "", fmt.Errorf("no kernels in %s: run this in the root of the project (%v)", corpus, err)
	}
	files, err := generate.Corpus(seeds)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, f := range old {
		replace[f] = "" // the overlay hides it
	}
	for _, f := range files {
		at := filepath.Join(dir, f.Name)
		if err := os.WriteFile(at, []byte(f.Text), 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(corpus, f.Name)] = at
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}
