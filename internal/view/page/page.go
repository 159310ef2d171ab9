package page

import (
	"encoding/json"

	"github.com/weft-gpu/weft/internal/view/plot"
)

// Page is the data of a page. It is plain, and the page has it as JSON: its script draws it.
type Page struct {
	Title string `json:"title"`
	Doc   string `json:"doc,omitempty"`
	Store string `json:"store"` // name of the file, for commands
	// Where are the conditions that selected the runs.
	Where   []string `json:"where"`
	Runs    int      `json:"runs"`
	Columns []Column `json:"columns"`
	// Shown are the indices of the columns that a table shows at first.
	Shown    []int     `json:"shown"`
	Plots    []Plot    `json:"plots"`   // of the specifications
	Figures  []Figure  `json:"figures"` // of what varies
	Specs    []Spec    `json:"specs"`
	Machines []Machine `json:"machines"`
	Hangs    []Hang    `json:"hangs"`
	// Theme has the colors of all figures, and Looks for columns that tell series apart their values in the whole store: the place
	// of a value says its color.
	Theme    plot.Theme          `json:"theme"`
	Looks    map[string][]string `json:"looks"`
	Profiles []Profile           `json:"profiles"`
	// Versions, Hosts and Devices are those of the runs, and First and Last the dates of the
	// first and the last run.
	Versions []string `json:"versions"`
	Hosts    []string `json:"hosts"`
	Devices  []string `json:"devices"`
	First    string   `json:"first"`
	Last     string   `json:"last"`
	// Notes are what could not be shown, and why.
	Notes []string `json:"notes"`
}

// The kinds of columns.
const (
	KindRun     = "run"     // a property of the run, such as its status
	KindSetting = "setting" // what the specification set
	KindMetric  = "metric"  // a number that the run measured
)

// Column is a column with its values, one for each run. A column of which all values are the
// same has Same. A column of numbers has Numbers, with nil for those that there are not. Another
// one has Texts and, for each run, the index of its text, or -1.
type Column struct {
	Name    string     `json:"name"`
	Unit    string     `json:"unit,omitempty"`
	Meaning string     `json:"meaning,omitempty"`
	Kind    string     `json:"kind"`
	Same    any        `json:"same,omitempty"`
	Numbers []*float64 `json:"numbers,omitempty"`
	Texts   []string   `json:"texts,omitempty"`
	Index   []int      `json:"index,omitempty"`
}

// Plot is a plot of a specification. Its numbers are those that "weft plot" draws.
type Plot struct {
	*plot.Numbers
	From  string   `json:"from"`            // the plot in its specification
	Spec  string   `json:"spec"`            // name of the file of the specification
	Flags []string `json:"flags"`           // of "weft plot", for the same picture
	Other *Figure  `json:"other,omitempty"` // a figure to begin with for other columns
}

// Figure shows what a reader chooses: the runs that the table selects, and at first these columns.
type Figure struct {
	Title  string `json:"title"`
	Kind   string `json:"kind"` // lines, points, bars, heat or histogram
	X      string `json:"x"`
	Y      string `json:"y,omitempty"` // not for a histogram
	Series string `json:"series,omitempty"`
	Split  string `json:"split,omitempty"` // a second column that tells series apart
	LogX   bool   `json:"log_x,omitempty"`
	LogY   bool   `json:"log_y,omitempty"`
}

// Spec is a specification.
type Spec struct {
	Hash string `json:"hash"`
	Name string `json:"name"`
	File string `json:"file"` // a name for its file
	Text string `json:"text"`
}

// Machine is a simulated machine.
type Machine struct {
	Hash    string   `json:"hash"`
	Devices []string `json:"devices"` // names under which runs know it
	Runs    int      `json:"runs"`
	// Preset is the device whose parameters it was compared with; "" if there is none.
	Preset string `json:"preset"`
	// Changed are the parameters that differ from the preset's.
	Changed    []Parameter       `json:"changed"`
	Parameters map[string]string `json:"parameters"`
}

// Parameter is a parameter that differs from that of a preset.
type Parameter struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Preset string `json:"preset"`
}

// Hang is the report of a run that did not end.
type Hang struct {
	Run   int64   `json:"run"` // its id
	Kind  string  `json:"kind"`
	Text  string  `json:"text"`
	Boxes []Box   `json:"boxes"` // none if the device knows too little
	Lines []Arrow `json:"arrows"`
}

// Box is a group of threads in the graph of a hang.
type Box struct {
	Lines   []string `json:"lines"`
	Outside bool     `json:"outside,omitempty"` // they do not wait
}

// Arrow leads from a group to one that it waits for.
type Arrow struct {
	From  int      `json:"from"` // indices of boxes
	To    int      `json:"to"`
	Lines []string `json:"lines"` // what the others would execute, and why they do not
}

// Profile is the source of the kernels of a run with the cost of each line.
type Profile struct {
	Run     int64           `json:"run"` // its id
	Command string          `json:"command"`
	Note    string          `json:"note,omitempty"` // if the profile is not of the very same run
	Cycles  uint64          `json:"warp_cycles"`
	Stalled uint64          `json:"stalled_warp_cycles"`
	Kernels []ProfileKernel `json:"kernels"`
}

// ProfileKernel is a kernel of a Profile.
type ProfileKernel struct {
	Name     string `json:"name"`
	Launches int    `json:"launches"`
	Cycles   uint64 `json:"cycles"`
	// Lines are the costs of lines, as "weft annotate --json" prints them.
	Lines json.RawMessage `json:"lines"`
	// Explained says what bounds the kernel, with its roofline, as "kernels" of "weft run --json" do; nil if that is not
	// known.
	Explained json.RawMessage `json:"explained,omitempty"`
	// Source is the source of the functions that contain the lines.
	Source []SourceFile `json:"source"`
}

// SourceFile is the part of a source file that a page shows.
type SourceFile struct {
	File  string       `json:"file"`
	Parts []SourcePart `json:"parts"` // none if the file no longer exists
}

// SourcePart is some lines of a file.
type SourcePart struct {
	First int      `json:"first"` // number of the first line
	Lines []string `json:"lines"`
}
