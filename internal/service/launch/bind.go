package launch

import (
	"go/types"
	"reflect"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// bound returns the bound values by parameter, in the form that a compiler
// takes. Either all parts of a parameter must be bound, or none.
func (r *resolver) bound(params []*Param) (map[string]any, error) {
	values := map[string]any{}
	for _, p := range params {
		var have, lack []string
		for _, l := range p.leaves {
			if r.given[l.name].from == option.Bind {
				have = append(have, l.name)
			} else {
				lack = append(lack, l.name)
			}
		}
		if len(have) == 0 {
			continue
		}
		if len(lack) > 0 {
			return nil, usage.Errorf("", "%s: %s is bound, and %s of the same parameter %s", option.Bind, have[0], list(lack), map[bool]string{true: "is not", false: "are not"}[len(lack) == 1])
		}
		t, ok := goType(p.typ)
		if !ok {
			return nil, usage.Errorf("", "%s: %s %s cannot be a constant", option.Bind, p.Name, p.Type)
		}
		v, next := reflect.New(t).Elem(), 0
		for _, l := range p.leaves {
			if err := r.resolve(l.name); err != nil {
				return nil, err
			}
		}
		r.assign(v, p, p.typ, &next)
		values[p.Name] = v.Interface()
	}
	return values, nil
}

// assign sets a value of type t from the leaves of a parameter, starting at
// *next.
func (r *resolver) assign(v reflect.Value, p *Param, t types.Type, next *int) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if u.Field(i).Name() != "_" {
				r.assign(v.Field(i), p, u.Field(i).Type(), next)
			}
		}
	case *types.Array:
		for i := range v.Len() {
			r.assign(v.Index(i), p, u.Elem(), next)
		}
	default:
		l := p.leaves[*next]
		*next++
		v.Set(reflect.ValueOf(l.kind().value(r.scalars[l.name])))
	}
}
