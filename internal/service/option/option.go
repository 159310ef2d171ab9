package option

import (
	"cmp"
	"slices"

	"github.com/weft-gpu/weft/device"
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
	Name     string // of the flag, without dashes
	Kind     Kind
	Short    string // one letter; "" for none
	Value    string // stands for the value in the help; "" for a switch
	Default  any    // nil for nothing, 0 or false
	Min, Max int    // of a whole number; 0 and 0 for no limits
	Field    string // of weft.Options; "" if it has none
	// Needs are the capabilities without which a device cannot do it.
	Needs device.Capabilities
	// Help says what the option is for; "" hides it. A %s in it stands for a list that the command knows.
	Help string
	// In has what differs in a command, by the command's own name: "study" for weft record study.
	In map[string]Form
}

// Form is what an option has of its own in a command, each as the field of its name in Option; what is not set is as in the
// Option.
type Form struct {
	Short, Value, Help string
	Default            any
}

// FormIn returns how the option looks in a command.
func (o *Option) FormIn(command string) Form {
	own := o.In[command]
	f := Form{Short: cmp.Or(own.Short, o.Short), Value: cmp.Or(own.Value, o.Value), Help: cmp.Or(own.Help, o.Help), Default: own.Default}
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
