package command

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/internal/base/memory"
	"github.com/weft-gpu/weft/internal/base/outfile"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/startup"
)

// Main executes the command line of this process and ends the process with the
// exit code; "weft --help" lists the exit codes. The schemes and algorithms of more
// are available in addition to those that come with Weft. A program with its own
// schemes, algorithms and policies of the simulated machine, which register
// themselves (package sim/policy), is
//
//	func main() {
//		command.Main(weft.Extensions{
//			Schemes:    []func() scheduler.Scheme{myscheme.New},
//			Algorithms: []func() scheduler.Host{myalgorithm.New},
//		})
//	}
func Main(more ...weft.Extensions) {
	for _, x := range more {
		if err := weft.Extend(x); err != nil {
			printError(os.Stderr, err)
			os.Exit(exitCode(err))
		}
	}
	memory.Floor(128 << 20)
	os.Exit(Run(os.Args[1:], os.Stdout, os.Stderr))
}

// Run executes one command line, without the name of the program, and returns
// the exit code.
func Run(args []string, stdout, stderr io.Writer) int {
	// Errors that recover cannot catch (out of memory) must end with SIGABRT
	// and not with Go's exit code 2, which here means an invalid command line.
	debug.SetTraceback("crash")
	if startup.StdoutClosed() {
		stdout = closedOutput{}
	}
	ctx, stop := signals.Context(context.Background(), outfile.Abandon)
	defer stop()
	return runContext(ctx, args, stdout, stderr)
}
