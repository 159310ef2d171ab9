package command

import (
	"context"
	"fmt"

	"github.com/weft-gpu/weft/internal/counter"
	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/internal/format"
)

// counterJSON is one counter in `weft list counters --json`.
type counterJSON struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	What string `json:"what"`
	Func bool   `json:"func"` // the functional device counts it
	Sim  bool   `json:"sim"`  // the simulator does
	Own  bool   `json:"own"`  // Nsight Compute has no counter of that name
}

// counters asks the devices what they count, the simulator first.
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
