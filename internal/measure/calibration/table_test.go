package calibration

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/kernels/micro"
	"github.com/weft-gpu/weft/internal/testing/golden"
)

// TestTable checks the table against the parameters and the rows that there are.
func TestTable(t *testing.T) {
	known := map[string]micro.Row{}
	for _, r := range micro.Rows() {
		known[nameOf(r.Group, r.Name)] = r
	}
	fitted := map[string]bool{}
	for _, s := range Steps() {
		p := described()[s.Parameter]
		require.NotNil(t, p, s.Parameter)
		assert.False(t, fitted[s.Parameter], "%s is fitted twice", s.Parameter)
		assert.NotEmpty(t, s.Rows, s.Parameter)
		assert.NotEmpty(t, s.Why, s.Parameter)
		assert.Positive(t, s.Apart, s.Parameter)
		for _, name := range s.names() {
			assert.NotEqual(t, "programs", known[name].Group, "%s: programs are no micro-kernels", name)
			assert.NotEmpty(t, known[name].Name, "%s: there is no row %q", s.Parameter, name)
		}
		for _, m := range s.Rows {
			if m.Less != "" {
				assert.Equal(t, known[m.Row].Unit, known[m.Less].Unit, m)
			}
		}
		for _, p := range s.Also {
			assert.False(t, fitted[p], "%s does not come after %s", s.Parameter, p)
			assert.NotNil(t, described()[p], p)
		}
		for _, p := range s.After {
			assert.True(t, fitted[p], "%s comes before %s", s.Parameter, p)
		}
		fitted[s.Parameter] = true
	}
	assert.Len(t, Steps(), len(steps))
	assert.Panics(t, func() { waves([]Step{{Parameter: "a", After: []string{"b"}}, {Parameter: "b", After: []string{"a"}}}) })
}

// page is the document that has the table.
const page = "../../../docs/calibrate.md"

// TestPage checks the table of the document; "go test ./internal/measure/calibration -run TestPage -update" writes it.
func TestPage(t *testing.T) {
	const begin, end = "<!-- steps -->\n", "<!-- end of steps -->\n"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	have, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := "\n" + markdown() + "\n"
	if golden.Updating() {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+want+end+after), 0o644))
		return
	}
	assert.Equal(t, want, have)
}

// markdown returns the table of steps.
func markdown() string {
	var s strings.Builder
	s.WriteString("| wave | parameter | rows | why these isolate it | after (*also*: repeated when these have moved) | values may lie apart by |\n|---|---|---|---|---|---|\n")
	for i, wave := range waves(steps) {
		for _, x := range wave {
			var names []string
			for _, m := range x.Rows {
				names = append(names, m.String())
			}
			s.WriteString("| " + strings.Join([]string{string(rune('1' + i)), "`" + x.Parameter + "`", strings.Join(names, "; "), x.Why + map[bool]string{true: " (*hidden*)"}[x.Hidden] + map[bool]string{true: " (*rough*)"}[x.Rough] + map[bool]string{true: " (*close*)"}[x.Close > 0], strings.Join(append(slices.Clone(x.After), also(x.Also)...), ", "), percent(x.Apart)[1:]}, " | ") + " |\n")
		}
	}
	return s.String()
}

func also(list []string) (words []string) {
	for _, p := range list {
		words = append(words, "*also* "+p)
	}
	return words
}
