package cuda

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNameOf names allocations by the variables that they set, also if a line has two of them or is passed twice.
func TestNameOf(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.cu"), []byte("cudaMalloc(&x, 4096); cudaMalloc((void **)&g.row, 4);\ncudaMallocManaged(&m, 8);\nallocate();\n"), 0o644))
	s := &sources{dir: dir}
	var got []string
	for _, line := range []int{1, 1, 2, 1, 2, 3} {
		got = append(got, s.nameOf("p.cu", line, 7))
	}
	assert.Equal(t, []string{"x", "g.row", "m", "x", "m", "p.cu:3"}, got)
	assert.Equal(t, "allocation 7", s.nameOf("", 0, 7))
}
