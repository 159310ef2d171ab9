package papers

import (
	"regexp"
	"strings"

	"github.com/weft-gpu/weft/sim/config"
)

// figureForm is how a preset names the figure that a value was fitted to: "WolfGraph, figure 5.3".
var figureForm = regexp.MustCompile(`^(.+), figure ([0-9][0-9.]*[0-9]|[0-9])(?:,|$)`)

// fittedBy returns the parameter of a machine on which rows ran that was fitted to the figure of the claim; "" if there is
// none. Rows that set the parameter to another value do not count.
func (c *Claim) fittedBy(paper string, rows []Row) string {
	seen := map[string]bool{}
	for _, r := range rows {
		preset, simulated := strings.CutPrefix(r.Fields["device"], "sim:")
		if !simulated || seen[preset] {
			continue
		}
		seen[preset] = true
		g, err := config.Load(preset)
		if err != nil {
			continue // a group of GPUs, or a machine in a file
		}
		for _, p := range g.Parameters() {
			m := figureForm.FindStringSubmatch(p.Values[g.Name].Fitted)
			if m == nil || !strings.HasPrefix(paper, m[1]) || !ofFigure(c.Figure, m[2]) {
				continue
			}
			if set, ok := r.Fields[p.Path]; !ok || set == p.Values[g.Name].Value {
				return p.Path
			}
		}
	}
	return ""
}

// ofFigure reports whether a claim's figure ("5.3, 512 threads") is the one of a number ("5.3").
func ofFigure(figure, number string) bool {
	rest, ok := strings.CutPrefix(figure, number)
	return ok && (rest == "" || !strings.ContainsAny(rest[:1], "0123456789."))
}
