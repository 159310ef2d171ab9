package sweep

import (
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/sim/config"
)

// units are those of settings that are not parameters.
var units = map[string]string{"gpus": "GPU", "budget": "cycle", "grid": "block", "block": "thread", "shared": "byte", "registers": "register", "launches": "launch"}

// Unit returns the unit of a setting, such as "cycle" of l2.latency; "" if it has none, or if schemes have parameters of this
// name with different units.
func Unit(setting string) string {
	if u, ok := units[setting]; ok {
		return u
	}
	if name, ok := strings.CutPrefix(setting, paramPrefix); ok {
		return paramUnit(name)
	}
	all := config.Parameters()
	i := slices.IndexFunc(all, func(p config.Parameter) bool { return p.Path == setting })
	if i < 0 || all[i].Unit == "policy" || all[i].Unit == "bool" {
		return ""
	}
	return all[i].Unit
}

// paramUnit returns the unit of a parameter of schemes, whose name may begin with that of a scheme.
func paramUnit(name string) string {
	var found []string
	for _, s := range catalog.Schedulers() {
		for _, p := range s.Params {
			if p.Name == name || s.Name+"."+p.Name == name {
				found = append(found, p.Unit)
			}
		}
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) != 1 {
		return ""
	}
	return found[0]
}
