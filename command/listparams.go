package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/internal/format"
	"github.com/weft-gpu/weft/internal/usage"
	"github.com/weft-gpu/weft/sim/config"
)

// parameterJSON is one parameter in `weft list parameters --json`.
type parameterJSON struct {
	Name   string                    `json:"name"`
	Unit   string                    `json:"unit"`
	Range  string                    `json:"range"`
	What   string                    `json:"what"`
	Values map[string]parameterValue `json:"values"` // by preset
}

type parameterValue struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// listParameters prints every parameter with the presets' values or, of one
// preset, one parameter or one group of them, also what each value comes from.
func (a *app) listParameters(of string, asJSON bool) error {
	params, presets := config.Parameters(), config.Presets()
	preset := slices.Contains(presets, devices.Preset(of))
	if preset {
		presets = []string{devices.Preset(of)}
	} else if of != "" {
		params = slices.DeleteFunc(params, func(p config.Parameter) bool {
			return p.Path != of && !strings.HasPrefix(p.Path, of+".")
		})
		if len(params) == 0 {
			return unknownParameter(of)
		}
	}
	switch {
	case asJSON:
		return format.JSON(a.stdout, parametersJSON(params, presets))
	case preset:
		a.printPreset(params, presets[0])
	case of != "":
		a.printParameters(params, presets)
	default:
		a.printAllParameters(params, presets)
	}
	return nil
}

// unknownParameter is the usage error for a name that is no preset and no parameter.
func unknownParameter(name string) error {
	var near []string
	for _, p := range config.Nearest(name, 3) {
		near = append(near, p.Path)
	}
	return usage.Errorf(usage.Meant(name, config.Presets())+"nearest: "+strings.Join(near, ", ")+"\nor a group (l1, dram), or a preset: "+strings.Join(config.Presets(), ", "),
		"unknown parameter or preset %q", name)
}

func parametersJSON(params []config.Parameter, presets []string) []parameterJSON {
	list := []parameterJSON{}
	for _, p := range params {
		j := parameterJSON{p.Path, p.Unit, p.Range(), p.Doc, map[string]parameterValue{}}
		for _, preset := range presets {
			v := p.Values[preset]
			j.Values[preset] = parameterValue{v.Value, v.Source}
		}
		list = append(list, j)
	}
	return list
}

// printPreset prints what one machine is, and where each number comes from.
func (a *app) printPreset(params []config.Parameter, preset string) {
	fmt.Fprintf(a.stdout, "%s: %s\n\n", preset, config.Title(preset))
	rows := [][]string{{"parameter", "value", "unit", "source"}}
	for _, p := range params {
		v := p.Values[preset]
		rows = append(rows, []string{p.Path, v.Value, p.Unit, v.Source})
	}
	format.Table(a.stdout, "", "lrll", rows)
}

// printParameters prints parameters one by one, with the machines that share a
// value and its source on one line.
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
			rows = append(rows, []string{v.Value, strings.Join(with[v], " "), v.Source})
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
	return nil
}
