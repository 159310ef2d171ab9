// Command weft runs graph algorithms written in Go on simulated GPUs, checks
// the answer, and says what the machine did.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/weft-gpu/weft/hw"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes one command line and returns the exit code. An interrupt ends
// what is running with what is known so far; a second one kills the process.
func run(args []string, stdout, stderr io.Writer) int {
	hw.MaybeChild() // the process that holds a GPU's context is this program, too
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return runContext(ctx, args, stdout, stderr)
}
