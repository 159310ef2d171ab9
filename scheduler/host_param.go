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

// The parameter types.
const (
	IntParam   ParamType = "int"
	FloatParam ParamType = "float"
	BoolParam  ParamType = "bool"
	WordParam  ParamType = "word" // one of a few words
)

// NoLimit is the Max of a number without an upper limit.
var NoLimit = math.Inf(1)

// Param is a parameter of a scheme.
type Param struct {
	Name    string // in lower case: "max-iterations"
	Type    ParamType
	Unit    string // "thread"; "" if it has none
	Doc     string // what it means, one line
	Default string // as a user would write it
	// Min and Max are the bounds of a number. An int must be a multiple of Multiple, if
	// that is not 0.
	Min, Max float64
	Multiple int
	Words    []string // the values of a WordParam
}

// Range describes the valid values: "a multiple of 32 from 32 to 1024".
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

// short formats a number without an exponent.
func short(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Parse parses a value; the result is an int, a float64, a bool or a string. The error
// describes the valid values.
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

// shownValue returns a value as it appears in an error: quoted unless it is a number.
func shownValue(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return strconv.Quote(text)
}

// Values are the values of a scheme's parameters.
type Values struct {
	values map[string]any
	texts  map[string]string
}

// Int returns the value of an IntParam. Int, Float, Bool and Word panic if the scheme has
// no such parameter, since that is a bug in the scheme.
func (v Values) Int(name string) int { return valueAs[int](v, name) }

// Float returns the value of a FloatParam.
func (v Values) Float(name string) float64 { return valueAs[float64](v, name) }

// Bool returns the value of a BoolParam.
func (v Values) Bool(name string) bool { return valueAs[bool](v, name) }

// Word returns the value of a WordParam.
func (v Values) Word(name string) string { return valueAs[string](v, name) }

// Texts returns all values as a user would write them.
func (v Values) Texts() map[string]string { return maps.Clone(v.texts) }

func valueAs[T any](v Values, name string) T {
	x, ok := v.values[name].(T)
	if !ok {
		panic(fmt.Sprintf("scheduler: the scheme has no parameter %s of type %T", name, x))
	}
	return x
}

// ParamError is an invalid value of a scheme's parameter.
type ParamError struct {
	Scheme, Param string
	Err           error // what is wrong with the value
}

// Error names the parameter and the scheme.
func (e *ParamError) Error() string {
	return fmt.Sprintf("parameter %s of scheduler %s: %v", e.Param, e.Scheme, e.Err)
}

// Unwrap returns what is wrong with the value.
func (e *ParamError) Unwrap() error { return e.Err }

// Values parses the parameters of a run, given by name; parameters that are not given have
// their defaults. If a value is invalid, the error is a *ParamError.
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

// ParamNames returns the names of the parameters, sorted.
func (s Scheme) ParamNames() []string {
	var names []string
	for _, p := range s.Params {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	return names
}

// Validate checks that the scheme has what the rest of the program relies on. It is called
// once for each scheme.
func (s Scheme) Validate() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("scheduler %q: %s", s.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case !plainName(s.Name):
		return bad("a name consists of lower-case letters, digits and hyphens")
	case s.Doc == "":
		return bad("it has no Doc")
	case s.Run == nil || s.Kernels == nil:
		return bad("it needs Run and Kernels")
	}
	seen := map[string]bool{}
	for _, p := range s.Params {
		if !plainName(p.Name) || p.Doc == "" || seen[p.Name] {
			return bad("parameter %q needs a unique name of lower-case letters, digits and hyphens, and a Doc", p.Name)
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
			return bad("quantity %q needs a unit, a Doc and a unique name other than %s", q.Name, strings.Join(stepKeys, ", "))
		}
		seen[q.Name] = true
	}
	return nil
}

// plainName reports whether name consists of lower-case letters, digits and hyphens, and
// does not start with a hyphen.
func plainName(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}
