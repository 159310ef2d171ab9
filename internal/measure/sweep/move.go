package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Moved says what Move did to the points of a specification.
type Moved struct {
	Device string `json:"device"` // where they run now
	Func   int    `json:"func"`   // points on func, which say nothing of a machine and are left out
	Same   int    `json:"same"`   // points that differed from another one in nothing but the machine
}

// Changed says what Change did to the points of a specification.
type Changed struct {
	Set  map[string]string `json:"set"`  // parameters of machines
	Func int               `json:"func"` // points on func, which has no parameters and which are left out
}

// Change gives parameters of machines, which Check knows, to all points of a specification, whatever value a point names. Points on func are
// left out.
func Change(s *spec.Spec, list []spec.Setting) (*Changed, error) {
	c := &Changed{Set: map[string]string{}}
	for _, x := range list {
		if _, ok := c.Set[x.Name]; ok {
			return nil, fmt.Errorf("%s has several values; a specification takes one of each parameter", x.Name)
		}
		if !isMachine(x.Name) {
			return nil, fmt.Errorf("%s is no parameter of a machine", x.Name)
		}
		if err := Check(x.Name, x.Value); err != nil {
			return nil, err
		}
		c.Set[x.Name] = x.Value
	}
	var points []spec.Point
	for _, p := range s.Points {
		if on, _ := p.Get(option.Device.Key); on == "func" {
			c.Func++
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(p.Settings), func(x spec.Setting) bool { _, ok := c.Set[x.Name]; return ok })
		points = append(points, spec.Point{Settings: append(kept, list...)})
	}
	s.Points = points
	if len(points) == 0 {
		return nil, fmt.Errorf("all points of %s are on func, which has no parameters", s.Name)
	}
	return c, nil
}

// Move puts the points of a specification on a device, which Check knows, whatever device they name. Parameters of a machine, such as sm.count,
// belong to the machine that the specification describes and go. Points on func are left out.
func Move(s *spec.Spec, device, place string) (*Moved, error) {
	m := &Moved{Device: device}
	seen := map[string]bool{}
	var list []spec.Point
	for _, p := range s.Points {
		if on, _ := p.Get(option.Device.Key); on == "func" {
			m.Func++
			continue
		}
		p = moved(p, device, place)
		if key := p.Key(); seen[key] {
			m.Same++
		} else {
			seen[key] = true
			list = append(list, p)
		}
	}
	s.Points = list
	if len(list) == 0 {
		return nil, fmt.Errorf("all points of %s are on func, where nothing is timed", s.Name)
	}
	return m, nil
}

// moved returns a point on a device, without parameters of a machine.
func moved(p spec.Point, device, place string) spec.Point {
	list := slices.DeleteFunc(slices.Clone(p.Settings), func(x spec.Setting) bool { return x.Name == option.Device.Key || isMachine(x.Name) })
	return spec.Point{Settings: append(list, spec.Setting{Name: option.Device.Key, Value: device, Place: place})}
}

// isMachine reports whether a setting is a parameter of a simulated machine.
func isMachine(name string) bool {
	own := slices.ContainsFunc([]string{paramPrefix, argPrefix, bindPrefix}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	return strings.Contains(name, ".") && !own
}
