package headlines

import (
	"fmt"
	"html"
	"strings"
)

// picture is an SVG file in the making. Sizes are in pixels.
type picture struct {
	strings.Builder
	width, height float64
}

// style has colors for light and dark pages.
const style = `<style>
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328; white-space: pre; }
.back { fill: #ffffff; } .head { fill: #59636e; } .heat { fill: #e5534b; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .back { fill: #0d1117; } .head { fill: #9198a1; } .heat { fill: #f85149; }
}
</style>`

func newPicture(width, height float64) *picture {
	s := &picture{width: width, height: height}
	s.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f">`, width, height, width, height)
	s.printf("%s", style)
	s.printf(`<rect class="back" width="100%%" height="100%%"/>`)
	return s
}

func (s *picture) printf(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// text writes a text at (x, y); anchor is "start", "middle" or "end".
func (s *picture) text(x, y float64, class, anchor, text string) {
	if text != "" {
		s.printf(`<text class="%s" x="%.1f" y="%.1f" text-anchor="%s" xml:space="preserve">%s</text>`, class, x, y, anchor, html.EscapeString(text))
	}
}

func (s *picture) end() string { return s.String() + "</svg>\n" }
