package plot

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Kind is a kind of picture.
type Kind string

// The kinds.
const (
	Lines       Kind = "lines"       // y over x, a line for each series, with its spread
	Bars        Kind = "bars"        // a group of bars for each x, a bar for each series
	Heat        Kind = "heat"        // a value over two settings
	Histogram   Kind = "histogram"   // how often a metric has which value
	Correlation Kind = "correlation" // one selection of runs against another, such as silicon and simulator
	Time        Kind = "time"        // counters over the simulated time of runs that keep a trace
)

// Kinds are all kinds.
var Kinds = []string{string(Lines), string(Bars), string(Heat), string(Histogram), string(Correlation), string(Time)}

// Reductions are what can be drawn of several runs that the picture does not tell apart.
var Reductions = []string{"median", "mean", "geomean", "min", "max", "sum"}

// spreads are how the runs behind a point can be shown.
var spreads = []string{"range", "quartiles", "none"}

// Spec is what to draw.
type Spec struct {
	Place string // where the specification says so: "study.yaml:9:5"
	Kind  Kind
	// X is what the horizontal axis shows: columns or settings, or a metric. Several names are
	// one category together. Y are metrics, or quotients of two: "cycles / arcs".
	X, Y []string
	// Series and Facet are columns or settings: a line or color for each value, and a panel for each.
	Series, Facet []string
	Value         string   // of a heat map: the metric
	Where         []string // as store.Query.Where; runs with another status than ok are left out
	LogX, LogY    bool
	// Baseline are conditions NAME=VALUE of the runs that others are compared with. Every value is
	// replaced by baseline/value, a speed-up; or by value/baseline if Ratio is "relative".
	Baseline []string
	Ratio    string
	Reduce   string   // of Reductions; "" is median, and geomean for ratios
	Spread   string   // of spreads; "" is range
	A, B     []string // the conditions that select the two sides of a correlation
	// Record is what a correlation has on its horizontal axis instead of A: the times of a record, by the name of the GPU or of a
	// file; see results.LoadTimes.
	Record string

	Title, XLabel, YLabel string
	File                  string  // name of the file, without folder and ending
	Width, Height         float64 // cm; 0 is what suits the picture

	// Study is the specification whose runs the picture shows; nil shows all.
	Study *Study
	// UnitOf returns the unit of a setting, "" if it has none; nil means that none has.
	UnitOf func(setting string) string
	// Palette gives series their looks. Figures of one store share it; nil makes one, with the same looks.
	Palette *Palette

	places map[string]string // of keys
}

// key is a key of a specification.
type key struct {
	name  string
	list  *[]string // several values
	text  *string   // one value
	flag  *bool
	size  *float64
	from  []string // the values that it may have
	kinds []Kind   // that know it; nil for all
}

// keys returns the keys of a specification, and where their values go.
func (s *Spec) keys() []key {
	drawn := []Kind{Lines, Bars, Heat, Histogram}
	reduced := []Kind{Lines, Bars, Heat}
	return []key{
		{name: "kind", text: (*string)(&s.Kind), from: Kinds},
		{name: "x", list: &s.X, kinds: []Kind{Lines, Bars, Heat, Histogram}},
		{name: "y", list: &s.Y, kinds: []Kind{Lines, Bars, Heat, Correlation, Time}},
		{name: "value", text: &s.Value, kinds: []Kind{Heat}},
		{name: "series", list: &s.Series, kinds: []Kind{Lines, Bars, Histogram, Correlation, Time}},
		{name: "facet", list: &s.Facet, kinds: append(drawn, Time)},
		{name: "where", list: &s.Where},
		{name: "logx", flag: &s.LogX, kinds: []Kind{Lines, Histogram}},
		{name: "logy", flag: &s.LogY, kinds: []Kind{Lines, Bars, Histogram}},
		{name: "baseline", list: &s.Baseline, kinds: reduced},
		{name: "ratio", text: &s.Ratio, from: []string{"speedup", "relative"}, kinds: reduced},
		{name: "reduce", text: &s.Reduce, from: Reductions, kinds: reduced},
		{name: "spread", text: &s.Spread, from: spreads, kinds: []Kind{Lines, Bars}},
		{name: "a", list: &s.A, kinds: []Kind{Correlation}},
		{name: "b", list: &s.B, kinds: []Kind{Correlation}},
		{name: "record", text: &s.Record, kinds: []Kind{Correlation}},
		{name: "title", text: &s.Title},
		{name: "xlabel", text: &s.XLabel},
		{name: "ylabel", text: &s.YLabel, kinds: append(drawn, Correlation)},
		{name: "file", text: &s.File},
		{name: "width", size: &s.Width},
		{name: "height", size: &s.Height},
	}
}

// Keys returns the names of all keys.
func Keys() (names []string) {
	for _, k := range new(Spec).keys() {
		names = append(names, k.name)
	}
	return names
}

// Parse parses the plots: of a specification. Mistakes are spec.Errors.
func Parse(sections []spec.Section) ([]*Spec, error) {
	var list []*Spec
	var wrong spec.Errors
	files := map[string]string{}
	for _, section := range sections {
		s, errs := parse(section)
		if len(errs) > 0 {
			wrong = append(wrong, errs...)
			continue
		}
		if at, twice := files[s.File]; twice {
			wrong = append(wrong, spec.Error{Place: section.Place, What: fmt.Sprintf("plots: %s is the file of two plots, also of that at %s; give one of them another name with file:", s.File, at)})
		}
		files[s.File] = section.Place
		list = append(list, s)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return list, nil
}

// parse parses one section.
func parse(section spec.Section) (*Spec, spec.Errors) {
	s := &Spec{Place: section.Place, places: map[string]string{}}
	var wrong spec.Errors
	add := func(place, format string, args ...any) {
		what := fmt.Sprintf(format, args...)
		if section.Place != "" {
			what = "plots: " + what
		}
		wrong = append(wrong, spec.Error{Place: place, What: what})
	}
	// about adds what is wrong with a key; on the command line, its flag is the place.
	about := func(key, place, format string, args ...any) {
		if section.Place != "" {
			format = key + ": " + format
		}
		add(place, format, args...)
	}
	keys := s.keys()
	for _, v := range section.Values {
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == v.Name })
		if i < 0 {
			hint := "there are " + strings.Join(Keys(), ", ")
			if n := usage.Nearest(v.Name, Keys()); n != "" {
				hint = "did you mean " + n + "?"
			}
			add(v.Place, "unknown key %q; %s", v.Name, hint)
			continue
		}
		k := keys[i]
		_, again := s.places[k.name]
		s.places[k.name] = v.Place
		if again && k.list == nil {
			add(v.Place, "%s has more than one value", k.name)
			continue
		}
		if err := k.set(v.Value); err != nil {
			about(k.name, v.Place, "%v", err)
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	for _, k := range keys {
		if place, given := s.places[k.name]; given && k.kinds != nil && !slices.Contains(k.kinds, s.Kind) && s.Kind != "" {
			add(place, "%s does not go with kind: %s", k.name, s.Kind)
		}
	}
	caller := usage.Specification
	if section.Place == "" {
		caller = usage.CommandLine
	}
	switch m := s.check(); {
	case m == nil:
	case m.about != nil && m.about != option.PictureKind && s.places[m.about.Key] != "":
		about(m.about.Key, s.places[m.about.Key], "%s", m.what.In(caller))
	case caller == usage.CommandLine:
		add(option.PictureKind.String(), "%s", m.what.In(caller))
	case m.about != nil:
		add(section.Place, "%s: %s", m.about.Key, m.what.In(caller))
	default:
		add(section.Place, "%s", m.what.In(caller))
	}
	if s.File == "" {
		s.File = s.name()
	}
	if strings.Trim(s.File, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" || strings.HasPrefix(s.File, ".") {
		add(s.places["file"], "file: %q; use letters, digits, -, _ and .", s.File)
	}
	return s, wrong
}

// mostLetters is the largest number of characters of a value. A picture has room for far fewer.
const mostLetters = 1000

// set sets the value of a key.
func (k key) set(v string) error {
	if k.from != nil && !slices.Contains(k.from, v) {
		if n := usage.Nearest(v, k.from); n != "" {
			return fmt.Errorf("unknown %q; did you mean %s?", v, n)
		}
		return fmt.Errorf("unknown %q; there are %s", v, strings.Join(k.from, ", "))
	}
	if n := utf8.RuneCountInString(v); n > mostLetters {
		return fmt.Errorf("%d characters; at most %d", n, mostLetters)
	}
	switch {
	case k.list != nil:
		*k.list = append(*k.list, v)
	case k.text != nil:
		*k.text = v
	case k.flag != nil:
		b, err := strconv.ParseBool(v)
		if err != nil {
			return fmt.Errorf("%q is not true or false", v)
		}
		*k.flag = b
	default:
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || !(x >= 4 && x <= 100) { // which NaN is not
			return fmt.Errorf("%q is not a size from 4 to 100 cm", v)
		}
		*k.size = x
	}
	return nil
}

// mistake is what is missing in a Spec, or does not go together.
type mistake struct {
	about *option.Option // nil if it is several
	what  usage.Message
}

// check returns what is wrong with a Spec; nil for nothing.
func (s *Spec) check() *mistake {
	if s.Kind == "" {
		return &mistake{nil, usage.Say("kind is missing; there are %s", strings.Join(Kinds, ", "))}
	}
	lacks := func(o *option.Option, n int, examples ...usage.Message) *mistake {
		if n > 0 {
			return nil
		}
		return &mistake{option.PictureKind, usage.Say("%s needs %s, such as %s", s.Kind, o.Key, usage.Join(examples, ", or "))}
	}
	var errs []*mistake
	switch s.Kind {
	case Lines, Bars:
		errs = append(errs, lacks(option.X, len(s.X), option.X.With("l2.latency")), lacks(option.Y, len(s.Y), option.Y.With("cycles")))
	case Heat:
		errs = append(errs, lacks(option.X, len(s.X), option.X.With("l2.latency")), lacks(option.Y, len(s.Y), option.Y.With("sm.count")), lacks(option.HeatValue, len(s.Value), option.HeatValue.With("cycles")))
	case Histogram:
		errs = append(errs, lacks(option.X, len(s.X), option.X.With("cycles")))
	case Correlation:
		errs = append(errs, lacks(option.Y, len(s.Y), option.Y.With("kernel_seconds")))
		if s.Record == "" {
			errs = append(errs, lacks(option.A, len(s.A), option.A.With("device=hw"), option.RecordOfGPU.With("h200")), lacks(option.B, len(s.B), option.B.With("device=sim:h200")))
		} else if len(s.A) > 0 {
			errs = append(errs, &mistake{nil, usage.Say("record and a are both for the horizontal axis; use one of them")})
		}
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	for _, c := range []struct {
		option *option.Option
		list   []string
	}{{option.Where, s.Where}, {option.A, s.A}, {option.B, s.B}} {
		for _, text := range c.list {
			if _, _, _, err := store.ParseCondition(text); err != nil {
				return &mistake{c.option, usage.Say("%v", err)}
			}
		}
	}
	for _, text := range slices.Concat(s.X, s.Y, []string{s.Value}) {
		if a, b, ok := strings.Cut(text+" ", " / "); ok && (strings.TrimSpace(a) == "" || strings.TrimSpace(b) == "") {
			return &mistake{nil, usage.Say("%q is not a quotient of two, such as cycles / arcs", text)}
		}
	}
	for _, b := range s.Baseline {
		if _, op, _, err := store.ParseCondition(b); err != nil || op != "=" {
			return &mistake{option.Baseline, usage.Say("%q is not NAME=VALUE, such as scheduler=thread", b)}
		}
	}
	if s.Ratio != "" && len(s.Baseline) == 0 {
		return &mistake{nil, usage.Say("ratio needs a baseline, such as %s", option.Baseline.With("scheduler=thread"))}
	}
	if s.Kind == Bars && s.Reduce == "sum" && s.Spread != "" && s.Spread != "none" {
		return &mistake{nil, usage.Say("a sum has no spread")}
	}
	return nil
}

// name returns a name for the file of a picture: lines-cycles-l2.latency.
func (s *Spec) name() string {
	words := []string{string(s.Kind)}
	words = append(words, s.Value)
	words = append(append(words, s.Y...), s.X...)
	words = append(append(words, s.Series...), s.Facet...)
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, strings.Join(words, " "))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	return strings.Trim(name, "-.")
}
