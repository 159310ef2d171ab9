package config

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// scale describes a unit: the quantity it measures, and its size in base units.
type scale struct {
	of   string
	size float64
}

// scales are the units that can be converted into each other; every other unit is accepted only by its own name.
var scales = map[string]scale{
	"kHz": {"clock", 1e3}, "MHz": {"clock", 1e6}, "GHz": {"clock", 1e9},
	"MB/s": {"rate", 1e6}, "GB/s": {"rate", 1e9}, "TB/s": {"rate", 1e12},
	"ns": {"time", 1}, "us": {"time", 1e3}, "µs": {"time", 1e3}, "ms": {"time", 1e6},
	"byte": {"size", 1}, "B": {"size", 1},
	"kB": {"size", 1e3}, "MB": {"size", 1e6}, "GB": {"size", 1e9},
	"KiB": {"size", 1 << 10}, "MiB": {"size", 1 << 20}, "GiB": {"size", 1 << 30},
}

// decimal matches a number, optionally followed by a unit.
var decimal = regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?) *(.*)$`)

// quantity parses "1980", "1.98 GHz" or "60 MiB" into the parameter's unit. The conversion is exact: 1.98 GHz are
// exactly 1980 MHz.
func (p *Parameter) quantity(text string) (v float64, whole, ok bool) {
	const long = 100 // digits; no number needs as many
	m := decimal.FindStringSubmatch(text)
	if m == nil || len(text) > long {
		return 0, false, false
	}
	r, ok := new(big.Rat).SetString(m[1])
	if !ok {
		return 0, false, false
	}
	if unit := m[2]; unit != "" && !slices.Contains(p.ownUnits(), unit) {
		from, known := scales[unit]
		to := scales[p.Unit]
		if !known || from.of != to.of {
			return 0, false, false
		}
		r.Mul(r, new(big.Rat).Quo(new(big.Rat).SetFloat64(from.size), new(big.Rat).SetFloat64(to.size)))
	}
	v, _ = r.Float64()
	return v, r.IsInt(), !math.IsInf(v, 0)
}

// accepts reports whether a value of the parameter may be given in a unit.
func (p *Parameter) accepts(unit string) bool {
	return slices.Contains(p.ownUnits(), unit) || slices.Contains(p.units(), unit)
}

// ownUnits returns the spellings of the parameter's unit: "cycle" and "cycles".
func (p *Parameter) ownUnits() []string { return []string{p.Unit, p.Unit + "s"} }

// units returns the units in which a value of the parameter may be given, its own first.
func (p *Parameter) units() []string {
	all := []string{p.Unit}
	if own, ok := scales[p.Unit]; ok {
		for name, s := range scales {
			if s.of == own.of && name != p.Unit {
				all = append(all, name)
			}
		}
		slices.SortFunc(all[1:], func(a, b string) int {
			if d := scales[a].size - scales[b].size; d != 0 {
				return int(math.Copysign(1, d))
			}
			return strings.Compare(a, b)
		})
	}
	return all
}
