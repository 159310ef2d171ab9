package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// layer is one file of a machine: a preset or a user's file.
type layer struct {
	name   string // the name of a preset, or the path of a file
	preset bool
	title  string
	year   int  // year of release; 0 if unknown
	family bool // not a machine, but what several machines share
	base   string
	baseAt Place
	values map[string]entry
	err    error // all mistakes in it
}

// entry is the value of a parameter in a layer.
type entry struct {
	text   string // in the parameter's unit
	source string
	at     Place
}

// keys are the keys that a file may have at its top level.
var keys = []string{"title", "base", "year", "family", "values"}

// howTo says what a machine's file contains.
const howTo = "write base: h200 and, under values:, the parameters that differ"

// fileReader reads the text of a layer.
type fileReader struct {
	*layer
	file string // in messages
	errs Errors
}

// readLayer parses the text of a preset or of a user's file. In a preset, every value needs a unit and a source.
func readLayer(name, file string, preset bool, text []byte) *layer {
	r := &fileReader{layer: &layer{name: name, preset: preset, values: map[string]entry{}}, file: file}
	r.read(text)
	r.err = r.errs.sorted()
	return r.layer
}

func (r *fileReader) read(text []byte) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	whole := Place{File: r.file}
	if !utf8.Valid(text) {
		r.errs.add(whole, "is not UTF-8 text")
		return
	}
	if deep(text) {
		r.errs.add(whole, "has more than %d open brackets; is it a machine?", maxDepth)
		return
	}
	f, err := parse(text)
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &syntax):
		r.errs.add(r.place(syntax.Token), "%s", inOurWords(syntax.Message))
		return
	case err != nil:
		r.errs.add(whole, "%v", err)
		return
	}
	var docs []ast.Node
	for _, d := range f.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType && d.Body.Type() != ast.NullType {
			docs = append(docs, d.Body)
		}
	}
	if len(docs) == 0 {
		r.errs.add(whole, "is empty; %s", howTo)
		return
	}
	if len(docs) > 1 {
		r.errs.add(r.at(docs[1]), "a second document; a file describes one machine")
		return
	}
	fields, ok := r.mapping(docs[0], "a machine; "+howTo)
	if !ok {
		return
	}
	for _, f := range fields {
		r.field(f)
	}
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

// maxDepth is how many brackets may be open; a machine has one. The YAML parser takes minutes for thousands of open
// brackets.
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
func (r *fileReader) place(t *token.Token) Place {
	if t == nil || t.Position == nil {
		return Place{File: r.file}
	}
	return Place{r.file, t.Position.Line, max(t.Position.Column, 1)}
}

// at returns the position at which a node begins.
func (r *fileReader) at(n ast.Node) Place {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		n = m.Values[0].Key // the node's own token is the colon after it
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	return r.place(n.GetToken())
}

// pair is a key and its value.
type pair struct {
	key   string
	at    Place
	value ast.Node
}

// mapping returns the pairs of a node that is expected to be what, such as "a machine". Duplicate keys are an error.
func (r *fileReader) mapping(n ast.Node, what string) (list []pair, ok bool) {
	m, ok := asMapping(n)
	if !ok {
		r.errs.add(r.at(n), "%s, not %s", kindOf(n), what)
		return nil, false
	}
	first := map[string]int{}
	for it := m.MapRange(); it.Next(); {
		p := pair{at: r.at(it.Key()), value: it.Value()}
		scalar, isText := text(it.Key())
		if _, plain := it.Key().(ast.ScalarNode); !plain || !isText {
			r.errs.add(p.at, "%s as a key; write a name", kindOf(it.Key()))
			continue
		}
		p.key = scalar
		if line, twice := first[p.key]; twice {
			r.errs.add(p.at, "%s a second time; the first is in line %d", quoted(p.key), line)
			continue
		}
		first[p.key] = p.at.Line
		list = append(list, p)
	}
	return list, true
}

// field reads one of the top-level keys.
func (r *fileReader) field(p pair) {
	var err error
	switch p.key {
	case "title":
		r.title, _ = r.scalar(p)
	case "base":
		r.base, _ = r.scalar(p)
		r.baseAt = r.at(p.value)
	case "year":
		if s, ok := r.scalar(p); ok {
			if r.year, err = strconv.Atoi(s); err != nil {
				r.errs.add(r.at(p.value), "year: %s is not a year", quoted(s))
			}
		}
	case "family":
		if s, ok := r.scalar(p); ok {
			if r.family, err = strconv.ParseBool(s); err != nil {
				r.errs.add(r.at(p.value), "family: %s is not true or false", quoted(s))
			}
		}
	case "values":
		if p.value.Type() == ast.NullType { // all values are commented out
			return
		}
		values, _ := r.mapping(p.value, "parameters with their values, such as sm.count: 16")
		for _, v := range values {
			r.value(v)
		}
	default:
		hint := "there are " + strings.Join(keys, ", ")
		if near := slices.MinFunc(keys, func(a, b string) int { return distance(p.key, a) - distance(p.key, b) }); distance(p.key, near) <= 2 {
			hint = "did you mean " + near + "?"
		} else if _, err := lookup(p.key); err == nil || group(p.key) {
			hint = "parameters belong under values:"
		}
		r.errs.add(p.at, "unknown key %s; %s", quoted(p.key), hint)
	}
}

// scalar returns a value that is one word, number or text.
func (r *fileReader) scalar(p pair) (string, bool) {
	s, ok := text(p.value)
	if !ok {
		r.errs.add(r.at(p.value), "%s: %s, not one value", p.key, kindOf(p.value))
	}
	return s, ok
}

// value reads the value of a parameter: "16", "1.98 GHz" or
// {value: 1.98, unit: GHz, source: data sheet}.
func (r *fileReader) value(p pair) {
	if group(p.key) {
		r.errs.add(p.at, "%s is a group of parameters; write each with its whole name, such as %s", p.key, firstOf(p.key))
		return
	}
	param, err := lookup(p.key)
	if err != nil {
		r.errs.add(p.at, "%v", err)
		return
	}
	e, at := entry{at: p.at}, r.at(p.value)
	given := map[string]pair{}
	if _, ok := asMapping(p.value); ok {
		parts, _ := r.mapping(p.value, "")
		for _, f := range parts {
			if !slices.Contains([]string{"value", "unit", "source"}, f.key) {
				r.errs.add(f.at, "%s: unknown key %s; there are value, unit, source", p.key, quoted(f.key))
				continue
			}
			given[f.key] = f
		}
		v, ok := given["value"]
		if !ok {
			r.errs.add(at, "%s has no value; write {value: ..., unit: %s, source: ...}", p.key, param.Unit)
			return
		}
		v.key, at = p.key, r.at(v.value)
		p = v
	}
	value, ok := r.scalar(p)
	if !ok {
		return
	}
	if s, ok := given["source"]; ok {
		s.key = p.key + ": source"
		e.source, _ = r.scalar(s)
	}
	unit := ""
	if u, ok := given["unit"]; ok {
		u.key = p.key + ": unit"
		if unit, ok = r.scalar(u); !ok {
			return
		}
		if !param.accepts(unit) {
			r.errs.add(r.at(u.value), "%s: unit %s; write %s", param.Path, quoted(unit), strings.Join(param.units(), ", "))
			return
		}
	}
	if r.preset && (unit != param.Unit || e.source == "") {
		r.errs.add(e.at, "%s has unit %q and source %q, want unit %q and a source", param.Path, unit, e.source, param.Unit)
		return
	}
	if unit != "" && unit != param.Unit {
		value += " " + unit
	}
	var scratch GPU
	if err := scratch.Set(param.Path, value); err != nil {
		r.errs.add(at, "%v", err)
		return
	}
	e.text, _ = scratch.Get(param.Path)
	r.values[param.Path] = e
}

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
	}
	return "", false
}

// kindOf describes a node in words.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return "an anchor, alias or tag (not supported)"
	}
	return "a " + strings.ToLower(n.Type().String())
}

// group reports whether name is the first part of parameter names, such as "l1".
func group(name string) bool { return firstOf(name) != "" }

// firstOf returns the first parameter of a group.
func firstOf(name string) string {
	for _, p := range table() {
		if strings.HasPrefix(p.Path, name+".") {
			return p.Path
		}
	}
	return ""
}

// quoted returns text from a file, shortened and quoted for a message.
func quoted(s string) string {
	const long = 60
	if len(s) > long {
		s = s[:long] + "..."
	}
	return strconv.Quote(s)
}

// typed returns the value of a parameter as an int, float64, bool or string.
func (g *GPU) typed(p *Parameter) any {
	return reflect.ValueOf(g).Elem().FieldByIndex(p.field).Interface()
}
