package papers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// reason is the why: of a claim. Its numbers in braces are computed from the runs that verdicts rest on, so that they are never older
// than these.
type reason []reasonPart

// reasonPart is text and a number behind it.
type reasonPart struct {
	text  string
	check *check // of the number: the claim's, with conditions more; nil if there is none
	on    string // the folder of its machine; "" for those of the specification
}

var (
	braces   = regexp.MustCompile(`\{[^{}]*\}`)
	onFolder = regexp.MustCompile(`(?:^| )on (\S+)$`)
)

// parseReason parses a why: with {CONDITIONS on MACHINE}, of which either part may be missing.
func parseReason(text string, of *check) (list reason, err error) {
	at := 0
	for _, span := range braces.FindAllStringIndex(text, -1) {
		inside, part := text[span[0]+1:span[1]-1], reasonPart{text: text[at:span[0]], check: of}
		at = span[1]
		if m := onFolder.FindStringSubmatchIndex(inside); m != nil {
			part.on, inside = inside[m[2]:m[3]], inside[:m[0]]
			if !slices.ContainsFunc(Machines, func(m Machine) bool { return m.Folder == part.on }) {
				var names []string
				for _, m := range Machines {
					names = append(names, m.Folder)
				}
				return nil, fmt.Errorf("%s: %q is no machine; there are %s", text[span[0]:span[1]], part.on, strings.Join(names, ", "))
			}
		}
		if inside != "" {
			more, err := parseSide(inside)
			if err != nil || more.pick != "" {
				return nil, fmt.Errorf("%s is not {CONDITIONS on MACHINE}, such as {graph~rmat on no-host}", text[span[0]:span[1]])
			}
			restricted := *of
			restricted.sides = slices.Clone(of.sides)
			restricted.sides[0].conditions = slices.Concat(of.sides[0].conditions, more.conditions)
			part.check = &restricted
		}
		list = append(list, part)
	}
	return append(list, reasonPart{text: text[at:]}), nil
}

// on returns the reason with its numbers, by the rows of each machine's folder.
func (r reason) on(rows map[string][]Row) (string, error) {
	var text strings.Builder
	for _, p := range r {
		text.WriteString(p.text)
		if p.check == nil {
			continue
		}
		values, err := p.check.measure(rows[p.on])
		if err != nil {
			return "", err
		}
		if len(values) == 0 {
			return "", fmt.Errorf("no runs for a number of the reason, behind %q", p.text)
		}
		got := reduced(p.check.reduce, values)
		low, high := fmt.Sprintf("%.3g", got[0]), fmt.Sprintf("%.3g", got[len(got)-1])
		text.WriteString(low)
		if high != low {
			text.WriteString(" to " + high)
		}
	}
	return text.String(), nil
}
