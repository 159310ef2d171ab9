package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/weft-gpu/weft/internal/testing/difftest/generate"
)

func main() {
	from := flag.Uint64("from", uint64(time.Now().Unix()), "first seed (default: the time, so that each run has new kernels)")
	n := flag.Int("n", 100, "kernels")
	corpus := flag.String("corpus", "", "write the kernels of every test run to this folder, and print their overlay")
	flag.Parse()
	if *corpus != "" {
		if err := printOverlay(*corpus); err != nil {
			fmt.Fprintln(os.Stderr, "fresh:", err)
			os.Exit(1)
		}
		return
	}
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
	overlay, err := generate.Overlay(".", dir, seeds)
	if err != nil {
		return err
	}
	fmt.Printf("seeds %d to %d\n", from, from+uint64(n)-1)
	cmd := exec.Command("go", "test", "-overlay", overlay, "-count=1", "-run", "TestCorpusAgrees|TestNativeIsDeterministic", "./internal/testing/difftest")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

func printOverlay(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	path, err := generate.Overlay(".", dir, generate.Seeds)
	if err == nil {
		fmt.Println(path)
	}
	return err
}
