package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/graph"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/printable"
	"github.com/weft-gpu/weft/internal/service/graphs"
	"github.com/weft-gpu/weft/internal/service/option"
)

func (a *app) graphCommand() *cobra.Command {
	var f graphs.Named
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "graph FILE|GENERATOR|demo",
		Short: "Print facts about a graph, and what the reader changed",
		Long: `Reads or generates a graph and prints its facts: size, degrees, components,
diameter, and what the reader changed.

Formats, detected by content and name; each file may also be gzipped:
  ` + strings.Join(graph.Formats(), "\n  ") + `

Generators:
` + generatorHelp() + `
"demo" is the ` + graph.DemoNotice + `.`,
		Example: `  weft graph demo
  weft graph roads.gr.gz --json
  weft graph rmat:scale=16,degree=16,seed=1 --symmetrize`,
		Args: between("FILE, GENERATOR or demo", 1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Spec = args[0]
			if err := f.Check(); err != nil {
				return err
			}
			g, notes, err := f.Load(cmd.Context(), a.stderr)
			if err != nil {
				return err
			}
			known, err := g.Facts(cmd.Context())
			if err != nil {
				return err
			}
			facts := graphFacts{Facts: graphs.Facts{Facts: known, Notes: notes}}
			if facts.Shape, err = g.Shape(cmd.Context()); err != nil {
				return err
			}
			if asJSON {
				return format.JSON(a.stdout, facts)
			}
			a.printFacts(facts)
			return nil
		},
	}
	registerGraph(cmd, &f)
	flag(cmd, &asJSON, option.JSON)
	return cmd
}

// registerGraph adds the flags for loading a graph.
func registerGraph(cmd *cobra.Command, g *graphs.Named) {
	flag(cmd, &g.Symmetrize, option.Symmetrize)
	flag(cmd, &g.DropIsolated, option.DropIsolated)
	flag(cmd, &g.Permute, option.Permute)
	flag(cmd, &g.Power, option.Power)
	flag(cmd, &g.Format, option.GraphFormat)
	flag(cmd, &g.Weights, option.Weights)
}

// generatorHelp lists the generators, with each key on its own line.
func generatorHelp() string {
	var s strings.Builder
	for _, g := range graph.Generators() {
		head, keys, _ := strings.Cut(g, "; keys: ")
		fmt.Fprintf(&s, "  %s\n", head)
		for _, k := range strings.SplitAfter(keys, "), ") {
			fmt.Fprintf(&s, "      %s\n", strings.TrimSuffix(k, ", "))
		}
	}
	return s.String()
}

// graphFacts is what `weft graph --json` prints.
type graphFacts struct {
	graphs.Facts
	// Shape has the facts by which --scheduler auto chooses.
	Shape graph.Shape `json:"shape"`
}

func (a *app) printFacts(f graphFacts) {
	weights := "none"
	if f.Weighted {
		weights = fmt.Sprintf("%s to %s", format.Thousands(f.MinWeight), format.Thousands(f.MaxWeight))
	}
	kind := "directed"
	if f.Symmetric {
		kind = "symmetric"
	}
	rows := [][]string{
		{"graph", f.Name},
		{"vertices", format.Thousands(f.Vertices)},
		{"arcs", format.Thousands(f.Arcs) + ", " + kind},
		{"weights", weights},
		{"degree", fmt.Sprintf("min %s, median %s, mean %s, 99%% %s, max %s (vertex %d), max in %s",
			format.Thousands(f.MinDegree), format.Thousands(f.MedianDegree), strconv.FormatFloat(f.MeanDegree, 'f', 2, 64),
			format.Thousands(f.P99Degree), format.Thousands(f.MaxDegree), f.MaxDegreeVertex, format.Thousands(f.MaxInDegree))},
		{"vertices without arc", fmt.Sprintf("%s (%s without outgoing arc)", format.Thousands(f.Isolated), format.Thousands(f.Sinks))},
		{"components", fmt.Sprintf("%s, the largest of %s vertices", format.Thousands(f.Components), format.Thousands(f.LargestComponent))},
		{"diameter", "at least " + format.Thousands(f.Diameter)},
		{"shape", "degree variation " + strconv.FormatFloat(f.Shape.DegreeVariation, 'f', 2, 64) + "; " + levels(f.Shape)},
	}
	if f.SelfLoops > 0 {
		rows = append(rows, []string{"self loops", format.Thousands(f.SelfLoops)})
	}
	format.Table(a.stdout, "", "ll", rows)
	a.printNotes(f.Notes)
	fmt.Fprintln(a.stdout, "\nvertices by degree")
	var hist [][]string
	for i, n := range f.DegreeHistogram {
		if n == 0 {
			continue
		}
		of := "0"
		if i > 0 {
			lo, hi := uint64(1)<<(i-1), uint64(1)<<i-1
			of = format.Thousands(lo)
			if hi > lo {
				of += " to " + format.Thousands(hi)
			}
		}
		hist = append(hist, []string{of, format.Thousands(n), strings.Repeat("#", bar(n, f.Vertices))})
	}
	format.Table(a.stdout, "  ", "rrl", hist)
}

// levels describes the levels of the searches of a shape.
func levels(s graph.Shape) string {
	text := fmt.Sprintf("%s levels, %s vertices each from the largest degree", format.Thousands(s.Levels), format.Digits(s.LevelSize))
	if s.Cut {
		text += ", as far as was searched"
	}
	return text
}

// bar returns the length of a bar for n of all, at least 1 if n is.
func bar(n, all uint64) int { return int((n*40 + all - 1) / all) }

// printNotes prints the loader's notes about a graph, one per line.
func (a *app) printNotes(notes graph.Notes) {
	for _, n := range notes {
		fmt.Fprintf(a.stdout, "  note: %s\n", printable.Line(n.String()))
	}
}
