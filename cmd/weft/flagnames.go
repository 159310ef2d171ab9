package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// valueNames are the words that stand for the values of flags in the help.
var valueNames = map[string]string{
	"against":         "SCHEDULER",
	"algorithm":       "NAME,...",
	"answer":          "FILE",
	"block":           "N",
	"budget":          "N",
	"by-hand":         "FILE",
	"cpuprofile":      "FILE",
	"deadline":        "TIME",
	"detail":          "launches=N-N",
	"device":          "DEVICE",
	"format":          "FORMAT",
	"gpu":             "NAME",
	"graph":           "GRAPH",
	"graphs":          "FOLDER",
	"instructions":    "N,...",
	"max-arcs":        "N",
	"max-iterations":  "N",
	"monitor":         "PORT",
	"monitor-address": "ADDRESS",
	"ncu":             "FILE",
	"only":            "REGEXP",
	"out":             "FOLDER",
	"param":           "NAME=VALUE,...",
	"parts":           "NAME,...",
	"pprof":           "FILE",
	"profile":         "REGEXP",
	"repeat":          "N",
	"scheduler":       "NAME",
	"seed":            "N",
	"set":             "PARAMETER=VALUE,...",
	"source":          "VERTEX",
	"target":          "ARCHITECTURE",
	"top":             "N",
	"trace":           "FILE",
	"weights":         "NAME",
	"with":            "DEVICE",
}

// namedValue is a flag's value with a word for it in the help, in place of the
// name of a Go type.
type namedValue struct {
	pflag.Value
	name string
}

// Type is the word: pflag prints it.
func (v namedValue) Type() string { return v.name }

// kindOf is the Go type of a flag's value, as pflag names it.
func kindOf(f *pflag.Flag) string {
	if v, ok := f.Value.(namedValue); ok {
		return v.Value.Type()
	}
	return f.Value.Type()
}

// nameValues gives the flags of a command, and of those below it, their words.
func nameValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		name, ok := valueNames[f.Name]
		if _, done := f.Value.(namedValue); !ok || done || f.Value.Type() == "bool" {
			return
		}
		switch f.DefValue { // of kinds that pflag would not recognise any more
		case "[]", "0s":
			f.DefValue = ""
		}
		f.Value = namedValue{f.Value, name}
	})
	for _, c := range cmd.Commands() {
		nameValues(c)
	}
}
