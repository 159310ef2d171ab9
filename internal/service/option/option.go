package option

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/base/usage"
)

// Kind is the kind of an option's value.
type Kind uint8

// The kinds.
const (
	Switch  Kind = iota // true or false
	Text                // one text
	Each                // a text each time that the option is given
	List                // texts, with commas between them
	Whole               // a whole number
	Natural             // a whole number of at least 0
	Number              // a number with a fraction
	Time                // a time with its unit
)

// Option is something that a user can choose.
type Option struct {
	Name    string // of the flag, without dashes
	Kind    Kind
	Short   string  // one letter; "" for none
	Value   string  // stands for the value in the help; "" for a switch
	Default any     // nil for nothing, 0 or false
	Limits  *Limits // of a whole number; nil for none
	Names   NameSet // what its values are names of
	// Key is what a specification calls it, "" if none has it; that of an option that names something ends in a period:
	// "arg." is arg.n for --arg n=4.
	Key string
	// Field is what a program calls it: a field of weft.Options or weft.Launch; "" if the library does not have it.
	Field string
	// Needs are the capabilities without which a device cannot do it.
	Needs device.Capabilities
	// Help says what the option is for; "" hides it. A %s in it stands for a list that the command knows.
	Help string
	// Own has what differs in a command, by the command's own name: "compare" for weft results compare.
	Own map[string]Form
}

// Limits are the least and the most that a whole number may be.
type Limits struct{ Least, Most int }

// noLimit is the most of an option that has none.
const noLimit = math.MaxInt

func atLeast(least int) *Limits      { return &Limits{least, noLimit} }
func from(least, most int) *Limits   { return &Limits{least, most} }
func (l *Limits) Has(value int) bool { return value >= l.Least && value <= l.Most }

// String says which values are within the limits: "at least 1", "from 1 to 1000".
func (l *Limits) String() string {
	if l.Most == noLimit {
		return fmt.Sprintf("at least %d", l.Least)
	}
	most := strconv.Itoa(l.Most)
	if l.Most >= 10_000 {
		most = format.Thousands(l.Most)
	}
	return fmt.Sprintf("from %d to %s", l.Least, most)
}

// NameSet is what the values of an option are names of, for shells that complete them.
type NameSet uint8

// The sets.
const (
	NoNames NameSet = iota // a text, a number, a file
	DeviceNames
	SchedulerNames
	AlgorithmNames
	GraphNames     // and files
	ParameterNames // of a machine
	ModelNames     // of progress
	FolderNames
)

// In returns what a caller calls the option: --seed, seed, Options.Seed.
func (o *Option) In(c usage.Caller) string {
	switch {
	case c == usage.Specification && o.Key != "":
		return o.Key
	case c == usage.Program && o.Field != "":
		return o.Field
	}
	return "--" + o.Name
}

// String returns the flag.
func (o *Option) String() string { return o.In(usage.CommandLine) }

// With returns the option with a value, as a caller writes them: --seed 7, seed: 7, and in a program the value alone.
func (o *Option) With(value string) usage.Message { return usage.Say("%s", valued{o, value}) }

// valued is an option with a value.
type valued struct {
	option *Option
	value  string
}

// In returns the option and its value as a caller writes them.
func (v valued) In(c usage.Caller) string {
	name, value := v.option.In(c), v.value
	switch {
	case c == usage.Specification && v.option.Key != "":
		if strings.HasSuffix(name, ".") {
			of, text, _ := strings.Cut(value, "=")
			name, value = name+of, text
		}
		return name + ": " + value
	case c == usage.Program && v.option.Field != "":
		return value
	}
	return name + " " + format.Word(value)
}

// Form is what an option has of its own in a command, each as the field of its name in Option; what is not set is as in the
// Option.
type Form struct {
	Short, Value, Help string
	Default            any
	Limits             *Limits
}

// FormIn returns how the option looks in a command.
func (o *Option) FormIn(command string) Form {
	own := o.Own[command]
	f := Form{Short: cmp.Or(own.Short, o.Short), Value: cmp.Or(own.Value, o.Value), Help: cmp.Or(own.Help, o.Help), Default: own.Default, Limits: cmp.Or(own.Limits, o.Limits)}
	if f.Default == nil {
		f.Default = o.Default
	}
	return f
}

// all are the options, in the order of their declaration.
var all []*Option

// declare adds an option to the table.
func declare(o Option) *Option {
	all = append(all, &o)
	return &o
}

// Table returns the options. Several may have one name, with meanings that no command shares.
func Table() []*Option { return slices.Clone(all) }

// DefaultDevice is the device of commands that run something, if the user names none.
const DefaultDevice = "sim:h200"

// MaxDegree is the start vertex if the user names none: one of those with the largest degree.
const MaxDegree = "max-degree"
