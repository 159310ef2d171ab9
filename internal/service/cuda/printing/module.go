package printing

import (
	_ "embed"
	"regexp"
)

// Buffer is the name of the variable with the records: 32-bit numbers of which the first counts the words of all records,
// and the second the records for which there was no room.
const Buffer = "__weft_print"

// Words is the number of words for records, behind the first two of the buffer.
const Words = 1 << 18

//go:embed print.ptx
var code string

// declaration is that of the function in a module that calls it.
var declaration = regexp.MustCompile(`(?m)^\s*\.extern\s+\.func\s+\(\s*\.param\s+\.b32\s+\w+\s*\)\s+vprintf\b`)

// head is what stands in a module once.
var head = regexp.MustCompile(`(?m)^(//|\.version|\.target|\.address_size).*\n`)

// Added returns a module with the function, if the module calls it.
func Added(module []byte) (text []byte, prints bool) {
	if !declaration.Match(module) {
		return module, false
	}
	return append(append(module[:len(module):len(module)], '\n'), head.ReplaceAllString(code, "")...), true
}
