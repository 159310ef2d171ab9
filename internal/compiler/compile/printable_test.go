package compile

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestPrintable checks that neither the name of a file nor its content can
// control the terminal or start a new line in an error.
func TestPrintable(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a\x1b[2J\nb.go", "package p\n\nfunc K() { x }\n",
			`p/a\u001b[2J\nb.go:3:12: undefined: x`},
		{"k.go", "package p\n\nconst s = \"\x1b[31mred\u202e\"\n\nvar n uint32 = s\n",
			`p/k.go:5:16: cannot use s (untyped string constant "\x1b[31mred\u202e") as uint32 value in variable declaration`},
		{"k.go", "package p\n\nvar n uint32 = \"\u202e\x1b[31m\"\n",
			`p/k.go:3:16: cannot use "\u202e\u001b[31m" (untyped string constant "\u202e\x1b[31m") as uint32 value in variable declaration`},
		{"k.go", "package p\n\n/*line /etc/\x1b[31m:9:1*/ var n uint32 = x\n",
			`p/k.go:3:40: undefined: x`},
		{"k.go", "package p\n\n//line /etc/passwd:9\nvar n uint32 = +\n",
			`p/k.go:4:18: expected operand, found 'EOF'`},
		{"k.go", "package p\n\nimport \"\x1b[31m\"\n",
			`p/k.go:3:8: invalid import path (invalid character U+001B)` + "\n" +
				`p/k.go:3:8: package "\x1b[31m" cannot be used in device code; device code imports only gpu and other device packages (Go's library is for the host)` + hostHint},
	} {
		cc := New(ownSources...)
		cc.Mount("p", fstest.MapFS{c.file: {Data: []byte(c.text)}})
		require.EqualError(t, cc.Check(t.Context(), "p"), c.want)
	}
}
