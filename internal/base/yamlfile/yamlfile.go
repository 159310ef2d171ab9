package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Place is a position in a file; the first line and column are 1. Line 0 means the file as a whole.
type Place struct {
	File      string
	Line, Col int
}

// String returns "my.yaml:3:5", or only the file name if there is no line.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Mistake is one mistake in a file.
type Mistake struct {
	Place
	What string // the mistake, and what to write instead
}

// Lines returns one line for each of several mistakes, at most 20.
func Lines[E error](mistakes []E) string {
	const many = 20
	var lines []string
	for _, mistake := range mistakes[:min(len(mistakes), many)] {
		lines = append(lines, mistake.Error())
	}
	if more := len(mistakes) - many; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// Pair is a key and its value.
type Pair struct {
	Key   string
	At    Place
	Value ast.Node
}

// Reader reads one file.
type Reader struct {
	File     string // in messages
	Mistakes []Mistake
}

// mostMistakes is how many mistakes a Reader collects. A file with more is something else than it should be, and
// to look for what each unknown name could mean would take long.
const mostMistakes = 100

// Full reports whether there are as many mistakes as a Reader collects, so that the rest of the file need not be checked.
func (r *Reader) Full() bool { return len(r.Mistakes) >= mostMistakes }

// Add adds a mistake, if there are not mostMistakes yet.
func (r *Reader) Add(at Place, format string, args ...any) {
	if r.Full() {
		return
	}
	r.Mistakes = append(r.Mistakes, Mistake{at, fmt.Sprintf(format, args...)})
}

// Document parses text and returns its only document, or nil after a mistake. what is what a file
// describes, such as "one machine"; howTo says what to write into an empty file.
func (r *Reader) Document(text []byte, what, howTo string) ast.Node {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	whole := Place{File: r.File}
	if !utf8.Valid(text) {
		r.Add(whole, "is not UTF-8 text")
		return nil
	}
	if deep(text) {
		r.Add(whole, "has more than %d open brackets; is it %s?", maxDepth, strings.Replace(what, "one ", "a ", 1))
		return nil
	}
	f, err := parse(text)
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		r.Add(r.place(syntax.Token), "%s", inOurWords(syntax.Message))
		return nil
	case err != nil:
		r.Add(whole, "%v", err)
		return nil
	}
	var docs []ast.Node
	for _, d := range f.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType && d.Body.Type() != ast.NullType {
			docs = append(docs, d.Body)
		}
	}
	if len(docs) == 0 {
		r.Add(whole, "is empty; %s", howTo)
		return nil
	}
	if len(docs) > 1 {
		r.Add(r.At(docs[1]), "a second document; a file describes %s", what)
		return nil
	}
	return docs[0]
}

// inOurWords returns a message of the YAML parser with what to write instead, if the mistake is a common one.
func inOurWords(message string) string {
	switch {
	case strings.Contains(message, "\t"):
		return "a tab; indent with spaces"
	case message == "value is not allowed in this context":
		return message + "; lines below values: have the same indentation, such as two spaces"
	}
	return message
}

// maxDepth is how many brackets may be open. The YAML parser takes minutes for thousands of open brackets.
const maxDepth = 64

// deep reports whether more than maxDepth brackets are open; it also counts brackets in quotes.
func deep(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

// parse parses YAML. The YAML parser panics on some malformed texts.
func parse(text []byte) (f *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("is not YAML: %v", p)
		}
	}()
	return parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
}

// place returns the position of a token.
func (r *Reader) place(t *token.Token) Place {
	if t == nil || t.Position == nil {
		return Place{File: r.File}
	}
	return Place{r.File, t.Position.Line, max(t.Position.Column, 1)}
}

// At returns the position at which a node begins.
func (r *Reader) At(n ast.Node) Place {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		n = m.Values[0].Key // the node's own token is the colon after it
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	return r.place(n.GetToken())
}

// Mapping returns the pairs of a node that is expected to be what, such as "a machine". Duplicate keys are an error.
func (r *Reader) Mapping(n ast.Node, what string) (list []Pair, ok bool) {
	m, ok := asMapping(n)
	if !ok {
		r.Add(r.At(n), "%s, not %s", KindOf(n), what)
		return nil, false
	}
	first := map[string]int{}
	for it := m.MapRange(); it.Next(); {
		p := Pair{At: r.At(it.Key()), Value: it.Value()}
		scalar, isText := text(it.Key())
		if _, plain := it.Key().(ast.ScalarNode); !plain || !isText {
			r.Add(p.At, "%s as a key; write a name", KindOf(it.Key()))
			continue
		}
		p.Key = scalar
		if line, twice := first[p.Key]; twice {
			r.Add(p.At, "%s a second time; the first is in line %d", Quoted(p.Key), line)
			continue
		}
		first[p.Key] = p.At.Line
		list = append(list, p)
	}
	return list, true
}

// List returns the elements of a list, or the node itself if it is none.
func List(n ast.Node) []ast.Node {
	if s, ok := n.(*ast.SequenceNode); ok {
		return s.Values
	}
	return []ast.Node{n}
}

// Scalar returns a value that is one word, number or text.
func (r *Reader) Scalar(p Pair) (string, bool) {
	s, ok := text(p.Value)
	if !ok {
		r.Add(r.At(p.Value), "%s: %s, not one value", p.Key, KindOf(p.Value))
	}
	return s, ok
}

// IsMapping reports whether n is a mapping.
func IsMapping(n ast.Node) bool { _, ok := asMapping(n); return ok }

// IsNothing reports whether n is the empty value.
func IsNothing(n ast.Node) bool { return n == nil || n.Type() == ast.NullType }

// asMapping returns n if it is a mapping. Anchors, aliases and tags are not supported.
func asMapping(n ast.Node) (ast.MapNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n, true
	case *ast.MappingValueNode:
		return n, true
	}
	return nil, false
}

// text returns the text of a scalar as written, without quotes.
func text(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	case *ast.MappingNode:
		if len(n.Values) == 1 {
			return colon(n.Values[0])
		}
	case *ast.MappingValueNode:
		return colon(n)
	}
	return "", false
}

// colon returns the text of a scalar with a colon, such as sim:h200, that the parser takes for a
// key and a value where brackets are nested. In YAML a colon ends a key there only if a space
// follows.
func colon(n *ast.MappingValueNode) (string, bool) {
	key, ok := text(n.Key)
	k := n.Key.GetToken()
	if !ok || k == nil || n.Value == nil {
		return "", false
	}
	value, ok := text(n.Value)
	first := n.Value
	switch m := first.(type) {
	case *ast.MappingNode:
		first = m.Values[0].Key
	case *ast.MappingValueNode:
		first = m.Key
	}
	v := first.GetToken()
	if !ok || v == nil || k.Position.Line != v.Position.Line || v.Position.Column != k.Position.Column+len([]rune(key))+1 {
		return "", false
	}
	return key + ":" + value, true
}

// KindOf describes a node in words.
func KindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return "an anchor, alias or tag (not supported)"
	}
	return "a " + strings.ToLower(n.Type().String())
}

// Quoted returns text from a file, shortened and quoted for a message.
func Quoted(s string) string {
	const long = 60
	if len(s) > long {
		s = s[:long] + "..."
	}
	return strconv.Quote(s)
}
