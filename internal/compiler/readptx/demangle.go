package readptx

import "strings"

// demangled returns the name of a function as C++ writes it, without its parameters and
// the arguments of templates: "add" for "_Z3addPiS_i", "ns::add" for "_ZN2ns3addEv".
// What it cannot read it returns as it is.
func demangled(name string) string {
	rest, ok := strings.CutPrefix(name, "_Z")
	if !ok {
		return name
	}
	nested := false
	if rest, nested = strings.CutPrefix(rest, "N"); nested {
		rest = strings.TrimLeft(rest, "KVr")
	}
	var parts []string
	for {
		switch {
		case strings.HasPrefix(rest, "L"): // internal linkage
			rest = rest[1:]
			continue
		case strings.HasPrefix(rest, "12_GLOBAL__N_1"):
			rest = rest[len("12_GLOBAL__N_1"):]
			continue
		case strings.HasPrefix(rest, "I"):
			if rest, ok = skipTemplate(rest); !ok {
				return name
			}
			continue
		}
		n, digits := 0, 0
		for digits < len(rest) && digit(rest[digits]) && digits < 5 {
			n = n*10 + int(rest[digits]-'0')
			digits++
		}
		if digits == 0 || digits+n > len(rest) || n == 0 {
			break
		}
		parts = append(parts, rest[digits:digits+n])
		rest = rest[digits+n:]
		if !nested {
			break
		}
	}
	if len(parts) == 0 || nested && !strings.HasPrefix(rest, "E") {
		return name
	}
	return strings.Join(parts, "::")
}

// skipTemplate skips the arguments of a template, "I...E", in which names and nested
// names may stand.
func skipTemplate(s string) (rest string, ok bool) {
	depth := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == 'I' || c == 'N' || c == 'L' || c == 'X' || c == 'J':
			depth++
			i++
		case c == 'E':
			depth--
			i++
			if depth == 0 {
				return s[i:], true
			}
		case digit(c) && (i == 0 || s[i-1] != 'i' && s[i-1] != 'j' && s[i-1] != 'b' && s[i-1] != 'm' && s[i-1] != 'l' || depth == 1):
			n := 0
			for i < len(s) && digit(s[i]) && n < 10000 {
				n = n*10 + int(s[i]-'0')
				i++
			}
			i += n
		default:
			i++
		}
	}
	return s, false
}
