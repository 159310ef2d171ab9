package ptxlitmus

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// mostMistakes is how many mistakes of a file are reported.
const mostMistakes = 20

// errReported ends the reading of a part of a file, the mistake in which has been reported.
var errReported = errors.New("reported before")

// report notes a mistake, unless err is nil.
func (p *parser) report(err error) {
	var e *Error
	if errors.As(err, &e) {
		p.errs = append(p.errs, e)
	}
}

// mistakes returns what has been reported, in the order of the places, and nil if nothing has. Of several mistakes in
// one place it has the first, from which the others follow.
func (p *parser) mistakes() error {
	slices.SortStableFunc(p.errs, func(a, b *Error) int {
		return cmp.Or(a.Pos.Line-b.Pos.Line, a.Pos.Col-b.Pos.Col)
	})
	p.errs = slices.CompactFunc(p.errs, func(a, b *Error) bool { return a.Pos == b.Pos })
	var list []error
	for _, e := range p.errs[:min(len(p.errs), mostMistakes)] {
		list = append(list, e)
	}
	if more := len(p.errs) - len(list); more > 0 {
		list = append(list, fmt.Errorf("%s: and %d more mistakes", p.lexer.file, more))
	}
	return errors.Join(list...)
}

// skipUntil moves to the next token that is one of these, to the end, or to where the next part of the file begins: the
// threads, if init is set, and else the conditions.
func (p *parser) skipUntil(init bool, texts ...string) {
	for p.tok.kind != endOfFile && !slices.Contains(texts, p.tok.text) && !(init && p.atThreads()) && (init || !slices.Contains(tails, p.tok.text)) {
		_ = p.advance() // it has been reported
	}
}
