package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Values returns all parameters by path, as int, float64, bool or string.
func (g *GPU) Values() map[string]any {
	values := map[string]any{}
	ps := table()
	for i := range ps {
		values[ps[i].Path] = g.typed(&ps[i])
	}
	return values
}

// Files returns the user's files that the machine was loaded from: the machine's own file, its base's file and so on;
// it is empty for a preset.
func (g *GPU) Files() []string { return slices.Clone(g.files) }

// Hash identifies the values of all parameters, in 16 hexadecimal digits: machines with equal hashes take the same
// cycles, regardless of the file or name under which they were loaded. A version of the program that has other
// parameters computes other hashes, except of machines that lack what a later parameter is for: those keep their hash, so that
// what was recorded of them stays comparable.
func (g *GPU) Hash() string {
	ps := slices.Clone(table())
	slices.SortFunc(ps, func(a, b Parameter) int { return cmp.Compare(a.Path, b.Path) })
	h := sha256.New()
	for i := range ps {
		v, _ := g.Get(ps[i].Path)
		if without, added := later[ps[i].Path]; added && v == without {
			continue
		}
		fmt.Fprintf(h, "%s=%s\n", ps[i].Path, v)
	}
	const digits = 16
	return hex.EncodeToString(h.Sum(nil))[:digits]
}

// later are the parameters that were added after machines had been recorded, each with the value that changes nothing of what was
// recorded: 0 where a machine without what the parameter is for has that, and the value of base where it is for instructions that
// came with it.
var later = map[string]string{
	"launch.device": "0", "fence.gap": "0", "fence.system": "0", "fence.system_gap": "0", "fence.peers": "0", "l2.copies": "0", "l2.pair": "0", "l2.load": "0", "xbar.group_line": "0", "xbar.group_answer": "0", "xbar.group_reads": "0", "atomic.full": "0",
	"tensor.half": "0", "tensor.tf32": "0", "tensor.integer": "0", "tensor.bits": "0", "tensor.double": "0", "tensor.latency": "0", "tensor.step": "0", "tensor.double_latency": "0",
	"cluster.latency": "207", "cluster.load": "1.9", "cluster.store": "0.5", "cluster.atomic": "3.4", "cluster.barrier": "60", "mbarrier.arrive": "60", "mbarrier.suspend": "40",
}

// WriteYAML writes the machine as a file that Load reads back as the same machine. The file has every parameter with
// its unit, range, meaning and source.
func (g *GPU) WriteYAML(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "# Every parameter of %s, each with its range in brackets. Your own file can name\n"+
		"# another machine as its base (base: h200) and list only the parameters that differ.\n", strconv.Quote(g.Name))
	fmt.Fprintf(&s, "title: %s\nvalues:\n", strconv.Quote(g.Title))
	ps, last := g.Parameters(), ""
	for i := range ps {
		p := &ps[i]
		group, _, _ := strings.Cut(p.Path, ".")
		if group != last && i > 0 {
			s.WriteByte('\n')
		}
		last = group
		v := p.Values[g.Name]
		value := v.Value
		if p.kind == reflect.String && (!plain.MatchString(value) || value == "null") {
			value = strconv.Quote(value)
		}
		fmt.Fprintf(&s, "  # %s [%s]\n", p.Doc, p.Range())
		more := ""
		if v.Fitted != "" {
			more += ", fitted: " + strconv.Quote(v.Fitted)
		}
		if v.Differs != "" {
			more += ", differs: " + strconv.Quote(v.Differs)
		}
		fmt.Fprintf(&s, "  %-23s {value: %s, unit: %s, source: %s%s}\n", p.Path+":", value, p.Unit, strconv.Quote(v.place()), more)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// plain matches policy names that need no quotes in YAML.
var plain = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// place returns the source of a value, its place in a file, or both; "set" if it has neither.
func (s Sourced) place() string {
	switch {
	case s.Source == "" && s.At == "":
		return "set"
	case s.Source == "":
		return s.At
	case s.At == "":
		return s.Source
	}
	return s.Source + " (" + s.At + ")"
}

// Origin returns where a value comes from, followed by what it was fitted to and what the model does otherwise.
func (s Sourced) Origin() string {
	text := s.place()
	if s.Fitted != "" {
		text += "; fitted to " + s.Fitted
	}
	if s.Differs != "" {
		text += "; here " + s.Differs
	}
	return text
}
