//go:build !kernel

package scheduler

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ParamType is the type of a scheme's parameter.
type ParamType string

// The types.
const (
	IntParam   ParamType = "int"
	FloatParam ParamType = "float"
	BoolParam  ParamType = "bool"
	WordParam  ParamType = "word" // one of a few words
)

// NoLimit is the Max of a number that may be as large as it likes.
var NoLimit = math.Inf(1)

// Param is a parameter of a scheme.
type Param struct {
	Name    string // in small letters: "max-iterations"
	Type    ParamType
	Unit    string // "thread"; "" where it has none
	Doc     string // what it means, one line
	Default string // as a user would write it
	// Min and Max are the least and the largest number, and Multiple what an int
	// must be a multiple of (0: anything).
	Min, Max float64
	Multiple int
	Words    []string // of a WordParam
}

// Range says which values the parameter takes: "a multiple of 32 from 32 to 1024".
func (p Param) Range() string {
	switch p.Type {
	case BoolParam:
		return "true or false"
	case WordParam:
		return "one of " + strings.Join(p.Words, ", ")
	}
	number := "a number"
	if p.Type == IntParam {
		number = "a whole number"
	}
	if p.Multiple > 1 {
		number = fmt.Sprintf("a multiple of %d", p.Multiple)
	}
	if math.IsInf(p.Max, 1) {
		return fmt.Sprintf("%s of at least %s", number, short(p.Min))
	}
	return fmt.Sprintf("%s from %s to %s", number, short(p.Min), short(p.Max))
}

// short is a number without an exponent where it needs none.
func short(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Parse reads a value: an int, a float64, a bool or a string. The error says
// what the parameter takes.
func (p Param) Parse(text string) (any, error) {
	var value any
	var number float64
	switch p.Type {
	case BoolParam:
		if b, err := strconv.ParseBool(text); err == nil {
			return b, nil
		}
	case WordParam:
		if slices.Contains(p.Words, text) {
			return text, nil
		}
	case IntParam:
		if n, err := strconv.Atoi(text); err == nil && (p.Multiple < 2 || n%p.Multiple == 0) {
			value, number = n, float64(n)
		}
	case FloatParam:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			value, number = x, x
		}
	}
	if value == nil || !(number >= p.Min && number <= p.Max) {
		return nil, fmt.Errorf("%s is not %s", shownValue(text), p.Range())
	}
	return value, nil
}

// shownValue is a value as it stands in an error: in quotes unless it is a number.
func shownValue(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return strconv.Quote(text)
}

// Values are the parameters of a scheme, each with a value.
type Values struct {
	values map[string]any
	texts  map[string]string
}

// Int is the value of an IntParam. A name that the scheme does not have is a
// mistake in the scheme, and panics; so do the others.
func (v Values) Int(name string) int { return valueAs[int](v, name) }

// Float is the value of a FloatParam.
func (v Values) Float(name string) float64 { return valueAs[float64](v, name) }

// Bool is the value of a BoolParam.
func (v Values) Bool(name string) bool { return valueAs[bool](v, name) }

// Word is the value of a WordParam.
func (v Values) Word(name string) string { return valueAs[string](v, name) }

// Texts are all values as a user would write them.
func (v Values) Texts() map[string]string { return maps.Clone(v.texts) }

func valueAs[T any](v Values, name string) T {
	x, ok := v.values[name].(T)
	if !ok {
		panic(fmt.Sprintf("scheduler: the scheme has no parameter %s of type %T", name, x))
	}
	return x
}

// ParamError is a value that a scheme's parameter does not take.
type ParamError struct {
	Scheme, Param string
	Err           error // what is wrong with the value
}

// Error names the parameter.
func (e *ParamError) Error() string {
	return fmt.Sprintf("parameter %s of scheduler %s: %v", e.Param, e.Scheme, e.Err)
}

// Unwrap is what is wrong with the value.
func (e *ParamError) Unwrap() error { return e.Err }

// Values reads the parameters of a run: those given by name, the others have
// their defaults. The error is a ParamError where a value is wrong.
func (s Scheme) Values(given map[string]string) (Values, error) {
	v := Values{map[string]any{}, map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(s.Params, func(p Param) bool { return p.Name == name }) {
			return v, fmt.Errorf("scheduler %s has no parameter %q; there are: %s", s.Name, name, strings.Join(s.ParamNames(), ", "))
		}
	}
	for _, p := range s.Params {
		text, ok := given[p.Name]
		if !ok {
			text = p.Default
		}
		value, err := p.Parse(text)
		if err != nil {
			return v, &ParamError{s.Name, p.Name, err}
		}
		v.values[p.Name], v.texts[p.Name] = value, fmt.Sprint(value)
	}
	return v, nil
}

// ParamNames are the names of the parameters, sorted.
func (s Scheme) ParamNames() []string {
	var names []string
	for _, p := range s.Params {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

// Validate holds a scheme to what the rest of the program relies on. It is
// called once for each scheme that is known.
func (s Scheme) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("scheduler %q: %s", s.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case !plainName(s.Name):
		return bad("a name is made of small letters, digits and hyphens")
	case s.Doc == "":
		return bad("it has no Doc")
	case s.Run == nil || s.Kernels == nil:
		return bad("it needs Run and Kernels")
	}
	seen := map[string]bool{}
	for _, p := range s.Params {
		if !plainName(p.Name) || p.Doc == "" || seen[p.Name] {
			return bad("parameter %q needs a name of its own, of small letters, digits and hyphens, and a Doc", p.Name)
		}
		seen[p.Name] = true
		value, err := p.Parse(p.Default)
		if err != nil {
			return bad("the default of parameter %s: %v", p.Name, err)
		}
		if fmt.Sprint(value) != p.Default {
			return bad("the default of parameter %s: write %v for %s", p.Name, value, p.Default)
		}
	}
	clear(seen)
	for _, q := range s.Quantities {
		if q.Name == "" || q.Unit == "" || q.Doc == "" || seen[q.Name] || slices.Contains(stepKeys, q.Name) {
			return bad("quantity %q needs a unit, a Doc and a name of its own, which is none of %s", q.Name, strings.Join(stepKeys, ", "))
		}
		seen[q.Name] = true
	}
	return nil
}

// plainName reports a name that a user can type in a list of assignments.
func plainName(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}
