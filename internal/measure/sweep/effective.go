package sweep

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/service/run"
)

// values splits the settings in effect into those that the point writes, under all its spellings, and
// the others, which are at their defaults. r may be nil.
func (t *Task) values(r *run.Result) (settings, defaults map[string]string) {
	all := t.effective(r)
	settings, defaults = map[string]string{}, all
	for _, spelled := range t.spellings() {
		for name, text := range spelled {
			if v, ok := all[name]; ok { // in the same form as where it is not written
				text = v
			}
			settings[name] = text
		}
	}
	t.machineValues(settings)
	maps.DeleteFunc(defaults, func(name, _ string) bool { _, wrote := settings[name]; return wrote })
	return settings, defaults
}

// effective returns the value of every setting but the parameters of the machine, which the store
// has by themselves.
func (t *Task) effective(r *run.Result) map[string]string {
	s := t.settings
	all := map[string]string{
		"device": t.device.Name, "gpus": strconv.Itoa(max(t.device.GPUs, 1)),
		"sample": percent(s.options.Sample),
		"seed":   strconv.FormatUint(s.options.Seed, 10), "budget": strconv.FormatUint(s.options.Budget, 10),
	}
	if k := s.kernel; k != nil {
		maps.Copy(all, map[string]string{"kernel": k.name, "grid": k.grid, "block": k.block, "shared": strconv.FormatUint(k.shared, 10),
			"registers": strconv.FormatUint(k.registers, 10), "launches": strconv.FormatUint(k.launches, 10), "cooperative": strconv.FormatBool(k.cooperative), "cluster": strconv.FormatUint(k.cluster, 10),
			compareWith: k.compareWith, "tolerance": strconv.FormatFloat(k.tolerance, 'g', -1, 64)})
		return all // arguments have no defaults
	}
	maps.Copy(all, map[string]string{"algorithm": s.algorithm, "scheduler": s.scheduler, "graph": s.graph.Spec, "source": s.source.String(),
		"symmetrize": strconv.FormatBool(s.graph.Symmetrize), "drop-isolated": strconv.FormatBool(s.graph.DropIsolated), "permute": strconv.FormatUint(s.graph.Permute, 10),
		"power":  strconv.Itoa(max(s.graph.Power, 1)),
		"format": s.graph.Format, "weights": s.graph.Weights, "verify": strconv.FormatBool(s.verify), "cpu": strconv.FormatBool(s.cpu)})
	algorithm, scheme, scheduler := t.params.Algorithm, t.params.Scheduler, s.scheduler
	if r != nil && r.AlgParams != nil { // with defaults for this graph, and those of a scheduler that auto chose
		algorithm, scheme, scheduler = r.AlgParams, r.SchedulerParams, r.Scheduler
	}
	for _, of := range []struct {
		owner       string
		mine, other map[string]string
	}{{s.algorithm, algorithm, scheme}, {scheduler, scheme, algorithm}} {
		for name, value := range of.mine {
			owned := paramPrefix + of.owner + "." + name
			if _, wrote := s.params[of.owner+"."+name]; wrote {
				all[owned] = value
			}
			if _, both := of.other[name]; both {
				all[owned] = value
			} else {
				all[paramPrefix+name] = value
			}
		}
	}
	return all
}

// machineValues writes parameters of the machine as the machine has them.
func (t *Task) machineValues(settings map[string]string) {
	parameters, _ := t.device.Machine()
	for name := range settings {
		switch v := parameters[name].(type) {
		case nil:
		case float64:
			settings[name] = strconv.FormatFloat(v, 'f', -1, 64)
		default:
			settings[name] = fmt.Sprint(v)
		}
	}
}

// spellings returns how the specification writes the point: once, unless several of its points are the
// same.
func (t *Task) spellings() []map[string]string {
	list := []map[string]string{t.Point.Map()}
	for _, p := range t.same {
		list = append(list, p.Map())
	}
	return list
}

// Spelled returns how the specification writes tasks whose results a store has, for Store.Spell.
func (p *Plan) Spelled() map[store.Key][]map[string]string {
	list := map[store.Key][]map[string]string{}
	for _, t := range p.Tasks {
		if list[t.Key] == nil {
			list[t.Key] = t.spellings()
		}
	}
	return list
}
