package ir

import "strings"

// Symbol returns the name of a kernel's entry point for PTX and profilers,
// whose names consist of letters, digits and underscores: the Go name with
// every other character replaced.
func Symbol(kernel string) string {
	var s strings.Builder
	for _, r := range kernel {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			s.WriteRune(r)
		case r == ' ':
		default:
			s.WriteByte('_')
		}
	}
	return s.String()
}
