package readptx_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

const (
	docs  = "../../../docs/ptx.md"
	begin = "<!-- instructions, written by go test ./internal/compiler/readptx -run TestDocs -update -->\n"
)

// TestDocs compares the table of instructions of docs/ptx.md with that of the reader.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(docs)
	require.NoError(t, err)
	head, _, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	var s strings.Builder
	s.WriteString(head + begin)
	section := ""
	for _, i := range readptx.Instructions() {
		if i.Section != section {
			section = i.Section
			fmt.Fprintf(&s, "\n## %s\n\n| instruction | operands | |\n|---|---|---|\n", section)
		}
		what := "supported"
		if i.Refused != "" {
			what = "refused: " + i.Refused
		}
		args := i.Args
		if args != "" {
			args = "`" + strings.ReplaceAll(args, "|", `\|`) + "`"
		}
		fmt.Fprintf(&s, "| `%s` | %s | %s |\n", i.Pattern, args, what)
	}
	golden.Check(t, docs, s.String())
}
