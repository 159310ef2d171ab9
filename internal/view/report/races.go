package report

import (
	"fmt"
	"io"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/run"
)

// Races prints the data races that were found: those that the source does not
// mark as intended, and then a line for each of the others. It prints nothing if
// nobody looked for races.
func Races(w io.Writer, r *run.Work) {
	if r.Races == nil {
		return
	}
	intended, n := 0, 0
	for i := range r.Races {
		race := &r.Races[i]
		if race.Racy != "" {
			intended++
			continue
		}
		n++
		fmt.Fprintf(w, "\n%s\n", race)
	}
	fmt.Fprintln(w)
	found, until := "none", ""
	if n > 0 {
		found = pairs(n) + " of lines"
	}
	if r.Early != "" {
		until = " until the run ended early (" + r.Early + ")"
	}
	fmt.Fprintf(w, "races: %s%s%s\n", found, until, marked(intended))
	if r.RacesForgotten > 0 {
		fmt.Fprintf(w, "  not compared with all later accesses: %s, to words that more than 64 warps accessed in no order; a race with one of them is not seen\n",
			format.Thousands(r.RacesForgotten))
	}
	for i := range r.Races {
		if race := &r.Races[i]; race.Racy != "" {
			fmt.Fprintf(w, "  on purpose, %s times on %s: %s\n", format.Thousands(race.Count), race.Buffer, race.Racy)
		}
	}
}

func marked(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %s of lines that the source allows to race", pairs(n))
}

func pairs(n int) string {
	if n == 1 {
		return "1 pair"
	}
	return format.Thousands(n) + " pairs"
}
