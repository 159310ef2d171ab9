package irtext

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Parse reads a Func in the text form that String writes. Errors name the line.
// Parse does not verify the result.
func Parse(text string) (*ir.Func, error) {
	p := &parser{f: &ir.Func{}, values: map[int]*ir.Value{}, blocks: map[int]*ir.Block{}}
	for i, line := range strings.Split(text, "\n") {
		p.line = i + 1
		line, pos, err := p.position(line)
		if err == nil && strings.TrimSpace(line) != "" {
			err = p.parse(line, pos)
		}
		if err != nil {
			return nil, fmt.Errorf("ir: line %d: %w", p.line, err)
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.f, nil
}

type parser struct {
	f      *ir.Func
	line   int
	values map[int]*ir.Value
	blocks map[int]*ir.Block
	leaves map[string]int
	uses   []use     // operands, resolved at the end
	preds  []predUse // lists of predecessors
	b      *ir.Block // the current one
	ended  bool      // the last line of b has been read
}

type use struct {
	slot *(*ir.Value)
	text string
	k    ir.Kind
	line int
}

type predUse struct {
	b    *ir.Block
	ids  []string
	line int
}

// position cuts off the comment. A number at its start is the position.
func (p *parser) position(line string) (rest string, pos ir.Pos, err error) {
	quoted, escaped := false, false
	for i := range len(line) {
		switch c := line[i]; {
		case escaped:
			escaped = false
		case c == '\\' && quoted:
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ';' && !quoted:
			word, _, _ := strings.Cut(strings.TrimSpace(line[i+1:]), " ")
			if number, bad := strconv.Atoi(word); bad == nil {
				if number < 0 || number >= max(len(p.f.Pos), 1) {
					return "", 0, fmt.Errorf("position %d is not declared", number)
				}
				pos = ir.Pos(number)
			}
			return line[:i], pos, nil
		}
	}
	return line, 0, nil
}

func (p *parser) parse(line string, pos ir.Pos) error {
	if line[0] != '\t' && line[0] != ' ' {
		if line[0] == 'b' {
			return p.label(line)
		}
		return p.header(line)
	}
	if p.b == nil {
		return fmt.Errorf("instruction outside a block")
	}
	if p.ended {
		return fmt.Errorf("instruction after the end of block b%d", p.b.ID)
	}
	line = strings.TrimSpace(line)
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "if", "jmp", "ret":
		p.b.Pos, p.ended = pos, true
		return p.terminator(word, strings.Fields(rest))
	}
	return p.value(line, pos)
}

func (p *parser) blockRef(s string) (*ir.Block, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "b"))
	if err != nil || !strings.HasPrefix(s, "b") || n < 0 {
		return nil, fmt.Errorf("%q is no block", s)
	}
	b := p.blocks[n]
	if b == nil {
		b = &ir.Block{ID: n}
		p.blocks[n] = b
	}
	return b, nil
}

func (p *parser) label(line string) error {
	name, rest, ok := strings.Cut(line, ":")
	if !ok {
		return fmt.Errorf("unknown declaration %q", line)
	}
	if p.b != nil && !p.ended {
		return fmt.Errorf("block b%d has no end", p.b.ID)
	}
	block, err := p.blockRef(name)
	if err != nil {
		return err
	}
	for _, other := range p.f.Blocks {
		if other == block {
			return fmt.Errorf("block %s is there twice", name)
		}
	}
	p.f.Blocks = append(p.f.Blocks, block)
	p.f.Reserve(0, block.ID+1)
	p.b, p.ended = block, false
	words := strings.Fields(rest)
	if count := len(words); count > 0 && strings.HasPrefix(words[count-1], "likely=") {
		likely, err := strconv.ParseInt(words[count-1][len("likely="):], 10, 8)
		if err != nil {
			return fmt.Errorf("malformed %q", words[count-1])
		}
		block.Likely, words = int8(likely), words[:count-1]
	}
	if len(words) > 0 {
		if words[0] != "<-" {
			return fmt.Errorf("%q where predecessors are expected", words[0])
		}
		p.preds = append(p.preds, predUse{block, words[1:], p.line})
	}
	return nil
}

func (p *parser) terminator(word string, args []string) error {
	want := map[string]int{"if": 3, "jmp": 1, "ret": 0}[word]
	if len(args) != want {
		return fmt.Errorf("%s takes %d operands, not %d", word, want, len(args))
	}
	if word == "if" {
		p.use(&p.b.Cond, args[0], ir.Pred)
		args = args[1:]
	}
	for _, arg := range args {
		succ, err := p.blockRef(arg)
		if err != nil {
			return err
		}
		p.b.Succs = append(p.b.Succs, succ)
	}
	return nil
}

func (p *parser) use(slot *(*ir.Value), text string, k ir.Kind) {
	p.uses = append(p.uses, use{slot, text, k, p.line})
}

// header parses a declaration.
func (p *parser) header(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	parts, err := words(rest)
	if err != nil {
		return err
	}
	kernel := p.f
	fields := func(want int) error {
		if len(parts) != want {
			return fmt.Errorf("%s takes %d fields, not %d", word, want, len(parts))
		}
		return nil
	}
	num := func(i int) int {
		number, bad := strconv.Atoi(parts[i])
		if bad != nil && err == nil {
			err = fmt.Errorf("%q is no number", parts[i])
		}
		return number
	}
	kind := func(i int) ir.Kind {
		k, ok := ir.KindByName(parts[i])
		if !ok && err == nil {
			err = fmt.Errorf("%q is no kind", parts[i])
		}
		return k
	}
	switch word {
	case "kernel":
		kernel.Name = rest
	case "leaf":
		n := min(max(len(parts), 6), 7)
		if err = fields(n); err != nil {
			return err
		}
		leaf := ir.Leaf{Name: parts[0], Kind: kind(1), Elem: kind(3), Size: num(4), Param: num(5)}
		if n == 7 {
			leaf.Align = num(6)
		}
		role, ok := named(ir.Scalar, ir.Pointer+1, parts[2])
		if !ok {
			return fmt.Errorf("%q is no role", parts[2])
		}
		leaf.Role = role
		kernel.Leaves = append(kernel.Leaves, leaf)
	case "table":
		if err = fields(4); err != nil {
			return err
		}
		table := &ir.Table{ElemSize: num(2)}
		if table.Data, err = hex.DecodeString(parts[3]); err != nil {
			return fmt.Errorf("%q is no table of bytes", parts[3])
		}
		kernel.Leaves = append(kernel.Leaves, ir.Leaf{Name: parts[0], Kind: ir.U64, Role: ir.Pointer, Elem: kind(1), Size: len(table.Data), Param: -1, Table: table})
	case "shared", "local", "dynamic":
		if err = fields(6); err != nil {
			return err
		}
		variable := ir.Var{Name: parts[0], Elem: kind(1), Size: num(2), ElemSize: num(3), Align: num(4), Pos: ir.Pos(num(5)), Dynamic: word == "dynamic"}
		if word == "local" {
			kernel.Local = append(kernel.Local, variable)
		} else {
			kernel.Shared = append(kernel.Shared, variable)
		}
	case "trap":
		if err = fields(1); err != nil {
			return err
		}
		kernel.Traps = append(kernel.Traps, parts[0])
	case "pos":
		if err = fields(5); err != nil {
			return err
		}
		kernel.AddPos(ir.PosInfo{File: parts[0], Line: num(1), Col: num(2), Func: parts[3], Parent: ir.Pos(num(4))})
	default:
		return fmt.Errorf("unknown declaration %q", word)
	}
	return err
}

// words splits s at spaces. A word may be a quoted string.
func words(s string) ([]string, error) {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if s[0] != '"' {
			w, rest, _ := strings.Cut(s, " ")
			out, s = append(out, w), rest
			continue
		}
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return nil, fmt.Errorf("malformed string %s", s)
		}
		w, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("malformed string %s", quoted)
		}
		out, s = append(out, w), s[len(quoted):]
	}
	return out, nil
}

// finish resolves operands and predecessors.
func (p *parser) finish() error {
	at := func(line int, format string, args ...any) error {
		return fmt.Errorf("ir: line %d: %s", line, fmt.Sprintf(format, args...))
	}
	if p.b == nil {
		return at(p.line, "no blocks")
	}
	if !p.ended {
		return at(p.line, "block b%d has no end", p.b.ID)
	}
	defined := make(map[*ir.Block]bool, len(p.f.Blocks))
	for _, b := range p.f.Blocks {
		defined[b] = true
	}
	for id, b := range p.blocks {
		if !defined[b] {
			return at(p.line, "block b%d is used but not there", id)
		}
	}
	for _, list := range p.preds {
		for _, id := range list.ids {
			b, err := p.blockRef(id)
			if err != nil || !defined[b] {
				return at(list.line, "%q is no block of the kernel", id)
			}
			list.b.Preds = append(list.b.Preds, b)
		}
	}
	for _, b := range p.f.Blocks {
		for _, v := range b.Ins {
			if v.ID < 0 {
				v.ID = p.f.NumValues()
				p.f.Reserve(v.ID+1, 0)
			}
		}
	}
	for _, operand := range p.uses {
		v, err := p.operand(operand)
		if err != nil {
			return at(operand.line, "%v", err)
		}
		*operand.slot = v
	}
	return nil
}
