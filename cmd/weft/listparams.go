package main

import (
	"fmt"

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

func (a *app) listParameters(asJSON bool) error {
	params, presets := config.Parameters(), config.Presets()
	if asJSON {
		list := []parameterJSON{}
		for _, p := range params {
			j := parameterJSON{p.Path, p.Unit, p.Range(), p.Doc, map[string]parameterValue{}}
			for _, preset := range presets {
				v := p.Values[preset]
				j.Values[preset] = parameterValue{v.Value, v.Source}
			}
			list = append(list, j)
		}
		return a.printJSON(list)
	}
	head := []string{"parameter", "unit"}
	cols := []align{left, left}
	for _, preset := range presets {
		head = append(head, preset)
		cols = append(cols, right)
	}
	rows := [][]string{append(head, "meaning")}
	for _, p := range params {
		row := []string{p.Path, p.Unit}
		for _, preset := range presets {
			row = append(row, p.Values[preset].Value)
		}
		rows = append(rows, append(row, p.Doc))
	}
	table(a.stdout, "", append(cols, left), rows)
	fmt.Fprintln(a.stdout, "\nSet one by --set sm.count=16 on weft run; --json has each value's range and source.")
	return nil
}

func (a *app) listDevices(asJSON bool) error {
	if asJSON {
		return a.printJSON(devices())
	}
	var rows [][]string
	for _, d := range devices() {
		rows = append(rows, []string{d.Name, d.What})
		if d.Note != "" {
			rows = append(rows, []string{"", "note: " + d.Note})
		}
	}
	table(a.stdout, "  ", []align{left, left}, rows)
	return nil
}
