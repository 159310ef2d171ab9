package readptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// printf of a kernel writes a record to a variable of the module, as it does to a buffer
// of CUDA's runtime: a word with the bytes that are used, one that is not, and then
// records. A record has its size, the number of its format, and the arguments as printf
// got them. What does not fit any more is lost, and counts in the first word all the same.
const (
	printName   = "__weft_printf"
	printBytes  = 1 << 20 // as CUDA has it
	printHeader = 8
)

// conversion is a conversion of a format: "%-5.2lf".
type conversion struct {
	text string // with its percent sign; a plain piece of the format if verb is 0
	verb byte
	size int
}

// conversions takes a format of printf apart.
func conversions(format string) (list []conversion) {
	for format != "" {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			return append(list, conversion{text: format})
		}
		if i > 0 {
			list = append(list, conversion{text: format[:i]})
		}
		format = format[i:]
		end, long := 1, false
		for end < len(format) && strings.IndexByte("-+ #0123456789.hljztL", format[end]) >= 0 {
			long = long || strings.IndexByte("ljzt", format[end]) >= 0
			end++
		}
		if end == len(format) {
			return append(list, conversion{text: format})
		}
		c := conversion{format[:end+1], format[end], 4}
		switch c.verb {
		case '%':
			c = conversion{text: "%"}
		case 'd', 'i', 'u', 'x', 'X', 'o', 'c':
			if long {
				c.size = 8
			}
		default:
			c.size = 8
		}
		list = append(list, c)
		format = format[end+1:]
	}
	return list
}

// argumentBytes returns how many bytes the arguments of a format take, each at a multiple
// of its size.
func argumentBytes(format string) (n int) {
	for _, c := range conversions(format) {
		if c.verb != 0 {
			n = (n+c.size-1)&^(c.size-1) + c.size
		}
	}
	return (n + 7) &^ 7
}

// PrintBuffer returns the variable to which printf writes; nil if no kernel that was built
// prints. The host sets its first word to 0 when it has printed what is there.
func (m *Module) PrintBuffer() *ir.Variable {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.variables[printName]
}

// Printed returns what the content of the PrintBuffer says, and how many bytes of records
// were lost. text returns the string at an address of the device, for %s.
func (m *Module) Printed(data []byte, text func(address uint64) string) (out string, lost int) {
	m.mu.Lock()
	formats := m.formats
	m.mu.Unlock()
	used := int(binary.LittleEndian.Uint32(data)) + printHeader
	var s strings.Builder
	at := printHeader
	for at+8 <= min(used, len(data)) {
		size := int(binary.LittleEndian.Uint32(data[at:]))
		number := int(binary.LittleEndian.Uint32(data[at+4:]))
		if size < 8 || at+size > len(data) || number >= len(formats) {
			break // a record that did not fit
		}
		s.WriteString(printed(formats[number], data[at+8:at+size], text))
		at += size
	}
	return s.String(), max(0, used-at)
}

// printed formats one record as C does.
func printed(format string, args []byte, text func(uint64) string) string {
	var s strings.Builder
	off := 0
	for _, c := range conversions(format) {
		if c.verb == 0 {
			s.WriteString(c.text)
			continue
		}
		off = (off + c.size - 1) &^ (c.size - 1)
		if off+c.size > len(args) {
			break
		}
		n := uint64(binary.LittleEndian.Uint32(args[off:]))
		signed := int64(int32(n))
		if c.size == 8 {
			n = binary.LittleEndian.Uint64(args[off:])
			signed = int64(n)
		}
		off += c.size
		flags := "%" + strings.Map(func(r rune) rune {
			if strings.ContainsRune("hljztL", r) {
				return -1
			}
			return r
		}, c.text[1:len(c.text)-1])
		switch c.verb {
		case 'd', 'i':
			fmt.Fprintf(&s, flags+"d", signed)
		case 'u':
			fmt.Fprintf(&s, flags+"d", n)
		case 'x', 'X', 'o':
			fmt.Fprintf(&s, flags+string(c.verb), n)
		case 'c':
			fmt.Fprintf(&s, flags+"s", string([]byte{byte(n)}))
		case 'p':
			fmt.Fprintf(&s, flags+"s", fmt.Sprintf("%#x", n))
		case 's':
			fmt.Fprintf(&s, flags+"s", text(n))
		case 'f', 'F', 'e', 'E', 'g', 'G':
			s.WriteString(asC(flags, c.verb, math.Float64frombits(n)))
		default:
			s.WriteString(c.text)
		}
	}
	return s.String()
}

// asC formats a float: C has six digits where Go has as many as it takes, and other words
// for what is no number.
func asC(flags string, verb byte, v float64) string {
	switch {
	case math.IsNaN(v):
		return fmt.Sprintf(strings.SplitN(flags, ".", 2)[0]+"s", "nan")
	case math.IsInf(v, 0):
		return fmt.Sprintf(strings.SplitN(flags, ".", 2)[0]+"s", map[bool]string{true: "inf", false: "-inf"}[v > 0])
	}
	if !strings.Contains(flags, ".") {
		flags += ".6"
	}
	return fmt.Sprintf(flags+string(verb), v)
}

// buildPrintf builds a call of vprintf(format, arguments).
func buildPrintf(b *builder, s *inst) {
	if len(s.call.args) != 2 || len(s.call.results) > 1 {
		b.fail("vprintf takes a format and the address of its arguments")
	}
	var args [2]*ir.Value
	for i, o := range s.call.args {
		at, _, ok := b.address(o.name)
		if !ok || b.messages[at][0] == nil {
			b.fail("an argument of vprintf is no .param variable")
		}
		args[i] = b.messages[at][0]
	}
	format, ok := b.text(args[0])
	if !ok {
		b.fail("printf with a format that is no constant is not supported")
	}
	number := len(b.m.formats)
	for i, known := range b.m.formats {
		if known == format {
			number = i
		}
	}
	if number == len(b.m.formats) {
		b.m.formats = append(b.m.formats, format)
	}
	if b.m.vars[printName] == nil {
		b.m.vars[printName] = &variable{name: printName, space: ".global", typ: types[".b8"], align: 8, count: printBytes, vector: 1}
	}
	buffer := b.global(b.m.vars[printName])
	bytes := argumentBytes(format)
	size := uint64(8 + bytes)
	at := b.ins(ir.OpAtomAdd, ir.U32, buffer, b.u32(size))
	at.Mem = ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Global, Order: ir.Relaxed, Scope: ir.ScopeDevice}
	fits := b.of(ir.OpLe, ir.Pred, ir.U32, at, b.u32(printBytes-printHeader-size))
	then, after := b.block(), b.block()
	b.fork(fits, false, then, after)
	b.seal(then)
	b.cur = then
	record := b.ins(ir.OpAdd, ir.U64, buffer, b.widen(at, false))
	put := func(off int64, v *ir.Value) {
		st := b.ins(ir.OpStore, ir.Void, record, v)
		st.Imm, st.Mem = printHeader+off, ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Global}
	}
	put(0, b.u32(size))
	put(4, b.u32(uint64(number)))
	end := 0
	for _, c := range conversions(format) {
		if c.verb == 0 {
			continue
		}
		end = (end + c.size - 1) &^ (c.size - 1)
		for range c.size / 4 {
			ld := b.ins(ir.OpLoad, ir.U32, args[1])
			ld.Imm, ld.Mem = int64(end), ir.Mem{Kind: ir.U32, Vec: 1}
			put(int64(8+end), ld)
			end += 4
		}
	}
	b.jump(after)
	b.seal(after)
	b.cur = after
	if len(s.call.results) == 1 { // how many arguments were printed; nobody looks
		if at, _, ok := b.address(s.call.results[0].name); ok {
			st := b.ins(ir.OpStore, ir.Void, at, b.u32(uint64(bytes)))
			st.Mem = ir.Mem{Kind: ir.U32, Vec: 1, Space: ir.Local}
		}
	}
}
