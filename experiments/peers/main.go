// Command peers compares the speed of two simulators: it runs breadth-first search on one graph on Weft's simulated
// GPU and on MGPUSim's, with MGPUSim's own benchmark, one after the other on this machine, and prints how many warp
// (or wavefront) instructions each simulates per second of CPU time.
//
// It is a separate module so that Weft does not depend on MGPUSim.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/weft-gpu/weft/graph"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == childWord {
		child(os.Args[2:])
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// speed is the result of one simulator.
type speed struct {
	Simulator string
	Machine   string
	Kernel    string
	Insts     float64 // warp or wavefront instructions
	Seconds   float64 // CPU time
	Simulated float64 // simulated seconds of kernels
}

func (s speed) rate() float64 { return s.Insts / s.Seconds }

// run parses the command line and measures.
func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	spec := f.String("graph", "smallworld:n=4000,degree=8,rewire=0.1,seed=1", "graph file or generator; vertex 0 is the source")
	machine := f.String("machine", "h200", "Weft's machine")
	scheduler := f.String("scheduler", "warp", "Weft's scheduler")
	repeats := f.Int("repeat", 2, "runs of each; the fastest counts")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *repeats < 1 {
		return fmt.Errorf("-repeat: %d is not positive", *repeats)
	}
	g, _, err := graph.Open(ctx, *spec, graph.LoadOptions{})
	if err != nil {
		return err
	}
	weft, err := measureWeft(ctx, g, *machine, *scheduler, *repeats)
	if err != nil {
		return err
	}
	peer, err := measurePeer(ctx, g, *repeats)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "breadth-first search from vertex 0 of %s: %d vertices, %d arcs; fastest of %d\n\n", g.Name, g.Vertices(), g.Arcs(), *repeats)
	fmt.Fprintf(out, "%-14s %-8s %-22s %14s %9s %12s %12s\n", "simulator", "machine", "kernel", "instructions", "cpu s", "kinst/s", "simulated us")
	for _, s := range []speed{weft, peer} {
		fmt.Fprintf(out, "%-14s %-8s %-22s %14.0f %9.2f %12.1f %12.1f\n", s.Simulator, s.Machine, s.Kernel, s.Insts, s.Seconds, s.rate()/1e3, s.Simulated*1e6)
	}
	fmt.Fprintf(out, "\nratio %.1f\n", weft.rate()/peer.rate())
	return nil
}
