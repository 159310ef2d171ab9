package headlines

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	mark = regexp.MustCompile(`(?s)<!-- figure (\S+) -->(.*?)<!-- end -->`)
	half = regexp.MustCompile(`<!-- figure |<!-- end -->`)
)

// Rewrite returns a document with each marked place replaced by its figure, and the
// names of the figures in it.
func Rewrite(text string, figures map[string]string) (out string, used []string, err error) {
	out = mark.ReplaceAllStringFunc(text, func(place string) string {
		m := mark.FindStringSubmatch(place)
		name := m[1]
		value, ok := figures[name]
		switch {
		case half.MatchString(m[2]):
			err = fmt.Errorf("figure %s does not end before the next one begins", name)
		case !ok:
			err = fmt.Errorf("no figure %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(figures)), ", "))
		}
		used = append(used, name)
		return "<!-- figure " + name + " -->" + value + "<!-- end -->"
	})
	if err == nil && half.MatchString(mark.ReplaceAllString(text, "")) {
		err = fmt.Errorf("a figure without its end, or an end without its figure")
	}
	return out, used, err
}
