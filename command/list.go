package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/core/counter"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/launch"
	"github.com/weft-gpu/weft/internal/service/option"
	"github.com/weft-gpu/weft/scheduler"
)

// listing is one topic of `weft list`.
type listing struct {
	name, what string
	list       func(asJSON bool) error
	// one lists a single item; nil if there is no such list. yaml prints a
	// machine as a file.
	one func(of string, asJSON, yaml bool) error
}

// listings returns the topics. records is the folder of records for those that read some.
func (a *app) listings(records *string) []listing {
	return []listing{
		{"algorithms", "algorithms that can be run, with their parameters", a.listAlgorithms, nil},
		{"schedulers", "ways to distribute work over threads, with their parameters", a.listSchedulers, nil},
		{"auto", "the rule of --scheduler auto, and how far its choices are from the best recorded times",
			func(asJSON bool) error { return a.listAuto(*records, asJSON) }, nil},
		{"kernels", "entry points for weft ir, ptx and launch", a.listKernels, nil},
		{"devices", "values of --device", a.listDevices, nil},
		{"counters", "counters of the devices, with unit and meaning", a.listCounters, nil},
		{"parameters", "parameters for --set, with unit, meaning and the values of the presets; for one machine, group or parameter also the sources",
			func(asJSON bool) error { return a.listParameters("", asJSON, false) }, a.listParameters},
	}
}

// yamlHint says what to write instead.
const yamlHint = "such as \"weft list parameters h200 --yaml\""

func (a *app) listCommand() *cobra.Command {
	var asJSON, yaml bool
	var records string
	topics := a.listings(&records)
	var names []string
	var help strings.Builder
	for _, t := range topics {
		names = append(names, t.name)
		fmt.Fprintf(&help, "  %-11s %s\n", t.name, t.what)
	}
	cmd := &cobra.Command{
		Use:       "list [" + strings.Join(names, "|") + " [MACHINE|GROUP|PARAMETER]]",
		Short:     "List algorithms, schedulers, the rule of auto, kernels, devices, counters or parameters",
		Long:      "Lists everything of one kind; without a kind, algorithms, schedulers and devices.\n\n" + strings.TrimRight(help.String(), "\n"),
		Example:   "  weft list\n  weft list parameters\n  weft list parameters k40\n  weft list parameters h200 --yaml > my.yaml\n  weft list parameters ./my.yaml\n  weft list parameters l1.latency\n  weft list counters --json",
		ValidArgs: names,
		Args:      between("kind", 0, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			if records != "" && (len(args) == 0 || args[0] != "auto") {
				return usage.Errorf("such as \"weft list auto --record recorded\"", "--record goes with weft list auto only")
			}
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
				return usage.Errorf("", "--yaml and --json exclude each other")
			case yaml && (len(args) == 1 || topics[i].one == nil):
				return usage.Errorf(yamlHint, "--yaml goes with the parameters of one machine only")
			case len(args) == 1:
				return topics[i].list(asJSON)
			case topics[i].one == nil:
				return usage.Errorf("", "weft list %s takes no argument, got %q", args[0], args[1])
			}
			return topics[i].one(args[1], asJSON, yaml)
		},
	}
	flag(cmd, &asJSON, option.JSON)
	flag(cmd, &yaml, option.YAML)
	flag(cmd, &records, option.Records)
	return cmd
}

// listOverview prints the short lists and names the others.
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
	fmt.Fprintln(a.stdout, "Also: weft list auto, kernels, counters, parameters.")
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
	Algorithms []string             `json:"algorithms"` // those of ours that it accepts
	Parameters []schemeParamJSON    `json:"parameters,omitempty"`
	Quantities []scheduler.Quantity `json:"quantities,omitempty"` // the numbers that it reports for its launches
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
	auto := schedulerJSON{Name: choice.Name, What: choice.Doc}
	for _, alg := range catalog.Algorithms() {
		auto.Algorithms = append(auto.Algorithms, alg.Name)
	}
	list := []schedulerJSON{auto}
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
	slices.SortStableFunc(list, func(a, b schedulerJSON) int { return strings.Compare(a.Name, b.Name) })
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

func (a *app) listKernels(asJSON bool) error {
	names, err := launch.Names()
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

// counterJSON is one counter in `weft list counters --json`.
type counterJSON struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	What string `json:"what"`
	Func bool   `json:"func"` // counted by the functional device
	Sim  bool   `json:"sim"`  // counted by the simulator
	Own  bool   `json:"own"`  // Nsight Compute has no counter of that name
}

// counters returns the counters of the devices, those of the simulator first.
func counters() ([]counterJSON, error) {
	var list []counterJSON
	at := map[string]int{}
	for _, name := range []string{devices.Default, devices.Func} {
		spec, err := devices.New(name, devices.Options{Seed: 1})
		if err != nil {
			return nil, err
		}
		dev, err := spec.Open(context.Background(), devices.Watch{})
		if err != nil {
			return nil, err
		}
		for _, c := range dev.Total().Counters {
			i, known := at[c.Name]
			if !known {
				i = len(list)
				at[c.Name] = i
				list = append(list, counterJSON{Name: c.Name, Unit: c.Unit, What: c.Desc, Own: counter.Own(c.Name)})
			}
			list[i].Func = list[i].Func || name == devices.Func
			list[i].Sim = list[i].Sim || name != devices.Func
		}
		if err := dev.Close(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (a *app) listCounters(asJSON bool) error {
	list, err := counters()
	if err != nil {
		return err
	}
	if asJSON {
		return format.JSON(a.stdout, list)
	}
	rows := [][]string{{"counter", "unit", "device", "name of", "meaning"}}
	for _, c := range list {
		on := "both"
		switch {
		case !c.Func:
			on = "sim"
		case !c.Sim:
			on = "func"
		}
		of := "Nsight"
		if c.Own {
			of = "ours"
		}
		rows = append(rows, []string{c.Name, c.Unit, on, of, c.What})
	}
	format.Table(a.stdout, "", "lllll", rows)
	fmt.Fprintln(a.stdout, `
Names are those of Nsight Compute where it counts the same thing; those of ours
stand for what it does not count. Of the units in a name sm is an SM, smsp one of
its sub-cores, l1tex its L1, lts a slice of the L2. .sum is over all units, .avg
that by their number, .avg.per_cycle_active by their active cycles. func counts
operations of the Program, sim machine instructions (issue.lowering).`)
	return nil
}

func (a *app) listDevices(asJSON bool) error {
	if asJSON {
		return format.JSON(a.stdout, devices.List())
	}
	var rows [][]string
	for _, d := range devices.List() {
		rows = append(rows, []string{d.Name, d.What})
		if d.Note != "" {
			rows = append(rows, []string{"", "note: " + d.Note})
		}
	}
	format.Table(a.stdout, "  ", "ll", rows)
	for _, line := range devices.More() {
		fmt.Fprintf(a.stdout, "  %s\n", line)
	}
	return nil
}
