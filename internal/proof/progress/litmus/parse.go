package litmus

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/proof/progress"
)

// The limits of a test.
const (
	MaxThreads = progress.MaxThreads
	MaxInstrs  = 1 << 12 // of a thread
	MaxCells   = 1 << 10
)

// mostErrors limits the mistakes that are reported for a file.
const mostErrors = 10

// An Error is a mistake in a file.
type Error struct {
	File      string
	Line, Col int // from 1; Col counts bytes
	What      string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.What) }

// Parse reads a test in the text form. It reports the first mistakes, joined,
// each an *Error. Blank lines, and spaces between the parts of a line, mean nothing; //
// starts a comment.
func Parse(name, file, text string) (*Test, error) {
	p := &parser{file: file, test: &Test{Name: name}}
	for text := range strings.Lines(text) {
		p.line++
		text = strings.TrimRight(text, "\r\n")
		p.text, p.at = text, 0
		if i := strings.Index(text, "//"); i >= 0 {
			p.text = text[:i]
		}
		if p.space(); p.at < len(p.text) {
			p.statement()
		}
	}
	p.endThread()
	if len(p.test.Threads) == 0 && len(p.errs) == 0 {
		p.line = max(p.line, 1)
		p.fail(0, "the file has no test: it must begin with THREAD0")
	}
	if len(p.errs) > 0 {
		slices.SortStableFunc(p.errs, func(a, b *Error) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Col - b.Col
		})
		var list []error
		for _, e := range p.errs[:min(len(p.errs), mostErrors)] {
			list = append(list, e)
		}
		if more := len(p.errs) - len(list); more > 0 {
			list = append(list, fmt.Errorf("%s: and %d more mistakes", file, more))
		}
		return nil, errors.Join(list...)
	}
	return p.test, nil
}

// parser is the state of Parse in one line.
type parser struct {
	file    string
	test    *Test
	text    string // of the line, without its comment
	line    int
	at      int      // byte in text that comes next
	heading int      // line of the current thread's heading
	jumps   []target // of the current thread
	errs    []*Error
}

// target is a branch target, which can be checked only at the end of a thread.
type target struct{ instr, number, line, col int }

// fail records a mistake at a byte of the line.
func (p *parser) fail(at int, format string, args ...any) {
	p.errs = append(p.errs, &Error{p.file, p.line, at + 1, fmt.Sprintf(format, args...)})
}

func (p *parser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// word takes letters, digits and underscores.
func (p *parser) word() string {
	from := p.at
	for p.at < len(p.text) && (p.text[p.at] == '_' || p.text[p.at] >= '0' && p.text[p.at] <= '9' ||
		p.text[p.at]|0x20 >= 'a' && p.text[p.at]|0x20 <= 'z') {
		p.at++
	}
	return p.text[from:p.at]
}

// take takes one character, which must be c.
func (p *parser) take(c byte, after string) bool {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		p.space()
		return true
	}
	p.fail(p.at, "expected %q after %s, found %s", string(c), after, p.found())
	return false
}

// found describes what comes next.
func (p *parser) found() string {
	if p.at >= len(p.text) {
		return "the end of the line"
	}
	return strconv.Quote(strings.TrimSpace(p.text[p.at:]))
}

// statement reads a line that is not empty.
func (p *parser) statement() {
	from := p.at
	word := p.word()
	if number, ok := strings.CutPrefix(word, "THREAD"); ok {
		p.thread(from, word, number)
		return
	}
	op := Op(slices.Index(opNames[:], word))
	if slices.Index(opNames[:], word) < 0 {
		p.at = from
		p.fail(from, "expected THREAD or one of %s, found %s", strings.Join(opNames[:], ", "), p.found())
		return
	}
	if len(p.test.Threads) == 0 {
		p.fail(from, "an instruction before THREAD0")
		return
	}
	last := len(p.test.Threads) - 1
	if len(p.test.Threads[last]) == MaxInstrs {
		p.fail(0, "a thread has at most %d instructions", MaxInstrs)
		return
	}
	in := Instr{Op: op, Line: p.line}
	if p.operands(&in, word) {
		p.lineEnd(word + "(...)")
	}
	// Also an invalid one counts, so that later branch targets are right.
	p.test.Threads[last] = append(p.test.Threads[last], in)
}

// thread reads the rest of a heading.
func (p *parser) thread(from int, word, number string) {
	p.endThread()
	p.heading, p.jumps = p.line, nil
	want := len(p.test.Threads)
	if n, err := strconv.Atoi(number); err != nil || n != want || len(number) > 1 && number[0] == '0' {
		p.fail(from, "expected THREAD%d, found %s", want, word)
	}
	if want == MaxThreads {
		p.fail(from, "a test has at most %d threads", MaxThreads)
	}
	p.test.Threads = append(p.test.Threads, nil)
	p.lineEnd(word)
}

// lineEnd requires that nothing follows on the line.
func (p *parser) lineEnd(after string) {
	if p.space(); p.at < len(p.text) {
		p.fail(p.at, "expected the end of the line after %s, found %s", after, p.found())
	}
}

// endThread checks the thread that ends before this line.
func (p *parser) endThread() {
	if len(p.test.Threads) == 0 {
		return
	}
	last := len(p.test.Threads) - 1
	code := p.test.Threads[last]
	if len(code) == 0 && len(p.errs) == 0 {
		p.errs = append(p.errs, &Error{p.file, p.heading, 1, fmt.Sprintf("THREAD%d has no instruction", last)})
	}
	for _, j := range p.jumps {
		if j.number >= len(code) {
			p.errs = append(p.errs, &Error{p.file, j.line, j.col,
				fmt.Sprintf("there is no instruction %d: THREAD%d has instructions 0 to %d; write %s to jump to its end", j.number, last, len(code)-1, end)})
		} else {
			code[j.instr].Target = j.number
		}
	}
	for i := range code {
		if code[i].Target < 0 {
			code[i].Target = len(code)
		}
	}
}

// operands reads the operands of an instruction, in parentheses.
func (p *parser) operands(in *Instr, name string) (ok bool) {
	if !p.take('(', name) {
		return false
	}
	cell, ok := p.number("a cell", MaxCells-1)
	if !ok {
		return false
	}
	in.Cell = int(cell)
	p.test.Cells = max(p.test.Cells, in.Cell+1)
	if in.Op != Store {
		if in.Check, ok = p.operand("a value to compare with"); !ok {
			return false
		}
	}
	if in.Op != ChkBranch {
		if in.Value, ok = p.operand("a value to store"); !ok {
			return false
		}
	}
	if in.Op != Store && !p.branch(in) {
		return false
	}
	return p.take(')', "the operands of "+name)
}

// operand reads a comma and a value.
func (p *parser) operand(what string) (uint32, bool) {
	if !p.take(',', "the operand") {
		return 0, false
	}
	const largest = 1<<32 - 1
	v, ok := p.number(what, largest)
	return uint32(v), ok
}

// number reads a decimal number of at most most.
func (p *parser) number(what string, most uint64) (uint64, bool) {
	from := p.at
	word := p.word()
	v, err := strconv.ParseUint(word, 10, 64)
	switch {
	case word == "" || err != nil && !errors.Is(err, strconv.ErrRange):
		p.at = from
		p.fail(from, "expected %s, found %s", what, p.found())
	case err != nil || v > most:
		p.fail(from, "%s is too large: %s is 0 to %d", word, what, most)
	default:
		return v, true
	}
	return 0, false
}

// branch reads a comma and a branch target. The target is checked at the end of
// the thread.
func (p *parser) branch(in *Instr) bool {
	if !p.take(',', "the operand") {
		return false
	}
	from := p.at
	if p.word() == end {
		in.Target = -1
		return true
	}
	p.at = from
	n, ok := p.number("a branch target (an instruction's number or "+end+")", MaxInstrs-1)
	if ok {
		instr := len(p.test.Threads[len(p.test.Threads)-1])
		p.jumps = append(p.jumps, target{instr, int(n), p.line, from + 1})
	}
	return ok
}
