package readmetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

// images are the pictures of documents that their commands write: the file in docs/images by the file that a command writes.
var images = map[string]map[string]string{
	"docs/plots.md":  {"bin/latency.svg": "plot-lines.svg", "bin/speedup.svg": "plot-bars.svg", "bin/heat.svg": "plot-heat.svg", "bin/time.svg": "plot-time.svg", "bin/record.svg": "plot-record.svg"},
	"docs/report.md": {"bin/l2.html": "report.png"},
}

// checkImages compares the pictures that the commands of a document wrote with those that it shows, byte by byte but for photographs
// of pages, which depend on the browser. With -update the document gets the new ones.
func checkImages(t *testing.T, doc string) {
	t.Helper()
	for made, name := range images[doc] {
		shown := filepath.Join(root, "docs", "images", name)
		assert.Contains(t, read(t, doc), "](images/"+name+")", "%s does not show %s", doc, name)
		if strings.HasSuffix(made, ".html") {
			if golden.Updating() {
				photograph(t, made, shown)
			}
			continue
		}
		now := read(t, made)
		if golden.Updating() {
			require.NoError(t, os.WriteFile(shown, []byte(now), 0o644))
			continue
		}
		before, err := os.ReadFile(shown)
		require.NoError(t, err)
		assert.True(t, now == string(before), "%s is stale: make images", name)
	}
}

// photograph writes a picture of a page, if there is a browser.
func photograph(t *testing.T, page, picture string) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Logf("%s stays as it is: there is no chromium", picture)
		return
	}
	file, err := filepath.Abs(filepath.Join(root, page))
	require.NoError(t, err)
	to, err := filepath.Abs(picture)
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--blink-settings=preferredColorScheme=1", "--user-data-dir="+t.TempDir(),
		"--window-size=1200,1000", "--virtual-time-budget=8000", "--screenshot="+to, "file://"+file).CombinedOutput()
	require.NoError(t, err, "%s", out)
}
