package irtext

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
	"github.com/weft-gpu/weft/internal/mma"
)

// value parses "[@[!]guard] [result:kind =] op[.suffixes] operands".
func (p *parser) value(line string, pos ir.Pos) error {
	value := &ir.Value{ID: -1, Pos: pos, Block: p.b}
	if line[0] == '@' {
		guard, rest, _ := strings.Cut(line[1:], " ")
		value.GuardNot = strings.HasPrefix(guard, "!")
		p.use(&value.Guard, strings.TrimPrefix(guard, "!"), ir.Pred)
		line = strings.TrimSpace(rest)
	}
	if res, rest, ok := strings.Cut(line, " = "); ok {
		name, kind, ok := strings.Cut(res, ":")
		id, isValue := valueID(name)
		if !ok || !isValue {
			return fmt.Errorf("%q is no result, which reads v1:u32", res)
		}
		if p.values[id] != nil {
			return fmt.Errorf("%s is defined twice", name)
		}
		if value.K, ok = ir.KindByName(kind); !ok || value.K == ir.Void {
			return fmt.Errorf("%q is no kind of a result", kind)
		}
		value.ID, p.values[id], line = id, value, rest
		p.f.Reserve(id+1, 0)
	}
	word, rest, _ := strings.Cut(line, " ")
	if err := p.op(value, word); err != nil {
		return err
	}
	if value.Op == ir.OpPhi {
		if len(p.b.Ins) > 0 {
			return fmt.Errorf("phi behind other instructions")
		}
		p.b.Phis = append(p.b.Phis, value)
	} else {
		p.b.Ins = append(p.b.Ins, value)
	}
	return p.operands(value, strings.TrimSpace(rest))
}

// valueID parses "v12". Numbers are bounded so that tables indexed by ID stay
// small.
func valueID(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	return n, err == nil && strings.HasPrefix(s, "v") && n >= 0 && n < 1<<24
}

// op parses an op name, which may contain dots, and its suffixes.
func (p *parser) op(v *ir.Value, word string) error {
	name, ok := word, false
	for {
		if v.Op, ok = ir.OpByName(name); ok {
			break
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return fmt.Errorf("unknown op %q", word)
		}
		name = name[:i]
	}
	if word == name {
		return nil
	}
	for _, suffix := range strings.Split(word[len(name)+1:], ".") {
		if !v.Op.Memory() {
			k, ok := ir.KindByName(suffix)
			if !ok || k == ir.Void || v.ArgK != ir.Void {
				return fmt.Errorf("%q after %v is no kind of operands", suffix, v.Op)
			}
			v.ArgK = k
			continue
		}
		if !memWord(&v.Mem, suffix) {
			return fmt.Errorf("%q after %v is no element kind, space, order, scope or hint", suffix, v.Op)
		}
	}
	return nil
}

func memWord(m *ir.Mem, word string) bool {
	base, vec := word, 1
	if i := strings.IndexByte(word, 'x'); i > 0 {
		if width, err := strconv.ParseUint(word[i+1:], 10, 8); err == nil {
			base, vec = word[:i], int(width)
		}
	}
	if k, ok := ir.KindByName(base); ok && k != ir.Void {
		m.Kind, m.Vec = k, uint8(vec)
		return true
	}
	if space, ok := named(ir.Space(0), ir.NumSpaces, word); ok {
		m.Space = space
		return true
	}
	// The first order, scope and hint are what a text without the word has.
	if order, ok := named(ir.Order(1), ir.NumOrders, word); ok {
		m.Order = order
		return true
	}
	if scope, ok := named(ir.Scope(1), ir.NumScopes, word); ok {
		m.Scope = scope
		return true
	}
	if cache, ok := named(ir.Cache(1), ir.NumCaches, word); ok {
		m.Cache = cache
		return true
	}
	return false
}

// named returns the value from first to below end whose name is word.
func named[T interface {
	~uint8
	fmt.Stringer
}](first, end T, word string) (T, bool) {
	for value := first; value < end; value++ {
		if value.String() == word {
			return value, true
		}
	}
	return 0, false
}

func (p *parser) operands(v *ir.Value, rest string) error {
	if rest == "" {
		return nil
	}
	list := strings.Split(rest, ",")
	for i, text := range list {
		list[i] = strings.TrimSpace(text)
	}
	last := list[len(list)-1]
	use := ir.Ops[v.Op].Imm
	if use == ir.ImmBits || use == ir.ImmSpecial || use == ir.ImmLeaf || use == ir.ImmMMA || use == ir.ImmFragment || strings.HasPrefix(last, "#") {
		if err := p.imm(v, last); err != nil {
			return err
		}
		list = list[:len(list)-1]
	}
	v.Args = make([]*ir.Value, len(list))
	for i, text := range list {
		if i == 0 && v.Op.Addressed() {
			if len(text) < 2 || text[0] != '[' || text[len(text)-1] != ']' {
				return fmt.Errorf("%q is no address, which reads [v1+8]", text)
			}
			text = text[1 : len(text)-1]
			if j := strings.LastIndexAny(text, "+-"); j > 0 && !strings.Contains(text[j:], ":") {
				offset, err := strconv.ParseInt(text[j:], 10, 64)
				if err != nil {
					return fmt.Errorf("malformed offset %q", text[j:])
				}
				v.Imm, text = offset, text[:j]
			}
		}
		p.use(&v.Args[i], text, ir.Void)
	}
	if v.ID < 0 && v.K != ir.Void {
		return fmt.Errorf("result without a name")
	}
	return nil
}

// imm parses an operand that is not a value: a constant's bits, a special, a
// leaf, a number.
func (p *parser) imm(v *ir.Value, text string) error {
	switch ir.Ops[v.Op].Imm {
	case ir.ImmBits:
		literal, err := constant(text)
		if err != nil {
			return err
		}
		v.Imm = literal.Imm
		return nil
	case ir.ImmSpecial:
		for i := range ir.Specials {
			if ir.Specials[i].Name == text {
				v.Imm = int64(i)
				return nil
			}
		}
		return fmt.Errorf("%q is no special value", text)
	case ir.ImmMMA:
		id, ok := mma.ByName(text)
		if !ok {
			return fmt.Errorf("%q is no product of matrices", text)
		}
		v.Imm = int64(id)
		return nil
	case ir.ImmFragment:
		for i := range mma.Fragments {
			if mma.Fragments[i].String() == text {
				v.Imm = int64(i)
				return nil
			}
		}
		return fmt.Errorf("%q is no fragment of a matrix", text)
	case ir.ImmLeaf:
		i, err := p.leaf(text)
		v.Imm = int64(i)
		return err
	}
	number, err := strconv.ParseInt(text[1:], 10, 64)
	if err != nil {
		return fmt.Errorf("malformed number %q", text)
	}
	v.Imm = number
	return nil
}

// leaf parses "$name" or "$#3".
func (p *parser) leaf(text string) (int, error) {
	if len(p.leaves) != len(p.f.Leaves) {
		p.leaves = map[string]int{}
		for i, leaf := range p.f.Leaves {
			if _, twice := p.leaves["$"+leaf.Name]; twice {
				i = -1 // such leaves are written by their numbers
			}
			p.leaves["$"+leaf.Name] = i
		}
	}
	if i, ok := p.leaves[text]; ok && i >= 0 {
		return i, nil
	}
	if number, err := strconv.Atoi(strings.TrimPrefix(text, "$#")); err == nil && strings.HasPrefix(text, "$#") && number >= 0 && number < len(p.f.Leaves) {
		return number, nil
	}
	return 0, fmt.Errorf("no parameter %q", text)
}

// operand resolves an operand. It makes the values that belong to no block.
func (p *parser) operand(u use) (*ir.Value, error) {
	text := u.text
	if text == "" {
		return nil, fmt.Errorf("operand missing")
	}
	if id, ok := valueID(text); ok {
		if v := p.values[id]; v != nil {
			return v, nil
		}
		return nil, fmt.Errorf("%s is not defined", text)
	}
	if text[0] == '$' {
		i, err := p.leaf(text)
		if err != nil {
			return nil, err
		}
		return p.floating(ir.OpParam, p.f.Leaves[i].Kind, i), nil
	}
	for _, a := range []struct {
		name string
		op   ir.Op
		n    int
	}{{"&shared", ir.OpShared, len(p.f.Shared)}, {"&local", ir.OpLocal, len(p.f.Local)}} {
		if num, ok := strings.CutPrefix(text, a.name); ok {
			i, err := strconv.Atoi(num)
			if err != nil || i < 0 || i >= a.n {
				return nil, fmt.Errorf("no variable %q", text)
			}
			return p.floating(a.op, ir.U64, i), nil
		}
	}
	c, err := constant(text)
	if err != nil {
		return nil, err
	}
	return p.floating(ir.OpConst, c.K, int(c.Imm)), nil
}

func (p *parser) floating(op ir.Op, k ir.Kind, imm int) *ir.Value {
	v := p.f.NewValue(op, k, 0)
	v.Imm = int64(imm)
	return v
}

// constant parses "5:u32".
func constant(text string) (*ir.Value, error) {
	switch text {
	case "true":
		return &ir.Value{K: ir.Pred, Imm: 1}, nil
	case "false":
		return &ir.Value{K: ir.Pred}, nil
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return nil, fmt.Errorf("%q is no operand", text)
	}
	num := text[:i]
	kind, ok := ir.KindByName(text[i+1:])
	if !ok || kind.Bits() < 8 {
		return nil, fmt.Errorf("%q is no kind of a number", text[i+1:])
	}
	var bits uint64
	var err error
	switch {
	case strings.HasPrefix(num, "0x"):
		bits, err = strconv.ParseUint(num[2:], 16, kind.Bits())
	case kind == ir.F32:
		var x float64
		x, err = strconv.ParseFloat(num, 32)
		bits = uint64(math.Float32bits(float32(x)))
	case kind == ir.F64:
		var x float64
		x, err = strconv.ParseFloat(num, 64)
		bits = math.Float64bits(x)
	case kind.Signed():
		var x int64
		x, err = strconv.ParseInt(num, 10, kind.Bits())
		bits = uint64(x)
	default:
		bits, err = strconv.ParseUint(num, 10, kind.Bits())
	}
	if err != nil {
		return nil, fmt.Errorf("%q is no number of kind %v", num, kind)
	}
	if kind.Bits() <= 32 {
		bits = uint64(uint32(bits))
	}
	return &ir.Value{K: kind, Imm: int64(bits)}, nil
}
