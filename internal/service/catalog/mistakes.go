package catalog

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/scheduler"
)

// Methods without parameters that return a bool, which a scheduler.Algorithm may have in addition.
const (
	symmetric = "Symmetric"
	unordered = "Unordered"
	spreads   = "Spreads"
	triangles = "Triangles"
	reaches   = "Reaches"
	alike     = "Alike"
	strong    = "Strong"
)

var markers = []string{symmetric, unordered, spreads, triangles, reaches, alike, strong}

// mistaken returns an error for an algorithm that compiles but cannot be what its author means: a method that no scheme
// calls, or one that contradicts an inherited one.
func mistaken(named *types.Named, t scheduler.Type, value string) error {
	name := named.Obj().Name()
	inherited := func(method string) bool { return strings.HasPrefix(t.From[method], "scheduler.") }
	own := func(method string) bool { return t.From[method] != "" && !inherited(method) }
	set := types.NewMethodSet(named)
	signature := func(method string) types.Type {
		if sel := set.Lookup(named.Obj().Pkg(), method); sel != nil {
			return sel.Type()
		}
		return types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "", types.Typ[types.Bool])), false)
	}
	for _, marker := range markers {
		if m, _, _ := types.LookupFieldOrMethod(named, true, named.Obj().Pkg(), marker); m != nil && !types.Identical(m.Type(), signature("")) {
			return fmt.Errorf("%s.%s must be %s() bool, not %s", name, marker, marker, strings.TrimPrefix(m.Type().String(), "func"))
		}
	}
	candidates := slices.Clone(markers)
	for method := range t.From {
		if inherited(method) {
			candidates = append(candidates, method)
		}
	}
	slices.Sort(candidates)
	for sel := range set.Methods() { // in the order of their names
		method := sel.Obj().Name()
		if inherited(method) || slices.Contains(candidates, method) {
			continue
		}
		if near := usage.Nearest(method, candidates); near != "" && types.Identical(sel.Type(), signature(near)) {
			return fmt.Errorf("no scheme calls %s.%s; write %s if that is meant, or else a name that differs more", name, method, near)
		}
	}
	switch {
	case own("Combine") && inherited("Update") && t.Pushes() == nil:
		return fmt.Errorf("%s has a Combine of its own and the Update of %s, which combines in another way; write, if no atomic of package gpu does it:\n\tfunc (a %s) Update(p *%s, x %s) %s {\n\t\treturn scheduler.Swap(p, x, func(x, y %s) %s { return a.Combine(x, y) })\n\t}",
			name, t.From["Update"], name, value, value, value, value, value)
	case t.Alike && !(t.Reaches && t.Source && own("EarlyEnd")):
		return fmt.Errorf("no scheme calls %s.Alike: it is for searches from Problem.Source with methods Reaches and EarlyEnd that return true", name)
	case own("Settled") && inherited("EarlyEnd"):
		return fmt.Errorf("no scheme calls %s.Settled, because EarlyEnd returns false; write func (%s) EarlyEnd() bool { return true }", name, name)
	}
	return nil
}
