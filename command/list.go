package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/experiments/catalog"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/usage"
	"github.com/weft-gpu/weft/scheduler"
)

// listing is one topic of `weft list`.
type listing struct {
	name, what string
	list       func(asJSON bool) error
	// one lists one thing in it; nil where there is no such list. yaml prints a machine
	// as a file.
	one func(of string, asJSON, yaml bool) error
}

func (a *app) listings() []listing {
	return []listing{
		{"algorithms", "what can be run, with parameters", a.listAlgorithms, nil},
		{"schedulers", "how work is distributed over threads, with parameters", a.listSchedulers, nil},
		{"kernels", "entry points that weft ir prints", a.listKernels, nil},
		{"devices", "what --device takes", a.listDevices, nil},
		{"counters", "what devices count, with unit and meaning", a.listCounters, nil},
		{"parameters", "what --set takes, with unit, meaning and the presets' values; of one machine, group or parameter also the sources",
			func(asJSON bool) error { return a.listParameters("", asJSON, false) }, a.listParameters},
	}
}

// yamlHint is what to write instead.
const yamlHint = "such as \"weft list parameters h200 --yaml\""

func (a *app) listCommand() *cobra.Command {
	var asJSON, yaml bool
	topics := a.listings()
	var names []string
	var help strings.Builder
	for _, t := range topics {
		names = append(names, t.name)
		fmt.Fprintf(&help, "  %-11s %s\n", t.name, t.what)
	}
	cmd := &cobra.Command{
		Use:       "list [" + strings.Join(names, "|") + " [MACHINE|GROUP|PARAMETER]]",
		Short:     "What there is: algorithms, schedulers, kernels, devices, counters, parameters",
		Long:      "Lists what there is of a kind; without one, algorithms, schedulers and devices.\n\n" + strings.TrimRight(help.String(), "\n"),
		Example:   "  weft list\n  weft list parameters\n  weft list parameters k40\n  weft list parameters h200 --yaml > my.yaml\n  weft list parameters ./my.yaml\n  weft list parameters l1.latency\n  weft list counters --json",
		ValidArgs: names,
		Args:      between("kind", 0, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				if yaml {
					return usage.Errorf(yamlHint, "--yaml goes with the parameters of one machine only")
				}
				if asJSON {
					return usage.Errorf("such as \"weft list devices --json\"", "weft list --json needs a kind")
				}
				return a.listOverview(topics)
			}
			i := slices.IndexFunc(topics, func(t listing) bool { return t.name == args[0] })
			if i < 0 {
				return usage.Unknown("kind", args[0], names, "weft list --help")
			}
			switch {
			case yaml && asJSON:
				return usage.Errorf("", "--yaml and --json are two forms of one list")
			case yaml && (len(args) == 1 || topics[i].one == nil):
				return usage.Errorf(yamlHint, "--yaml goes with the parameters of one machine only")
			case len(args) == 1:
				return topics[i].list(asJSON)
			case topics[i].one == nil:
				return usage.Errorf("", "weft list %s takes nothing more, got %q", args[0], args[1])
			}
			return topics[i].one(args[1], asJSON, yaml)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&yaml, "yaml", false, "with the parameters of one machine: print it as a file that --device takes")
	return cmd
}

// listOverview prints the short lists and says what else there is.
func (a *app) listOverview(topics []listing) error {
	for _, t := range topics {
		switch t.name {
		case "algorithms", "schedulers", "devices":
			fmt.Fprintf(a.stdout, "%s\n", t.name)
			if err := t.list(false); err != nil {
				return err
			}
			fmt.Fprintln(a.stdout)
		}
	}
	fmt.Fprintln(a.stdout, "Also: weft list kernels, counters, parameters.")
	return nil
}

// algorithmJSON is one algorithm in `weft list algorithms --json`.
type algorithmJSON struct {
	Name       string            `json:"name"`
	What       string            `json:"what"`
	Type       string            `json:"type"`
	Value      string            `json:"value"`
	Schedulers []string          `json:"schedulers"`
	Parameters map[string]string `json:"parameters,omitempty"` // with their defaults
}

func (a *app) listAlgorithms(asJSON bool) error {
	var list []algorithmJSON
	for _, alg := range catalog.Algorithms() {
		params, err := catalog.Params(alg)
		if err != nil {
			return err
		}
		j := algorithmJSON{Name: alg.Name, What: alg.Doc, Type: alg.Type, Value: alg.Value, Parameters: params}
		for _, e := range catalog.Entries() {
			if e.Algorithm.Name == alg.Name {
				j.Schedulers = append(j.Schedulers, e.Scheduler.Name)
			}
		}
		list = append(list, j)
	}
	if asJSON {
		return format.JSON(a.stdout, list)
	}
	var rows [][]string
	for _, j := range list {
		what := j.What
		if len(j.Parameters) > 0 {
			what += "; --param " + format.Assignments(j.Parameters)
		}
		rows = append(rows, []string{j.Name, what})
	}
	rows = append(rows, []string{"./dir.Type", "a type of your own, in a directory of Go files"})
	format.Table(a.stdout, "  ", "ll", rows)
	return nil
}

// schedulerJSON is one scheme in `weft list schedulers --json`.
type schedulerJSON struct {
	Name       string               `json:"name"`
	What       string               `json:"what"`
	Algorithms []string             `json:"algorithms"` // of ours that it takes
	Parameters []schemeParamJSON    `json:"parameters,omitempty"`
	Quantities []scheduler.Quantity `json:"quantities,omitempty"` // what it reports of its launches
}

// schemeParamJSON is a parameter of a scheme.
type schemeParamJSON struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Unit    string `json:"unit,omitempty"`
	Range   string `json:"range"`
	Default string `json:"default"`
	What    string `json:"what"`
}

func (a *app) listSchedulers(asJSON bool) error {
	var list []schedulerJSON
	for _, s := range catalog.Schedulers() {
		j := schedulerJSON{Name: s.Name, What: s.Doc, Quantities: s.Quantities}
		for _, e := range catalog.Entries() {
			if e.Scheduler.Name == s.Name {
				j.Algorithms = append(j.Algorithms, e.Algorithm.Name)
			}
		}
		for _, p := range s.Params {
			j.Parameters = append(j.Parameters, schemeParamJSON{p.Name, string(p.Type), p.Unit, p.Range(), p.Default, p.Doc})
		}
		list = append(list, j)
	}
	if asJSON {
		return format.JSON(a.stdout, list)
	}
	var rows [][]string
	of := map[schemeParamJSON][]string{} // parameters that several schemes have are printed once
	var order []schemeParamJSON
	for _, j := range list {
		what := j.What
		if few := len(catalog.Algorithms()); len(j.Algorithms) < few {
			what += "; runs " + strings.Join(j.Algorithms, ", ")
		}
		rows = append(rows, []string{j.Name, what})
		for _, p := range j.Parameters {
			if of[p] == nil {
				order = append(order, p)
			}
			of[p] = append(of[p], j.Name)
		}
	}
	format.Table(a.stdout, "  ", "ll", rows)
	if len(order) == 0 {
		return nil
	}
	rows = [][]string{{"--param", "of", "value", "default", "unit", "meaning"}}
	for _, p := range order {
		rows = append(rows, []string{p.Name, strings.Join(of[p], ", "), p.Range, p.Default, p.Unit, p.What})
	}
	fmt.Fprintln(a.stdout)
	format.Table(a.stdout, "  ", "llllll", rows)
	return nil
}

// kernelPackages hold our entry points that no scheme launches.
var kernelPackages = []string{"kernels/litmus", "kernels/micro"}

func kernelNames() ([]string, error) {
	c, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range catalog.EntryPoints() {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	for _, p := range kernelPackages {
		entries, err := c.Entries(p)
		if err != nil {
			return nil, err
		}
		names = append(names, entries...)
	}
	return names, nil
}

func (a *app) listKernels(asJSON bool) error {
	names, err := kernelNames()
	if err != nil {
		return err
	}
	if asJSON {
		return format.JSON(a.stdout, names)
	}
	for _, n := range names {
		fmt.Fprintln(a.stdout, n)
	}
	return nil
}
