package readmetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// svgText finds the texts of a picture.
var svgText = regexp.MustCompile(`(?s)<text[^>]*>([^<]*)</text>`)

// textsOf returns the texts of a picture without those that are numbers of a simulation: marks of axes.
func textsOf(svg string) (list []string) {
	for _, m := range svgText.FindAllStringSubmatch(svg, -1) {
		if text := strings.TrimSpace(shape(m[1])); !regexp.MustCompile(`^[−-]?N( ?[a-zµ]+)?$`).MatchString(text) {
			list = append(list, text)
		}
	}
	return list
}

// colorsOf returns the colors of a picture.
func colorsOf(svg string) map[string]bool {
	set := map[string]bool{}
	for _, c := range regexp.MustCompile(`#[0-9A-F]{6}`).FindAllString(svg, -1) {
		set[c] = true
	}
	return set
}

// checkImages compares the pictures that the commands of a document wrote with those that it shows: their words and, but for heat
// maps, their colors, since every change of the model moves the points a little. With -update the document gets the new ones.
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
		assert.Equal(t, textsOf(now), textsOf(string(before)), "%s is stale: make images", name)
		if name != "plot-heat.svg" {
			assert.Equal(t, colorsOf(now), colorsOf(string(before)), "%s is stale: make images", name)
		}
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

func TestTextsOf(t *testing.T) {
	svg := `<text x="1">10 k</text><text>20 µs</text><text a="b">36 runs of l2.db</text><text>−5</text><path style="fill:#0072B2" />`
	assert.Equal(t, []string{"N runs of lNdb"}, textsOf(svg))
	assert.Equal(t, map[string]bool{"#0072B2": true}, colorsOf(svg))
}
