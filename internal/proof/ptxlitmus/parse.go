package ptxlitmus

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The limits of a test. They keep a hostile file from using much memory; the largest
// published test has 8 threads and 40 rows.
const (
	MaxThreads = 64
	maxRows    = 10_000
	// maxLocations bounds what a run allocates, which is a word of each location for each
	// of many thousand instances. An execution has at most maxEvents events.
	maxLocations = 256
	maxDepth     = 200 // of parentheses in a condition
)

// Parse reads one test. file is its name, for messages and for Test.Name. The error has
// all mistakes that it finds, in the order of their places; each is an *[Error].
func Parse(file, src string) (*Test, error) {
	name := strings.TrimSuffix(filepath.Base(file), ".litmus")
	p := &parser{
		lexer: lexer{file: file, src: src, pos: Pos{1, 1}},
		test:  &Test{File: file, Name: name},
		locs:  map[string]int{},
	}
	p.report(p.file())
	if err := p.mistakes(); err != nil {
		return nil, err
	}
	return p.test, nil
}

// parser reads a test by recursive descent with one token ahead.
type parser struct {
	lexer
	tok    token // the next one
	test   *Test
	locs   map[string]int // indices of test.Locations by name
	labels []map[string]int
	jumps  []jump
	inits  []threadReg // registers of the init block, before the threads are known
	depth  int
	errs   []*Error
	// unsure is set if a declaration of a thread is wrong, so that it is not known which threads there are.
	unsure bool
}

// jump is a branch whose label may not have been seen yet.
type jump struct {
	thread, instr int
	label         token
}

// threadReg is a register as it is written, with the number after P.
type threadReg struct {
	thread token
	init   RegInit
}

// advance moves to the next token. If there is something else before it, that is reported.
func (p *parser) advance() error {
	reported := error(nil)
	for {
		t, err := p.next()
		if p.tok = t; err == nil {
			return reported
		}
		p.report(err)
		reported = errReported
	}
}

// got moves over the next token if it is this word or punctuation.
func (p *parser) got(text string) (bool, error) {
	if p.tok.kind == endOfFile || p.tok.text != text {
		return false, nil
	}
	return true, p.advance()
}

// need moves over the next token, which has to be this one.
func (p *parser) need(text, where string) error {
	if p.tok.kind == endOfFile || p.tok.text != text {
		return p.errorf(p.tok.pos, "expected %q %s, got %s", text, where, p.tok)
	}
	return p.advance()
}

func (p *parser) file() error {
	if err := p.header(); err != nil {
		return err
	}
	if err := p.init(); err != nil {
		return err
	}
	if err := p.threads(); err != nil {
		return err
	}
	p.registers()
	if err := p.rows(); err != nil {
		return err
	}
	p.resolve()
	if err := p.observed(); err != nil {
		p.report(err)
		p.skipUntil(false)
	}
	if err := p.conditions(); err != nil {
		return err
	}
	if p.tok.kind != endOfFile {
		return p.errorf(p.tok.pos, "expected the end of the file after the condition, got %s", p.tok)
	}
	return nil
}

// header reads everything before the init block: PTX, a name, and comments in quotes.
func (p *parser) header() error {
	if err := p.space(); err != nil {
		return err
	}
	start := p.pos
	end := strings.IndexByte(p.src[p.at:], '{')
	if end < 0 {
		return p.errorf(start, "the file has no init block; write { and } even if it is empty")
	}
	text := p.src[p.at : p.at+end]
	line, rest, _ := strings.Cut(text, "\n")
	arch, title, _ := strings.Cut(strings.TrimSpace(line), " ")
	if arch != "PTX" && arch != "ptx" {
		return p.errorf(start, "a PTX litmus test starts with \"PTX NAME\", this one with %q", clip(arch))
	}
	p.test.Title = strings.TrimSpace(title)
	p.test.Comment = strings.TrimSpace(strings.ReplaceAll(rest, `"`, ""))
	p.skip(end)
	return p.advance()
}

// clip shortens a text for a message.
func clip(s string) string {
	if r := []rune(s); len(r) > 20 {
		return string(r[:20]) + "..."
	}
	return s
}

// location returns the index of a location and adds it if it is new.
func (p *parser) location(t token) (int, error) {
	switch {
	case t.kind != word || strings.Contains(t.text, "."):
		return 0, p.errorf(t.pos, "expected a location, got %s", t)
	case isRegister(t.text):
		return 0, p.errorf(t.pos, "expected a location, got the register %s", t.text)
	}
	i, ok := p.locs[t.text]
	if !ok {
		if i = len(p.test.Locations); i == maxLocations {
			return 0, p.errorf(t.pos, "a test has at most %d locations", maxLocations)
		}
		p.locs[t.text] = i
		p.test.Locations = append(p.test.Locations, Location{Name: t.text, Pos: t.pos})
	}
	return i, nil
}

// constant reads a number of 32 bits, signed or unsigned.
func (p *parser) constant() (int32, error) {
	v, err := p.parseConstant(p.tok)
	if err != nil {
		return 0, err
	}
	return v, p.advance()
}

func (p *parser) parseConstant(t token) (int32, error) {
	if t.kind != number {
		return 0, p.errorf(t.pos, "expected a number, got %s", t)
	}
	text, base := t.text, 10 // a leading zero does not mean octal
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		text, base = hex, 16
	}
	v, err := strconv.ParseInt(text, base, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, p.errorf(t.pos, "%s is not a number", t)
	case err != nil || v < math.MinInt32 || v > math.MaxUint32:
		return 0, p.errorf(t.pos, "%s does not fit into a word of 32 bits", t.text)
	}
	return int32(v), nil
}

// isThread reports whether s is P0 or 0.
func isThread(s string) bool { return digits(strings.TrimPrefix(s, "P")) }

// isRegister reports whether s is r and digits.
func isRegister(s string) bool {
	rest, ok := strings.CutPrefix(s, "r")
	return ok && digits(rest)
}

func digits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != "" && len(s) < 10
}

// thread returns the index of the thread that is named P0 or 0. If there is none, that is
// reported, and the index is -1.
func (p *parser) thread(t token) (int, error) {
	id, err := strconv.Atoi(strings.TrimPrefix(t.text, "P"))
	if err != nil || !isThread(t.text) {
		return 0, p.errorf(t.pos, "expected a thread such as P0, got %s", t)
	}
	i := slices.IndexFunc(p.test.Threads, func(th Thread) bool { return th.ID == id })
	if i < 0 {
		if !p.unsure {
			p.report(p.errorf(t.pos, "the test has no thread P%d; it has %s", id, p.threadNames()))
		}
	}
	return i, nil
}

func (p *parser) threadNames() string {
	var names []string
	for _, th := range p.test.Threads {
		names = append(names, fmt.Sprintf("P%d", th.ID))
	}
	return strings.Join(names, ", ")
}

// threads reads P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
func (p *parser) threads() error {
	for {
		th := Thread{ID: -1}
		if err := p.declareThread(&th); err != nil {
			p.report(err)
			p.unsure = true
			p.skipUntil(false, "|", ";")
		}
		if len(p.test.Threads) == MaxThreads {
			return p.errorf(p.tok.pos, "a test has at most %d threads", MaxThreads)
		}
		p.test.Threads = append(p.test.Threads, th)
		p.labels = append(p.labels, map[string]int{})
		if ok, err := p.got("|"); err != nil || ok {
			p.report(err)
			continue
		}
		err := p.need(";", "after the threads")
		if p.report(err); err != nil {
			p.unsure = true
			p.skipUntil(false, ";")
			_, err = p.got(";")
			p.report(err)
		}
		return nil
	}
}

// declareThread reads P0@cta 0,gpu 0.
func (p *parser) declareThread(th *Thread) error {
	t := p.tok
	if t.kind != word || !isThread(t.text) {
		return p.errorf(t.pos, "expected a thread such as \"P0@cta 0,gpu 0\", got %s", t)
	}
	id, _ := strconv.Atoi(t.text[1:])
	if slices.ContainsFunc(p.test.Threads, func(o Thread) bool { return o.ID == id }) {
		return p.errorf(t.pos, "thread P%d is declared twice", id)
	}
	th.ID = id
	if err := p.advance(); err != nil {
		return err
	}
	for _, part := range []struct {
		before, name string
		to           *int
	}{{"@", "cta", &th.CTA}, {",", "gpu", &th.GPU}} {
		if err := p.need(part.before, fmt.Sprintf("before the %s of P%d", part.name, id)); err != nil {
			return err
		}
		if err := p.need(part.name, fmt.Sprintf("in the declaration of P%d", id)); err != nil {
			return err
		}
		at := p.tok.pos
		n, err := p.constant()
		if err != nil {
			return err
		}
		if n < 0 {
			return p.errorf(at, "the number of a %s is not negative", part.name)
		}
		*part.to = int(n)
	}
	return nil
}

// rows reads the instructions: a row has one cell a thread, which may be empty.
func (p *parser) rows() error {
	for n := 0; !p.atTail(); n++ {
		if n == maxRows {
			return p.errorf(p.tok.pos, "a test has at most %d rows", maxRows)
		}
		if err := p.row(); err != nil {
			p.report(err)
			p.skipUntil(false, ";")
			_, err = p.got(";")
			p.report(err)
		}
	}
	return nil
}

// row reads a row up to its semicolon. A mistake in one cell does not keep it from the others.
func (p *parser) row() error {
	for i := range p.test.Threads {
		if p.tok.text != "|" && p.tok.text != ";" {
			if err := p.cell(i); err != nil {
				p.report(err)
				p.skipUntil(false, "|", ";")
			}
		}
		last := i == len(p.test.Threads)-1
		switch {
		case p.unsure && last:
			p.skipUntil(false, ";")
		case p.unsure && p.tok.text == ";":
			return p.advance()
		case last && p.tok.text == "|":
			return p.errorf(p.tok.pos, "the row has more columns than there are threads (%d)", i+1)
		case !last && p.tok.text == ";":
			return p.errorf(p.tok.pos, "the row has %d columns, there are %d threads", i+1, len(p.test.Threads))
		}
		end := map[bool]string{false: "|", true: ";"}[last]
		if err := p.need(end, "after the instruction"); err != nil {
			return err
		}
	}
	return nil
}

// tails are the words with which the part after the instructions begins.
var tails = []string{"exists", "forall", "filter", "locations", "final"}

// atTail reports whether the instructions have ended.
func (p *parser) atTail() bool {
	return p.tok.kind == endOfFile || slices.Contains(tails, p.tok.text) || p.tok.text == "~" || p.tok.text == "not"
}

// resolve sets the targets of branches.
func (p *parser) resolve() {
	for _, j := range p.jumps {
		to, ok := p.labels[j.thread][j.label.text]
		if !ok {
			p.report(p.errorf(j.label.pos, "%s has no label %s", p.threadName(j.thread), j.label.text))
		}
		p.test.Threads[j.thread].Code[j.instr].Target = to
	}
}

func (p *parser) threadName(i int) string {
	if id := p.test.Threads[i].ID; id >= 0 {
		return fmt.Sprintf("thread P%d", id)
	}
	return "this thread"
}
