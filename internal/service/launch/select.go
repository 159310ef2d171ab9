package launch

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Part is a range of elements of a buffer, which --print shows.
type Part struct {
	buffer, lo, hi int // index of the buffer and range of elements, without hi
}

// Part parses the argument of --print: "y", "y[7]", "y[0:16]".
func (j *Job) Part(text string) (p Part, err error) {
	name, bounds := text, ""
	if p.buffer, err = j.buffer(text); err != nil && strings.HasSuffix(text, "]") {
		at := strings.LastIndex(text, "[")
		if at < 0 {
			at = 0
		}
		name, bounds = text[:at], strings.TrimSuffix(text[at+1:], "]")
		p.buffer, err = j.buffer(name)
	}
	if err != nil {
		return p, prefixed(option.Print, err)
	}
	n := j.buffers[p.buffer].elements()
	if p.hi = n; name == text {
		return p, nil
	}
	lo, hi, isRange := strings.Cut(bounds, ":")
	for _, b := range []struct {
		text string
		to   *int
	}{{lo, &p.lo}, {hi, &p.hi}} {
		if isRange && b.text == "" || !isRange && b.to == &p.hi {
			continue
		}
		if *b.to, err = strconv.Atoi(b.text); err != nil {
			return p, usage.Errorf(usage.Say("such as %s", option.Print.With(name+"[0:16]")), "%s: %q is not an index", option.Print, b.text)
		}
	}
	if !isRange {
		p.hi = p.lo + 1
	}
	if p.lo < 0 || p.hi < p.lo || p.hi > n {
		return p, usage.Errorf("", "%s: %s is out of range of %s, which has %s", option.Print, text, name, count(n, "element"))
	}
	return p, nil
}

// Save is a file to which --save writes a buffer.
type Save struct {
	Path   string
	buffer int
}

// Save parses the argument of --save: "y=FILE".
func (j *Job) Save(text string) (s Save, err error) {
	name, path, ok := strings.Cut(text, "=")
	if !ok || name == "" || path == "" {
		return s, usage.Errorf(usage.Say("write %s, such as %s", option.Save.With("BUFFER=FILE"), option.Save.With("y=y.bin")), "%s: %q is not BUFFER=FILE", option.Save, text)
	}
	s.Path = path
	if s.buffer, err = j.buffer(name); err != nil {
		return s, prefixed(option.Save, err)
	}
	return s, nil
}

// prefixed returns a usage error with the option that it is about.
func prefixed(about *option.Option, err error) error {
	e, ok := err.(*usage.Error)
	if !ok {
		return err
	}
	return usage.Errorf(e.Hint, "%s: %s", about, e.What)
}

// Left reports whether the buffers could be read after the launches.
func (r *Result) Left() bool { return len(r.after) == len(r.job.buffers) }

// Content returns a function that writes a buffer as the launches left it: as
// text if the file's name ends in .txt, else as in memory.
func (r *Result) Content(s Save) func(io.Writer) error {
	d := r.after[s.buffer]
	if textFile(s.Path) {
		return d.WriteText
	}
	return d.WriteBinary
}

// Table returns the elements of a part as rows of text: a header, then for each
// element its index and a column for each number.
func (r *Result) Table(p Part) (rows [][]string) {
	d := r.after[p.buffer]
	head := []string{"index"}
	for _, f := range d.leaf.elem.fields {
		head = append(head, d.leaf.name+f.name)
	}
	rows = append(rows, head)
	n := d.leaf.elem.units
	for i := p.lo * n; i < p.hi*n; i++ {
		row := []string{strconv.Itoa(i)}
		if n > 1 {
			row[0] = fmt.Sprintf("%d,%d", i/n, i%n)
		}
		for _, f := range d.leaf.elem.fields {
			row = append(row, f.kind.text(d.at(i, f)))
		}
		rows = append(rows, row)
	}
	return rows
}

// Keep stores the elements of a part in the summary of their buffer, for JSON:
// a struct or an array as a list of its numbers.
func (r *Result) Keep(p Part) {
	d, s := r.after[p.buffer], r.Buffers[p.buffer]
	s.From, s.Values = &p.lo, []any{}
	for e := p.lo; e < p.hi; e++ {
		var numbers []any
		for i := e * d.leaf.elem.units; i < (e+1)*d.leaf.elem.units; i++ {
			for _, f := range d.leaf.elem.fields {
				numbers = append(numbers, jsonValue(f.kind, d.at(i, f)))
			}
		}
		if len(numbers) == 1 {
			s.Values = append(s.Values, numbers[0])
		} else {
			s.Values = append(s.Values, numbers)
		}
	}
}
