// Command second runs programs on MGPUSim's R9 Nano and on a simulated machine of Weft's of the same size, and prints the
// simulated times of their kernels. Answers must be the same bit by bit.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/experiments/second/amd"
	"github.com/weft-gpu/weft/experiments/second/trend"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "second:", err)
		os.Exit(1)
	}
}

// sameSize makes the preset p100 a machine of the size of an R9 Nano as MGPUSim has it: 64 compute units at 1 GHz, with 2 MiB
// of L2.
var sameSize = []string{"sm.count=64", "clock.sm=1000", "clock.l2=1000", "l2.bytes=2097152"}

// run parses the command line and prints the table.
func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("second", flag.ContinueOnError)
	sizes := f.String("sizes", "256,1024,4096", "numbers of vertices or points")
	only := f.String("program", "", "one program")
	if err := f.Parse(args); err != nil {
		return err
	}
	fmt.Fprintf(out, "%-14s %8s %9s %14s %12s %7s\n", "program", "size", "launches", "mgpusim us", "weft us", "ratio")
	ran := 0
	for _, program := range trend.Programs {
		if *only != "" && program.Name != *only {
			continue
		}
		for _, size := range strings.Split(*sizes, ",") {
			n, err := strconv.Atoi(size)
			if err != nil || n < 16 {
				return fmt.Errorf("-sizes: %q is not a number of 16 or more", size)
			}
			if err := row(ctx, program, n, out); err != nil {
				return err
			}
			ran++
		}
	}
	if ran == 0 {
		return fmt.Errorf("-program: no program %q", *only)
	}
	return nil
}

// row runs a program of a size and prints its line.
func row(ctx context.Context, program trend.Program, n int, out io.Writer) error {
	cfg, err := config.Load("p100")
	if err != nil {
		return err
	}
	for _, set := range sameSize {
		path, value, _ := strings.Cut(set, "=")
		if err := cfg.Set(path, value); err != nil {
			return err
		}
	}
	ours, err := sim.New(cfg, sim.Options{Seed: 1})
	if err != nil {
		return err
	}
	defer ours.Close()
	theirs, err := amd.New()
	if err != nil {
		return err
	}
	defer theirs.Close()
	weft, peer := trend.New(ours), trend.New(theirs)
	want, err := program.Run(ctx, weft, n)
	if err != nil {
		return err
	}
	got, err := program.Run(ctx, peer, n)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("%s of size %d: the answers differ", program.Name, n)
	}
	fmt.Fprintf(out, "%-14s %8d %9d %14.1f %12.1f %7.1f\n", program.Name, n, peer.Launches, peer.Seconds*1e6, weft.Seconds*1e6, peer.Seconds/weft.Seconds)
	return nil
}
