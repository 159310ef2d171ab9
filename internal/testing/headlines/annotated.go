package headlines

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// columns are the columns of an annotated source file that the picture shows.
var columns = []string{"stalls", "inst", "waits for", "sectors", "atomics", "queue", "line"}

// line is a line of an annotated source file, by column.
type line map[string]string

// Annotated draws the function that begins with the line start, from the text that
// weft annotate prints, with a bar for the share of stalls of each line.
func Annotated(text, file, start string) (string, error) {
	lines, err := function(text, file, start)
	if err != nil {
		return "", err
	}
	width := map[string]int{}
	for _, l := range append(lines, title()) {
		for c, v := range l {
			width[c] = max(width[c], len(v))
		}
	}
	const gap = 2
	total := 0
	for _, c := range columns {
		total += width[c] + gap
	}
	const char, row, pad = 7.25, 19, 12
	s := newPicture(float64(total-gap)*char+2*pad, float64(len(lines)+1)*row+2*pad)
	draw := func(l line, y float64, class string) {
		x := float64(pad)
		for _, c := range columns {
			w := float64(width[c]) * char
			switch v := l[c]; {
			case c == "line" || c == "waits for":
				s.text(x, y, class, "start", v)
			default:
				s.text(x+w, y, class, "end", v)
			}
			x += w + gap*char
		}
	}
	draw(title(), pad+13, "head")
	for i, l := range lines {
		y := float64(pad + (i+1)*row)
		if share, err := strconv.ParseFloat(strings.TrimSuffix(l["stalls"], "%"), 64); err == nil {
			s.printf(`<rect class="heat" x="%d" y="%.1f" width="%.1f" height="%d" opacity="%.2f"/>`,
				pad/2, y, s.width-pad, row, 0.04+0.5*share/100)
		}
		draw(l, y+13, "code")
	}
	return s.end(), nil
}

// title returns the column titles.
func title() line {
	l := line{}
	for _, c := range columns {
		l[c] = c
	}
	return l
}

var second = regexp.MustCompile(`^(\S+ \d+%).*`)

// function returns the lines of a function from the table of its file.
func function(text, file, start string) (lines []line, err error) {
	_, rest, ok := strings.Cut(text, "\n  "+file+"\n")
	if !ok {
		return nil, fmt.Errorf("no table of %s in\n%s", file, text)
	}
	head, rest, _ := strings.Cut(rest, "\n")
	all := strings.Split(rest, "\n")
	for _, l := range all[slices.IndexFunc(append(all, start), func(l string) bool { return strings.Contains(l, start) }):] {
		if strings.TrimSpace(l) == "" {
			break
		}
		lines = append(lines, cells(head, l))
		if strings.HasSuffix(l, "  }") && !strings.HasSuffix(l, "   }") {
			break
		}
	}
	if len(lines) < 3 {
		return nil, fmt.Errorf("no %q in\n%s", start, text)
	}
	return lines, nil
}

// cells cuts a line at the columns of the table's head. A title stands at the right
// or the left end of its column, so that a cell belongs to the title that it overlaps.
func cells(head, text string) line {
	l := line{}
	at := map[string]int{}
	names := regexp.MustCompile(`\S+( \S+)*`).FindAllStringIndex(head, -1)
	for _, n := range names {
		at[head[n[0]:n[1]]] = n[0]
	}
	// The line number ends where its title ends, and the source follows.
	end := at["line"] + len("line")
	number := regexp.MustCompile(`\d+ *$`).FindString(pad(text, end)[:end])
	number = strings.TrimSpace(number)
	source := strings.TrimPrefix(pad(text, end)[end:], "  ")
	l["line"] = strings.TrimRight(fmt.Sprintf("%3s  %s", number, strings.ReplaceAll(source, "\t", "    ")), " ")
	left := pad(text, end)[:end-len(number)]
	for _, c := range regexp.MustCompile(`\S+( \S+)*`).FindAllStringIndex(left, -1) {
		name := slices.MinFunc(names, func(a, b []int) int {
			return cmp.Compare(distance(a, c), distance(b, c))
		})
		l[head[name[0]:name[1]]] = left[c[0]:c[1]]
	}
	if m := second.FindStringSubmatch(l["waits for"]); m != nil {
		l["waits for"] = m[1] // the first reason alone
	}
	return l
}

// distance returns the characters between two ranges, 0 if they overlap.
func distance(a, b []int) int { return max(0, a[0]-b[1]+1, b[0]-a[1]+1) }

// pad makes a text at least n long.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-len(s))) }
