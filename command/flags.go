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

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/devices"
)

// valueNames are the placeholders for the values of flags in the help; a flag that
// means something else in one command is there with the command's name.
var valueNames = map[string]string{
	"a":               "CONDITION",
	"against":         "SCHEDULER",
	"algorithm":       "NAME,...",
	"answer":          "FILE",
	"arg":             "NAME=VALUE",
	"array-size":      "N",
	"as":              "NAME",
	"attachment":      "KIND",
	"b":               "CONDITION",
	"baseline":        "CONDITION",
	"bind":            "NAME=VALUE",
	"block":           "N",
	"bound":           "N",
	"budget":          "N",
	"by-hand":         "FILE",
	"columns":         "NAME,...",
	"compare-with":    "DEVICE",
	"cpuprofile":      "FILE",
	"deadline":        "TIME",
	"detail":          "launches=N-N",
	"device":          "DEVICE",
	"engine":          "NAME",
	"except":          "NAME,...",
	"expect":          "FILE",
	"explore":         "N",
	"facet":           "NAME,...",
	"format":          "FORMAT",
	"gpu":             "NAME",
	"gpus":            "N",
	"graph":           "GRAPH",
	"graphs":          "FOLDER",
	"grid":            "BLOCKS",
	"hang-dot":        "FILE",
	"hang-json":       "FILE",
	"height":          "CM",
	"instances":       "N",
	"instructions":    "N,...",
	"jobs":            "N",
	"kind":            "KIND",
	"launches":        "N",
	"limit":           "TIME",
	"markdown":        "FILE",
	"max-arcs":        "N",
	"max-executions":  "N",
	"max-iterations":  "N",
	"max-tasks":       "N",
	"mem":             "SIZE",
	"metric":          "NAME,...",
	"model":           "NAME,...",
	"monitor":         "PORT",
	"monitor-address": "ADDRESS",
	"ncu":             "FILE",
	"only":            "REGEXP",
	"order":           "NAME,...",
	"out":             "FOLDER",
	"param":           "NAME=VALUE,...",
	"partition":       "NAME",
	"parts":           "NAME,...",
	"permute":         "SEED",
	"plots":           "FOLDER",
	"poll":            "TIME",
	"pprof":           "FILE",
	"print":           "BUFFER",
	"profile":         "REGEXP",
	"progress":        "TIME",
	"progress-model":  "NAME",
	"ratio":           "WHICH",
	"record":          "GPU",
	"reduce":          "HOW",
	"registers":       "N",
	"repeat":          "N",
	"retries":         "N",
	"row-limit":       "TIME",
	"save":            "BUFFER=FILE",
	"sbatch-option":   "OPTION",
	"schedule":        "FILE",
	"scheduler":       "NAME",
	"seed":            "N",
	"seeds":           "N",
	"series":          "NAME,...",
	"set":             "PARAMETER=VALUE,...",
	"shared":          "BYTES",
	"source":          "VERTEX",
	"spec":            "FILE",
	"spread":          "HOW",
	"sql":             "QUERY",
	"states":          "N",
	"target":          "ARCHITECTURE",
	"tasks":           "N",
	"threads":         "WHAT",
	"time":            "TIME",
	"timeout":         "TIME",
	"times":           "FILE",
	"title":           "TEXT",
	"tolerance":       "REL",
	"top":             "N",
	"trace":           "FILE",
	"value":           "METRIC",
	"vary":            "NAME=VALUES",
	"verify":          "MODE",
	"weights":         "NAME",
	"where":           "CONDITION",
	"width":           "CM",
	"with":            "DEVICE",
	"worker":          "FOLDER",
	"write-schedule":  "FILE",
	"x":               "NAME,...",
	"xlabel":          "TEXT",
	"y":               "NAME,...",
	"ylabel":          "TEXT",

	"launch --against":  "KERNEL",
	"launch --answer":   "BUFFER,...",
	"launch --block":    "THREADS",
	"plot --format":     "FORMAT,...",
	"plot --out":        "FILE",
	"progress --block":  "THREADS",
	"report --annotate": "RUN,...",
	"report --out":      "FILE",
	"results --limit":   "N",
	"results --out":     "FILE",
	"results --run":     "ID",
	"study --out":       "FILE",
	"sweep --device":    "DEVICE,...",
	"sweep --out":       "FILE",
	"sweep --param":     "NAME=VALUES",
	"sweep --scheduler": "NAME,...",
	"sweep --set":       "PARAMETER=VALUES",
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
