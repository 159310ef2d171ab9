package command

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// namedValue is a flag's value with a placeholder for the help instead of the
// name of its Go type.
type namedValue struct {
	pflag.Value
	name string
}

// Type returns the placeholder, which pflag prints.
func (v namedValue) Type() string { return v.name }

// kindOf returns the type of a flag's value, as pflag names it.
func kindOf(f *pflag.Flag) string {
	if v, ok := f.Value.(namedValue); ok {
		return v.Value.Type()
	}
	return f.Value.Type()
}

// flag adds an option of the table to the flags of a command, and lets it set the variable at p. A variable that has a value
// already keeps it as the default, for one that a package above the table owns. list fills the %s in the option's help.
func flag(cmd *cobra.Command, p any, o *option.Option, list ...any) {
	f, form := cmd.Flags(), o.FormIn(cmd.Name())
	help := form.Help
	if len(list) > 0 {
		help = fmt.Sprintf(help, list...)
	}
	setDefault(p, form.Default)
	switch p := p.(type) {
	case *bool:
		f.BoolVarP(p, o.Name, form.Short, *p, help)
	case *string:
		f.StringVarP(p, o.Name, form.Short, *p, help)
	case *int:
		f.IntVarP(p, o.Name, form.Short, *p, help)
	case *int64:
		f.Int64VarP(p, o.Name, form.Short, *p, help)
	case *uint64:
		f.Uint64VarP(p, o.Name, form.Short, *p, help)
	case *float64:
		f.Float64VarP(p, o.Name, form.Short, *p, help)
	case *time.Duration:
		f.DurationVarP(p, o.Name, form.Short, *p, help)
	case *[]string:
		if o.Kind == option.List {
			f.StringSliceVarP(p, o.Name, form.Short, *p, help)
		} else {
			f.StringArrayVarP(p, o.Name, form.Short, *p, help)
		}
	default:
		f.VarP(p.(pflag.Value), o.Name, form.Short, help)
	}
	added := f.Lookup(o.Name)
	if _, own := p.(pflag.Value); form.Limits != nil && !own { // one that parses its value checks it, too
		added.Value = limited{added.Value, form.Limits}
	}
	complete(cmd, o)
	added.Hidden = help == ""
	if o.Kind == option.Switch {
		added.NoOptDefVal = "true"
		return
	}
	switch added.DefValue { // kinds that pflag no longer recognises
	case "[]", "0s":
		added.DefValue = ""
	}
	added.Value = namedValue{added.Value, form.Value}
}

// limited is the value of a flag that must be within limits.
type limited struct {
	pflag.Value
	limits *option.Limits
}

// outOfLimits says that a whole number is not what its option allows.
type outOfLimits struct {
	value  int
	limits *option.Limits
}

func (e *outOfLimits) Error() string { return fmt.Sprintf("%d is not %s", e.value, e.limits) }

// Set sets the value, unless it is a number outside the limits. What is no number, the value itself rejects.
func (v limited) Set(text string) error {
	if n, err := strconv.Atoi(text); err == nil && !v.limits.Has(n) {
		return &outOfLimits{n, v.limits}
	}
	return v.Value.Set(text)
}

// setDefault sets the variable at p to the default of an option, if it has no value yet.
func setDefault(p, value any) {
	at := reflect.ValueOf(p).Elem()
	if value != nil && at.IsZero() {
		at.Set(reflect.ValueOf(value).Convert(at.Type()))
	}
}

// flagError converts pflag's error about a bad flag to a usage error with a
// hint.
func flagError(cmd *cobra.Command, err error) error {
	help := fmt.Sprintf("%q explains the flags", cmd.CommandPath()+" --help")
	var (
		unknown *pflag.NotExistError
		lacks   *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
		form    *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &unknown):
		name, dashes := unknown.GetSpecifiedName(), "--"
		if short := unknown.GetSpecifiedShortnames(); short != "" { // -graph is --graph, and not -g -r -a -p -h
			name, dashes = short, "-"
		}
		var flags []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		bare, _, _ := strings.Cut(name, "=")
		if n := usage.Nearest(bare, flags); n != "" {
			help = fmt.Sprintf("did you mean --%s?\n%s", n, help)
		}
		return usage.Errorf(help, "unknown flag: %s", legible(dashes+name))
	case errors.As(err, &lacks):
		return usage.Errorf(help, "flag needs an argument: --%s", lacks.GetFlag().Name)
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		var out *outOfLimits
		if errors.As(err, &out) {
			name := "--" + f.Name
			if f.Shorthand != "" {
				name = "-" + f.Shorthand
			}
			return usage.Errorf("", "%s: %s", name, out)
		}
		want := cmp.Or(valueKinds[kindOf(f)], "a value of the right kind")
		if errors.Is(err, strconv.ErrRange) || strings.HasSuffix(err.Error(), "value out of range") {
			want = "in the range of what can be computed with"
		}
		return usage.Errorf(help, "--%s: %q is not %s", f.Name, invalid.GetValue(), want)
	case errors.As(err, &form):
		return usage.Errorf(help, "%s is no flag", legible(form.GetSpecifiedFlag()))
	}
	return usage.Errorf(help, "%s", err)
}

// legible returns a word, quoted if parts of it would not be visible otherwise.
func legible(word string) string {
	odd := func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar }
	if word == "" || strings.ContainsFunc(word, odd) {
		return strconv.Quote(word)
	}
	return word
}

// valueKinds describes pflag's types.
var valueKinds = map[string]string{
	"gpus":        "a number of GPUs " + option.GPUs.Limits.String(),
	"uint64":      "a whole number of at least 0",
	"int":         "a whole number",
	"bool":        "true or false",
	"duration":    "a time with its unit, such as 5s or 300ms",
	"float64":     "a number",
	"stringSlice": "a list with commas between its parts",
}
