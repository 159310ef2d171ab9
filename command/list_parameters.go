package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/sim/config"
)

// parametersJSON is what `weft list parameters --json` prints.
type parametersJSON struct {
	Machines   []machineJSON   `json:"machines"`
	Parameters []parameterJSON `json:"parameters"`
}

// machineJSON is one machine in parametersJSON.
type machineJSON struct {
	Name  string `json:"name"` // the name of a preset, or of a file
	Title string `json:"title"`
	Hash  string `json:"hash"` // hash of all its parameters; the machine_hash of its runs
}

// parameterJSON is one parameter in parametersJSON.
type parameterJSON struct {
	Name   string                    `json:"name"`
	Unit   string                    `json:"unit"`
	Range  string                    `json:"range"`
	What   string                    `json:"what"`
	Values map[string]parameterValue `json:"values"` // by machine
}

type parameterValue struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// listParameters prints every parameter with the presets' values or, for one
// machine, one parameter or one group, also the source of each value.
func (a *app) listParameters(of string, asJSON, yaml bool) error {
	if name := devices.Machine(of); devices.IsMachine(name) {
		return a.listMachine(name, asJSON, yaml)
	}
	params := config.Parameters()
	if of != "" {
		params = slices.DeleteFunc(params, func(p config.Parameter) bool {
			return p.Path != of && !strings.HasPrefix(p.Path, of+".")
		})
		if len(params) == 0 {
			return unknownParameter(of)
		}
	}
	switch {
	case yaml:
		return usage.Errorf(yamlHint, "--yaml goes with the parameters of one machine only")
	case asJSON:
		var presets []*config.GPU
		for _, name := range config.Presets() {
			g, err := config.Load(name)
			if err != nil {
				return err
			}
			presets = append(presets, g)
		}
		return format.JSON(a.stdout, asParametersJSON(params, presets...))
	case of != "":
		a.printParameters(params, config.Presets())
	default:
		a.printAllParameters(params, config.Presets())
	}
	return nil
}

// listMachine prints all parameters of one machine and the sources of their
// values.
func (a *app) listMachine(name string, asJSON, yaml bool) error {
	g, err := config.Load(name)
	switch {
	case err != nil:
		return err
	case yaml:
		return g.WriteYAML(a.stdout)
	case asJSON:
		return format.JSON(a.stdout, asParametersJSON(g.Parameters(), g))
	}
	fmt.Fprintf(a.stdout, "%s: %s\nhash %s\n\n", name, g.Title, g.Hash())
	rows := [][]string{{"parameter", "value", "unit", "source"}}
	for _, p := range g.Parameters() {
		v := p.Values[name]
		rows = append(rows, []string{p.Path, v.Value, p.Unit, v.Origin()})
	}
	format.Table(a.stdout, "", "lrll", rows)
	return nil
}

// unknownParameter returns the usage error for a name that is neither a machine
// nor a parameter.
func unknownParameter(name string) error {
	var near []string
	for _, p := range config.Nearest(name, 3) {
		near = append(near, p.Path)
	}
	groups := "l1, dram"
	if g, _, ok := strings.Cut(name, "."); ok && slices.ContainsFunc(config.Parameters(), func(p config.Parameter) bool { return strings.HasPrefix(p.Path, g+".") }) {
		groups = g
	}
	return usage.Errorf(usage.Meant(name, config.Presets())+"nearest: "+strings.Join(near, ", ")+"\nor a group ("+groups+"), a preset ("+strings.Join(config.Presets(), ", ")+"), or a machine file (./my.yaml)",
		"unknown parameter or preset %q", name)
}

func asParametersJSON(params []config.Parameter, machines ...*config.GPU) parametersJSON {
	out := parametersJSON{[]machineJSON{}, []parameterJSON{}}
	for _, g := range machines {
		out.Machines = append(out.Machines, machineJSON{g.Name, g.Title, g.Hash()})
	}
	for _, p := range params {
		j := parameterJSON{p.Path, p.Unit, p.Range(), p.Doc, map[string]parameterValue{}}
		for _, g := range machines {
			v := p.Values[g.Name]
			j.Values[g.Name] = parameterValue{v.Value, v.Origin()}
		}
		out.Parameters = append(out.Parameters, j)
	}
	return out
}

// printParameters prints parameters one by one. Machines with the same value
// and source share a line.
func (a *app) printParameters(params []config.Parameter, presets []string) {
	for i, p := range params {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintf(a.stdout, "%s: %s\n", p.Path, p.Doc)
		fmt.Fprintf(a.stdout, "  unit %s, range %s\n", p.Unit, p.Range())
		var order []config.Sourced
		with := map[config.Sourced][]string{}
		for _, preset := range presets {
			v := p.Values[preset]
			if with[v] == nil {
				order = append(order, v)
			}
			with[v] = append(with[v], preset)
		}
		var rows [][]string
		for _, v := range order {
			rows = append(rows, []string{v.Value, strings.Join(with[v], " "), v.Origin()})
		}
		format.Table(a.stdout, "  ", "rll", rows)
	}
}

func (a *app) printAllParameters(params []config.Parameter, presets []string) {
	head := []string{"parameter", "unit"}
	cols := "ll"
	for _, preset := range presets {
		head = append(head, preset)
		cols = cols + "r"
	}
	rows := [][]string{append(head, "meaning")}
	for _, p := range params {
		row := []string{p.Path, p.Unit}
		for _, preset := range presets {
			row = append(row, p.Values[preset].Value)
		}
		rows = append(rows, append(row, p.Doc))
	}
	format.Table(a.stdout, "", cols+"l", rows)
	fmt.Fprintln(a.stdout, "\nSet one by --set sm.count=16 on weft run. \"weft list parameters k40\", \"... l1\" and \"... l1.latency\" give\nrange and source of each value.")
}
