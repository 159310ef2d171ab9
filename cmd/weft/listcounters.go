package main

import (
	"fmt"
)

// counterJSON is one counter in `weft list counters --json`.
type counterJSON struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	What string `json:"what"`
	Func bool   `json:"func"` // the functional device counts it
	Sim  bool   `json:"sim"`  // the simulator does
}

// counters asks the devices what they count, the simulator first.
func counters() ([]counterJSON, error) {
	var list []counterJSON
	at := map[string]int{}
	for _, name := range []string{simPrefix + "h200", funcName} {
		spec, err := parseDevice(name, nil, 1)
		if err != nil {
			return nil, err
		}
		dev, err := spec.open(nil)
		if err != nil {
			return nil, err
		}
		for _, c := range dev.Total().Counters {
			i, known := at[c.Name]
			if !known {
				i = len(list)
				at[c.Name] = i
				list = append(list, counterJSON{Name: c.Name, Unit: c.Unit, What: c.Desc})
			}
			list[i].Func = list[i].Func || name == funcName
			list[i].Sim = list[i].Sim || name != funcName
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
		return a.printJSON(list)
	}
	rows := [][]string{{"counter", "unit", "device", "meaning"}}
	for _, c := range list {
		on := "both"
		switch {
		case !c.Func:
			on = "sim"
		case !c.Sim:
			on = "func"
		}
		rows = append(rows, []string{c.Name, c.Unit, on, c.What})
	}
	table(a.stdout, "", []align{left, left, left, left}, rows)
	fmt.Fprintln(a.stdout, "\nNames are those of Nsight Compute where it counts the same thing.")
	return nil
}
