package spec

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/yamlfile"
)

// condition holds if one of its alternatives does.
type condition struct {
	at  yamlfile.Place
	any []comparison
}

// comparison is NAME OP VALUE.
type comparison struct{ name, op, value string }

// and finds a second condition, which would become part of the first one's value.
var and = regexp.MustCompile(` and +[^\s!<>=~]+ *[!<>=~]`)

// parseCondition parses "scheduler != thread or sm.count <= 16".
func parseCondition(text string) (condition, error) {
	var c condition
	if and.MatchString(text) {
		return c, fmt.Errorf("%q is two conditions; write a list, of which all hold: [a = 1, b = 2]", text)
	}
	for alt := range strings.SplitSeq(text, " or ") {
		at := strings.IndexAny(alt, "!<>=~")
		found := false
		for _, op := range []string{"!=", "<=", ">=", "=", "<", ">", "~"} {
			if at > 0 && strings.HasPrefix(alt[at:], op) {
				name, value := strings.TrimSpace(alt[:at]), strings.TrimSpace(alt[at+len(op):])
				if name == "" {
					break
				}
				if op == "~" {
					if _, err := path.Match(value, ""); err != nil {
						return c, fmt.Errorf("%q: %q is not a pattern with * and ?", text, value)
					}
				}
				c.any, found = append(c.any, comparison{name, op, value}), true
				break
			}
		}
		if !found {
			return c, fmt.Errorf("%q is not NAME OPERATOR VALUE; the operators are = != < <= > >= and ~ for patterns with * and ?; \" or \" separates alternatives", text)
		}
	}
	return c, nil
}

// names returns the settings that the condition looks at.
func (c condition) names() (list []string) {
	for _, x := range c.any {
		list = append(list, x.name)
	}
	return list
}

// holds reports whether the condition holds for a point. A comparison with a setting that the
// point does not have holds for != alone.
func (c condition) holds(p Point) bool {
	for _, x := range c.any {
		if v, ok := p.Get(x.name); ok && x.compare(v) || !ok && x.op == "!=" {
			return true
		}
	}
	return false
}

// compare compares numbers as numbers and everything else as text.
func (x comparison) compare(v string) bool {
	if x.op == "~" {
		ok, _ := path.Match(x.value, v)
		return ok
	}
	order := strings.Compare(v, x.value)
	a, errA := strconv.ParseFloat(v, 64)
	b, errB := strconv.ParseFloat(x.value, 64)
	if errA == nil && errB == nil {
		switch {
		case a < b:
			order = -1
		case a > b:
			order = 1
		default:
			order = 0
		}
	}
	switch x.op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}
