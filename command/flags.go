package command

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weft-gpu/weft/internal/devices"
	"github.com/weft-gpu/weft/internal/usage"
)

// valueNames are the placeholders for the values of flags in the help; a flag that
// means something else in one command is there with the command's name.
var valueNames = map[string]string{
	"against":         "SCHEDULER",
	"algorithm":       "NAME,...",
	"answer":          "FILE",
	"arg":             "NAME=VALUE",
	"as":              "NAME",
	"bind":            "NAME=VALUE",
	"block":           "N",
	"bound":           "N",
	"budget":          "N",
	"by-hand":         "FILE",
	"compare-with":    "DEVICE",
	"cpuprofile":      "FILE",
	"deadline":        "TIME",
	"detail":          "launches=N-N",
	"device":          "DEVICE",
	"expect":          "FILE",
	"explore":         "N",
	"format":          "FORMAT",
	"gpu":             "NAME",
	"gpus":            "N",
	"graph":           "GRAPH",
	"graphs":          "FOLDER",
	"hang-dot":        "FILE",
	"hang-json":       "FILE",
	"grid":            "BLOCKS",
	"instances":       "N",
	"instructions":    "N,...",
	"launches":        "N",
	"limit":           "TIME",
	"markdown":        "FILE",
	"max-arcs":        "N",
	"max-executions":  "N",
	"max-iterations":  "N",
	"model":           "NAME,...",
	"monitor":         "PORT",
	"monitor-address": "ADDRESS",
	"ncu":             "FILE",
	"only":            "REGEXP",
	"out":             "FOLDER",
	"param":           "NAME=VALUE,...",
	"parts":           "NAME,...",
	"permute":         "SEED",
	"pprof":           "FILE",
	"print":           "BUFFER",
	"progress-model":  "NAME",
	"profile":         "REGEXP",
	"registers":       "N",
	"repeat":          "N",
	"row-limit":       "TIME",
	"save":            "BUFFER=FILE",
	"schedule":        "FILE",
	"scheduler":       "NAME",
	"seed":            "N",
	"seeds":           "N",
	"set":             "PARAMETER=VALUE,...",
	"shared":          "BYTES",
	"source":          "VERTEX",
	"states":          "N",
	"target":          "ARCHITECTURE",
	"threads":         "WHAT",
	"tolerance":       "REL",
	"top":             "N",
	"trace":           "FILE",
	"value":           "METRIC",
	"verify":          "MODE",
	"weights":         "NAME",
	"with":            "DEVICE",
	"write-schedule":  "FILE",

	"jobs":    "N",
	"timeout": "TIME",
	"vary":    "NAME=VALUES",
	"worker":  "FOLDER",

	"array-size":    "N",
	"engine":        "NAME",
	"max-tasks":     "N",
	"mem":           "SIZE",
	"partition":     "NAME",
	"poll":          "TIME",
	"retries":       "N",
	"sbatch-option": "OPTION",
	"tasks":         "N",
	"time":          "TIME",

	"a":          "CONDITION",
	"attachment": "KIND",
	"b":          "CONDITION",
	"columns":    "NAME,...",
	"except":     "NAME,...",
	"metric":     "NAME,...",
	"order":      "NAME,...",
	"sql":        "QUERY",
	"where":      "CONDITION",

	"report --annotate": "RUN,...",
	"report --out":      "FILE",
	"baseline":          "CONDITION",
	"facet":             "NAME,...",
	"height":            "CM",
	"kind":              "KIND",
	"plots":             "FOLDER",
	"ratio":             "WHICH",
	"reduce":            "HOW",
	"series":            "NAME,...",
	"spec":              "FILE",
	"spread":            "HOW",
	"title":             "TEXT",
	"width":             "CM",
	"x":                 "NAME,...",
	"xlabel":            "TEXT",
	"y":                 "NAME,...",
	"ylabel":            "TEXT",

	"plot --out":    "FILE",
	"plot --format": "FORMAT,...",

	"results --run":   "ID",
	"results --limit": "N",
	"results --out":   "FILE",

	"sweep --scheduler": "NAME,...",
	"sweep --device":    "DEVICE,...",
	"sweep --set":       "PARAMETER=VALUES",
	"sweep --param":     "NAME=VALUES",
	"sweep --out":       "FILE",

	"launch --against": "KERNEL",
	"launch --block":   "THREADS",
	"progress --block": "THREADS",
	"study --out":      "FILE",
}

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

// valueName returns the placeholder for a flag's value in a command; "" for none.
func valueName(cmd *cobra.Command, flag string) string {
	return cmp.Or(valueNames[cmd.Name()+" --"+flag], valueNames[flag])
}

// nameValues sets the placeholders of the flags of a command and its
// subcommands.
func nameValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name := valueName(cmd, f.Name)
		if _, done := f.Value.(namedValue); name == "" || done || f.Value.Type() == "bool" {
			return
		}
		switch f.DefValue { // kinds that pflag would no longer recognise
		case "[]", "0s":
			f.DefValue = ""
		}
		f.Value = namedValue{f.Value, name}
	})
	for _, c := range cmd.Commands() {
		nameValues(c)
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
	"gpus":        fmt.Sprintf("a number of GPUs from 1 to %d", devices.MaxGPUs),
	"uint64":      "a whole number of at least 0",
	"int":         "a whole number",
	"bool":        "true or false",
	"duration":    "a time with its unit, such as 5s or 300ms",
	"float64":     "a number",
	"stringSlice": "a list with commas between its parts",
}
