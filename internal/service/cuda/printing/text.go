package printing

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Text returns what the records of a buffer print. text returns the string at an address of the device; ok is false if
// there is none.
func Text(words []byte, text func(address uint64) (s string, ok bool)) string {
	var out strings.Builder
	word := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(words[4*i:])) }
	for at, n := 0, len(words)/4; at+3 <= n; {
		size := int(word(at))
		if size < 3 || size > n-at { // a record for which there was no room
			break
		}
		format, ok := text(word(at+1) | word(at+2)<<32)
		if !ok {
			format = "(a format that is no constant)\n"
		}
		out.WriteString(record(format, words[4*(at+3):4*(at+size)], text))
		at += size
	}
	return out.String()
}

// arguments are the words of a call, laid out as C does.
type arguments struct {
	words []byte
	at    int
}

func (a *arguments) narrow() uint32 {
	if a.at+4 > len(a.words) {
		return 0
	}
	v := binary.LittleEndian.Uint32(a.words[a.at:])
	a.at += 4
	return v
}

func (a *arguments) wide() uint64 {
	a.at = (a.at + 7) &^ 7
	if a.at+8 > len(a.words) {
		return 0
	}
	v := binary.LittleEndian.Uint64(a.words[a.at:])
	a.at += 8
	return v
}

// record formats one call, as printf of C does.
func record(format string, words []byte, text func(uint64) (string, bool)) string {
	var out strings.Builder
	a := &arguments{words: words}
	for {
		before, rest, found := strings.Cut(format, "%")
		out.WriteString(before)
		if !found || rest == "" {
			return out.String()
		}
		spec, length := "%", ""
		i := 0
		for ; i < len(rest); i++ {
			switch c := rest[i]; {
			case strings.IndexByte("-+ #.0123456789", c) >= 0:
				spec += string(c)
				continue
			case c == '*':
				spec += fmt.Sprint(int32(a.narrow()))
				continue
			case strings.IndexByte("hljztL", c) >= 0:
				length += string(c)
				continue
			}
			break
		}
		if i == len(rest) {
			return out.String()
		}
		out.WriteString(conversion(rest[i], spec, length, a, text))
		format = rest[i+1:]
	}
}

// conversion formats one argument.
func conversion(verb byte, spec, length string, a *arguments, text func(uint64) (string, bool)) string {
	wide := strings.ContainsAny(length, "ljzt")
	switch verb {
	case '%':
		return "%"
	case 'd', 'i':
		v := int64(0)
		switch {
		case wide:
			v = int64(a.wide())
		case length == "h":
			v = int64(int16(a.narrow()))
		case length == "hh":
			v = int64(int8(a.narrow()))
		default:
			v = int64(int32(a.narrow()))
		}
		return fmt.Sprintf(spec+"d", v)
	case 'u', 'x', 'X', 'o':
		v := uint64(0)
		switch {
		case wide:
			v = a.wide()
		case length == "h":
			v = uint64(uint16(a.narrow()))
		case length == "hh":
			v = uint64(uint8(a.narrow()))
		default:
			v = uint64(a.narrow())
		}
		if verb == 'u' {
			verb = 'd'
		}
		return fmt.Sprintf(spec+string(verb), v)
	case 'c':
		return fmt.Sprintf(spec+"s", string([]byte{byte(a.narrow())}))
	case 's':
		s, ok := text(a.wide())
		if !ok {
			s = "(a string that is no constant)"
		}
		return fmt.Sprintf(spec+"s", s)
	case 'p':
		return fmt.Sprintf("%#x", a.wide())
	case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
		return float(math.Float64frombits(a.wide()), verb, spec)
	}
	return spec + length + string(verb) // as it stands
}

// float formats a float. C's default is six digits, and Go has other words for what is no number.
func float(v float64, verb byte, spec string) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		word := map[bool]string{true: "nan", false: "inf"}[math.IsNaN(v)]
		switch {
		case math.Signbit(v):
			word = "-" + word
		case strings.Contains(spec, "+"):
			word = "+" + word
		}
		width, _, _ := strings.Cut(strings.TrimLeft(spec[1:], "-+ #0"), ".")
		if strings.Contains(spec, "-") {
			width = "-" + width
		}
		return fmt.Sprintf("%"+width+"s", word)
	}
	if verb == 'a' || verb == 'A' { // hexadecimal
		return fmt.Sprintf(spec+map[byte]string{'a': "x", 'A': "X"}[verb], v)
	}
	if !strings.Contains(spec, ".") {
		spec += ".6"
	}
	return fmt.Sprintf(spec+string(verb), v)
}
