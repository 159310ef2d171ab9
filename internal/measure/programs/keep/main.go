// Keep prints what results/cuda keeps of the runs of CUDA programs: go run ./internal/measure/programs/keep TIMES.jsonl.
package main

import (
	"fmt"
	"os"

	"github.com/weft-gpu/weft/internal/measure/programs"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: keep TIMES.jsonl")
		os.Exit(2)
	}
	runs, err := programs.Read(os.Args[1])
	if err == nil {
		err = programs.Write(os.Stdout, runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
