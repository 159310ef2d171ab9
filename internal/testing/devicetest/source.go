package devicetest

import (
	"io/fs"
	"path"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// line returns the source line that a frame names, without indentation.
func line(b *bench, f device.Frame) string {
	b.Helper()
	text, err := fs.ReadFile(testkernels.Sources.Files, path.Base(f.File))
	require.NoError(b, err)
	lines := strings.Split(string(text), "\n")
	require.LessOrEqual(b, f.Line, len(lines))
	return strings.TrimSpace(lines[f.Line-1])
}
