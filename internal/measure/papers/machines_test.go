package papers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/measure/papers"
)

// TestNoHost checks that "make papers-no-host" runs the studies with the settings under which the claims are judged.
func TestNoHost(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "Makefile"))
	require.NoError(t, err)
	_, list, ok := strings.Cut(string(text), "\nNO_HOST := ")
	require.True(t, ok)
	list, _, _ = strings.Cut(list, "\n")
	var want []string
	for _, s := range papers.Machines[0].Set {
		want = append(want, s.Name+"="+s.Value)
	}
	assert.Equal(t, strings.Join(want, ","), list)
}
