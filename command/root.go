package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/calibrate"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/base/usage"
)

// app is one invocation of the command.
type app struct {
	args           []string // the command line, without the program's name
	stdout, stderr io.Writer
	out            *sink          // the innermost writer of stdout
	rawErr         io.Writer      // the innermost writer of stderr
	calibrate      func() float64 // returns the rate of the calibration loop
}

// runContext is like Run, with a context that can end it early.
func runContext(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	a := &app{args: args, stdout: stdout, stderr: stderr, calibrate: calibrate.Run}
	return a.execute(ctx)
}

// execute runs the command line, reports its error and returns the exit code.
func (a *app) execute(ctx context.Context) int {
	a.out, a.rawErr = &sink{w: a.stdout}, a.stderr
	// Names and texts from outside reach the terminal only through these.
	a.stdout, a.stderr = printable.NewWriter(a.out), printable.NewWriter(a.stderr)
	err := a.out.outcome(ctx, a.command(ctx))
	var program *programError
	if err != nil && !errors.As(err, &program) { // which has said what it had to say
		printError(a.stderr, err)
	}
	return exitCode(err)
}

// command runs the command line. It turns a panic into an error, so that the
// cleanup at the end of the command still happens.
func (a *app) command(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &crashError{r, debug.Stack()}
		}
	}()
	root := a.root()
	root.SetArgs(append([]string{}, a.args...)) // not nil, for which cobra takes those of the process
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return root.ExecuteContext(ctx)
}

// root returns the tree of commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "weft",
		Short: "Run GPU algorithms written in Go on a cycle-level simulator",
		Long: `Weft runs graph algorithms that are written as GPU kernels in Go, on a functional
executor, on a cycle-level simulator of a GPU and on real GPUs. It checks the answer
against the CPU and shows what the machine did.

Exit codes of all commands:
` + exitHelp(),
		Example: `  weft run bfs                                   # the demo graph on a simulated H200
  weft run sssp --graph roads.gr.gz --device sim:v100 --counters
  weft annotate bfs --scheduler thread           # where it spends its time, by source line
  weft list algorithms`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usage.Unknown("command", args[0], commandNames(cmd), "weft --help")
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	for i, g := range a.tasks() {
		id := strconv.Itoa(i)
		root.AddGroup(&cobra.Group{ID: id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = id
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.versionCommand())
	root.SetHelpCommand(a.helpCommand(root))
	completeArguments(root)
	checkAllFlags(root)
	return root
}

// task is what a user wants to do, with the commands for it.
type task struct {
	title    string
	commands []*cobra.Command
}

// tasks returns all commands, by what they are for.
func (a *app) tasks() []task {
	return []task{
		{"Write kernels and algorithms:", []*cobra.Command{a.listCommand(), a.irCommand(), a.ptxCommand()}},
		{"Run them:", []*cobra.Command{a.runCommand(), a.launchCommand(), a.cudaCommand(), a.graphCommand()}},
		{"Explain where the time goes:", []*cobra.Command{a.annotateCommand()}},
		{"Hangs and races (also weft run and weft launch, with --race and --explore):", []*cobra.Command{a.hangCommand(), a.progressCommand(), a.litmusCommand()}},
		{"Measure a device, and compare devices:", []*cobra.Command{a.microCommand(), a.compareCommand(), a.recordCommand(), a.calibrateCommand(), a.benchCommand()}},
		{"Study many runs:", []*cobra.Command{a.sweepCommand(), a.resultsCommand(), a.plotCommand(), a.reportCommand()}},
	}
}

// helpCommand returns cobra's help command, except that an unknown topic is an
// error.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			of := root
			for _, name := range args { // "help bench sim"
				i := slices.IndexFunc(of.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
				if i < 0 {
					return usage.Unknown("command", name, commandNames(of), "weft --help")
				}
				of = of.Commands()[i]
			}
			return of.Help()
		},
	}
}

func commandNames(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// between requires lo to hi positional arguments; what names them in messages.
func between(what string, lo, hi int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := fmt.Sprintf("usage: %s", cmd.UseLine())
		switch {
		case len(args) < lo:
			return usage.Errorf(hint, "%s needs %s", cmd.CommandPath(), what)
		case len(args) > hi && hi == 0:
			return usage.Errorf(hint, "%s takes no argument, got %q", cmd.CommandPath(), args[0])
		case len(args) > hi:
			return usage.Errorf(hint, "%s takes one %s, got also %q", cmd.CommandPath(), what, args[hi])
		}
		return nil
	}
}
