package ncu

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits of Parse, so that an endless file is an error and does not fill memory.
const (
	MaxBytes     = 1 << 28 // of a file
	maxLineBytes = 1 << 20 // of a line
)

// A ParseError describes a mistake in a CSV file and its place.
type ParseError struct {
	File string
	Line int // from 1; 0 for the file as a whole
	What string
}

func (e *ParseError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.What)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
}

// Parse reads the output of "ncu --csv": a header, and one line for each launch and metric. It skips other lines,
// which the program itself has printed. name is the file's name in errors, which are a *ParseError unless reading
// fails. Times are converted to ns, and units with prefixes to base units.
func Parse(name string, r io.Reader) ([]Launch, error) {
	p := parser{file: name, byID: map[launchID]*Launch{}}
	in := &limited{r: r, left: MaxBytes + 1}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxLineBytes)
	for lines.Scan() {
		if p.line++; in.left <= 0 {
			return nil, p.tooLarge() // this line may be truncated
		}
		if err := p.read(lines.Text()); err != nil {
			return nil, err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		p.line++
		return nil, p.errorf("the line is longer than %d bytes: this is no output of ncu --csv", maxLineBytes)
	case errors.Is(err, errTooLarge):
		return nil, p.tooLarge()
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case p.columns == nil:
		return nil, &ParseError{name, 0, `no header of ncu --csv (a line that begins with "ID",)`}
	case len(p.order) == 0:
		return nil, &ParseError{name, 0, "no launches"}
	}
	list := make([]Launch, 0, len(p.order))
	for _, id := range p.order {
		l := p.byID[id]
		complete(l.Metrics)
		list = append(list, *l)
	}
	slices.SortStableFunc(list, func(a, b Launch) int { return a.ID - b.ID })
	return list, nil
}

func (p *parser) tooLarge() error {
	return &ParseError{p.file, 0, fmt.Sprintf("more than %d MiB: profile fewer launches or metrics", MaxBytes>>20)}
}

// launchID identifies a launch: ncu numbers launches separately for each process.
type launchID struct {
	process string
	id      int
}

type parser struct {
	file    string
	line    int
	header  []string
	columns map[string]int // by name; nil before the header
	bare    bool           // the header has no quotes, as in files written by spreadsheets
	byID    map[launchID]*Launch
	order   []launchID
}

func (p *parser) errorf(format string, args ...any) error {
	return &ParseError{p.file, p.line, fmt.Sprintf(format, args...)}
}

// headerStart and rowStart match the beginning of a header and of a row: the launch's number. Other lines are messages
// of the profiler or output of the program.
var (
	headerStart = regexp.MustCompile(`^(?:"ID"|ID),`)
	rowStart    = regexp.MustCompile(`^"\d+",`)
	bareStart   = regexp.MustCompile(`^\d+,`)
)

// read processes one line.
func (p *parser) read(line string) error {
	if p.line == 1 {
		if strings.HasPrefix(line, "\xff\xfe") || strings.HasPrefix(line, "\xfe\xff") {
			return p.errorf("the file is UTF-16: save it as UTF-8")
		}
		line = strings.TrimPrefix(line, "\ufeff")
	}
	switch {
	case headerStart.MatchString(line):
		return p.readHeader(line)
	case p.columns != nil && (rowStart.MatchString(line) || p.bare && bareStart.MatchString(line)):
		return p.readRow(line)
	}
	return nil
}

// fields splits a line.
func (p *parser) fields(line string) ([]string, error) {
	f, err := csv.NewReader(strings.NewReader(line)).Read()
	if err != nil {
		var bad *csv.ParseError
		if errors.As(err, &bad) {
			return nil, p.errorf("column %d: %v", bad.Column, bad.Err)
		}
		return nil, p.errorf("%v", err)
	}
	return f, nil
}

func (p *parser) readHeader(line string) error {
	f, err := p.fields(line)
	if err != nil {
		return err
	}
	p.header, p.columns, p.bare = f, map[string]int{}, line[0] != '"'
	for i, h := range f {
		if _, twice := p.columns[h]; twice {
			return p.errorf("column %q is there twice", h)
		}
		p.columns[h] = i
	}
	for _, want := range []string{"ID", "Kernel Name", "Metric Name", "Metric Value"} {
		if _, ok := p.columns[want]; !ok {
			return p.errorf("no column %q: this is not what ncu --csv --metrics ... writes (without --page raw)", want)
		}
	}
	return nil
}

func (p *parser) readRow(line string) error {
	f, err := p.fields(line)
	if err != nil {
		return err
	}
	if len(f) != len(p.header) {
		return p.errorf("%d fields, the header has %d", len(f), len(p.header))
	}
	column := func(name string) string {
		if i, ok := p.columns[name]; ok {
			return f[i]
		}
		return ""
	}
	number, err := strconv.Atoi(column("ID"))
	if err != nil {
		return p.errorf("launch number %q is too large", column("ID"))
	}
	value, ok, err := p.value(column("Metric Value"), column("Metric Unit"))
	if err != nil || !ok {
		return err
	}
	kernel, _, _ := strings.Cut(column("Kernel Name"), "(") // C++ kernels have a signature
	id := launchID{column("Process ID"), number}
	l := p.byID[id]
	if l == nil {
		l = &Launch{ID: number, Kernel: kernel, Metrics: map[string]float64{}}
		p.byID[id] = l
		p.order = append(p.order, id)
	}
	if l.Kernel != kernel {
		return p.errorf("launch %d is of kernel %q here and of %q above", number, kernel, l.Kernel)
	}
	metric := column("Metric Name")
	if before, twice := l.Metrics[metric]; twice && before != value {
		return p.errorf("launch %d has %s twice, as %v and %v", number, metric, before, value)
	}
	l.Metrics[metric] = value
	return nil
}

// plainNumber and grouped match numbers as ncu writes them; numeric matches text that looks like a number.
var (
	plainNumber = regexp.MustCompile(`^[+-]?\d+(\.\d*)?([eE][+-]?\d+)?$`)
	grouped     = regexp.MustCompile(`^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$`)
	numeric     = regexp.MustCompile(`^[+-]?\d[\d.,' ]*$`)
)

// value returns a number in base units; ok is false for other text, such as n/a.
func (p *parser) value(text, unit string) (v float64, ok bool, err error) {
	switch {
	case grouped.MatchString(text):
		text = strings.ReplaceAll(text, ",", "")
	case plainNumber.MatchString(text):
	case numeric.MatchString(text):
		return 0, false, p.errorf("value %q: numbers are to be written as 1,234.5 (LC_ALL=C ncu ...)", text)
	default:
		return 0, false, nil
	}
	v, err = strconv.ParseFloat(text, 64)
	if v *= scale(unit); err != nil || math.IsInf(v, 0) {
		return 0, false, p.errorf("value %q is too large", text)
	}
	return v, true, nil
}

// times are the units of time, in ns. ncu picks a unit that suits the number, unless --print-units base is given.
var times = map[string]float64{
	"ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9, "second": 1e9,
}

// prefixed are the units that ncu writes with prefixes.
var prefixed = []string{"byte", "inst", "cycle", "sector", "request", "thread", "warp", "block", "hz"}

// scale returns the factor that converts a number in a unit to base units: 1e3 for Kbyte, the factor to ns for a time,
// the factor to 1/s for a rate.
func scale(unit string) float64 {
	what, per, rate := strings.Cut(unit, "/")
	if s, ok := times[per]; rate && ok {
		return scale(what) * 1e9 / s
	}
	if s, ok := times[what]; ok && !rate {
		return s
	}
	for i, prefix := range []string{"K", "M", "G", "T"} {
		if base, ok := strings.CutPrefix(what, prefix); ok && slices.Contains(prefixed, base) {
			return math.Pow10(3 * (i + 1))
		}
	}
	return 1
}

var errTooLarge = errors.New("the file is too large")

// limited reads at most left bytes and then fails.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}
