package launch

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/option"
)

// Grammar explains to users how to write an argument.
var Grammar = `An argument is NAME=VALUE; NAME is a parameter, a field of one (p.x) or an element
(p[0]). VALUE is, for a number or a bool,

  1024, 0x400, -3   an integer, or an expression of other arguments with + - * and /,
                    such as n*n, n/32+1 or len(x), the number of elements of x
  0.5, -2e3, nan    a floating-point number
  true, false       a bool

and for a slice of N elements (a number, or an expression as above)

  zeros:N, ones:N   all 0, all 1
  fill:N:V          all V
  iota:N            0, 1, 2, ...; iota:N:A starts at A, iota:N:A:S has steps of S
  random:N          random numbers: floats from 0 up to 1, integers over the whole
                    range of their type; random:N:A:B from A up to, but without, B.
                    They depend on ` + option.Seed.String() + `
  1,2,3             these elements; a single one needs a comma: 7,
  file:PATH         the content of a file: if its name ends in .txt, numbers as text,
                    separated by spaces or line ends, else the elements as in memory
                    (little-endian, without a header, as written by numpy's tofile)
  nil               no slice

and for a pointer the same, without N for one element, or the value that it points
to: changed=0. If elements are structs or arrays, each of their numbers gets such a
value; lists and text files contain these numbers one after the other.`

// Assignment is an argument as it was written: NAME=VALUE.
type Assignment struct{ Name, Value string }

// ParseAssignments splits NAME=VALUE texts. Messages name the option that they
// are from.
func ParseAssignments(from *option.Option, texts []string) (list []Assignment, err error) {
	var names []string
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			return nil, usage.Errorf(usage.Say("write %s, such as %s", from.With("NAME=VALUE"), from.With("n=1024")), "%s: %q is not NAME=VALUE", from, text)
		}
		list, names = append(list, Assignment{name, value}), append(names, name)
	}
	return list, usage.Once(from, names)
}

// Value is the parsed text of an argument: syntax only.
type Value struct {
	Text string
	// Source is one of the names in sources, "list" for elements one by one, or
	// "scalar" for anything else.
	Source string
	Items  []string // the items after the name, separated by colons; the elements of a list
}

// sources are the ways to fill a slice, with their minimum and maximum number
// of items, including the element count.
var sources = []struct {
	name     string
	lo, hi   int
	form     string
	isString bool // the rest of the text is a single item
}{
	{"zeros", 0, 1, "zeros:N", false},
	{"ones", 0, 1, "ones:N", false},
	{"fill", 2, 2, "fill:N:V", false},
	{"iota", 1, 3, "iota:N, iota:N:A or iota:N:A:STEP", false},
	{"random", 0, 3, "random:N or random:N:A:B", false},
	{"file", 1, 1, "file:PATH", true},
	{"nil", 0, 0, "nil", false},
}

// ParseValue parses the text of an argument.
func ParseValue(text string) (Value, error) {
	v := Value{Text: text, Source: "scalar", Items: []string{text}}
	name, rest, colon := strings.Cut(text, ":")
	for _, s := range sources {
		if name != s.name {
			continue
		}
		v.Source, v.Items = name, nil
		if colon && s.isString {
			v.Items = []string{rest}
		} else if colon {
			v.Items = strings.Split(rest, ":")
		}
		if n := len(v.Items); n < s.lo || n > s.hi || name == "random" && n == 2 || slices.Contains(v.Items, "") {
			return v, usage.Errorf("", "write %s", s.form)
		}
		return v, nil
	}
	switch {
	case colon:
		var names []string
		for _, s := range sources {
			names = append(names, s.name)
		}
		return v, usage.Unknown("contents", name, names, "")
	case strings.Contains(text, ","):
		v.Source, v.Items = "list", strings.Split(strings.TrimSuffix(text, ","), ",")
		for i, item := range v.Items {
			if v.Items[i] = strings.TrimSpace(item); v.Items[i] == "" {
				return v, usage.Errorf("", "element %d of the list is empty", i)
			}
		}
	}
	return v, nil
}

// expression evaluates a sum, difference, product or quotient of integers. name
// returns the value of a name, or with length set that of "len(NAME)".
func expression(text string, name func(name string, length bool) (*big.Int, error)) (*big.Int, error) {
	e := &evaluator{rest: text, name: name}
	v, err := e.sum()
	if err == nil && e.skip() != 0 {
		err = fmt.Errorf("%q is left over after a value; + - * and / compute with integers", e.rest)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// evaluator evaluates an expression from left to right.
type evaluator struct {
	rest string
	name func(name string, length bool) (*big.Int, error)
}

// skip skips spaces and returns the next character; 0 at the end.
func (e *evaluator) skip() byte {
	e.rest = strings.TrimLeft(e.rest, " ")
	if e.rest == "" {
		return 0
	}
	return e.rest[0]
}

func (e *evaluator) sum() (*big.Int, error) {
	v, err := e.product()
	for err == nil && (e.skip() == '+' || e.skip() == '-') {
		minus := e.rest[0] == '-'
		e.rest = e.rest[1:]
		var w *big.Int
		if w, err = e.product(); err == nil {
			if minus {
				w.Neg(w)
			}
			v = v.Add(v, w)
		}
	}
	return v, err
}

func (e *evaluator) product() (*big.Int, error) {
	v, err := e.factor()
	for err == nil && (e.skip() == '*' || e.skip() == '/') {
		divide := e.rest[0] == '/'
		e.rest = e.rest[1:]
		var w *big.Int
		if w, err = e.factor(); err != nil {
			break
		}
		switch {
		case !divide:
			v = v.Mul(v, w)
		case w.Sign() == 0:
			return nil, errors.New("division by zero")
		default:
			v = v.Quo(v, w)
		}
		if v.BitLen() > 256 {
			return nil, errors.New("a product is far out of range")
		}
	}
	return v, err
}

func (e *evaluator) factor() (*big.Int, error) {
	if e.skip() == '-' {
		e.rest = e.rest[1:]
		if e.skip() == '-' {
			return nil, errors.New("two signs follow each other")
		}
		v, err := e.factor()
		if err != nil {
			return nil, err
		}
		return v.Neg(v), nil
	}
	word := e.word()
	switch {
	case word == "" && e.rest == "":
		return nil, errors.New("a value is missing at the end")
	case word == "":
		return nil, fmt.Errorf("%q is not a value", e.rest)
	case word[0] >= '0' && word[0] <= '9':
		v, ok := parseInt(word)
		if !ok {
			return nil, fmt.Errorf("%q is not an integer", word)
		}
		return v, nil
	case word == "len" && e.skip() == '(':
		e.rest = e.rest[1:]
		e.skip()
		of := e.word()
		if of == "" || e.skip() != ')' {
			return nil, errors.New("write len(NAME), such as len(x)")
		}
		e.rest = e.rest[1:]
		return e.name(of, true)
	}
	return e.name(word, false)
}

// word reads a number or a name, which may be that of a field or an element.
func (e *evaluator) word() string {
	n := 0
	for n < len(e.rest) && (isWord(e.rest[n]) || n > 0 && strings.IndexByte(".[]", e.rest[n]) >= 0) {
		n++
	}
	word := e.rest[:n]
	e.rest = e.rest[n:]
	return word
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
