// Command weft runs graph algorithms written in Go on simulated GPUs, checks
// the answer, and says what the machine did.
package main

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/outfile"
	"github.com/weft-gpu/weft/internal/startup"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes one command line and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	hw.MaybeChild() // the process that holds a GPU's context is this program, too
	// What no recover can catch (no memory left) ends with SIGABRT and not with
	// Go's exit code 2, which means a mistake in the command line here.
	debug.SetTraceback("crash")
	if startup.StdoutClosed() {
		stdout = closedOutput{}
	}
	ctx, stop := withSignals(context.Background(), outfile.Abandon)
	defer stop()
	return runContext(ctx, args, stdout, stderr)
}
