package main

import (
	"fmt"
	"strings"
)

// tables are the names of the tables, in the order of the record.
var tables = []string{"bytes", "times", "scaling"}

// fill replaces the tables of a page, and that of the slides' claims, by those of a record. Each one is between two comments.
func fill(page string, rec record) (string, error) {
	for name, text := range map[string]string{"claims": rec.claims(), "bytes": rec.bytes(), "times": rec.times(), "scaling": rec.scaling()} {
		var err error
		if page, err = place(page, name, text); err != nil {
			return "", err
		}
	}
	return page, nil
}

// place replaces the table of a name by another one.
func place(page, name, text string) (string, error) {
	begin, end := "<!-- table "+name+" -->\n", "<!-- end of table "+name+" -->\n"
	before, rest, ok1 := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		return "", fmt.Errorf("the page has no place for table %s: %s%s", name, begin, end)
	}
	return before + begin + "\n" + text + "\n" + end + after, nil
}

// find returns the row of a table that differs from r only in how values are exchanged.
func (rec record) find(r row, exchange, transfer string, overlap bool) (row, bool) {
	for _, x := range rec.Rows {
		if x.Table == r.Table && x.Device == r.Device && x.Graph == r.Graph && x.Algorithm == r.Algorithm && x.GPUs == r.GPUs &&
			x.Exchange == exchange && x.Transfer == transfer && x.Overlap == overlap {
			return x, true
		}
	}
	return row{}, false
}

// bytes is the table of what is sent.
func (rec record) bytes() string {
	var s strings.Builder
	s.WriteString("| graph | algorithm | GPUs | iterations | useful in ALL | useful in MS | useful in VR | MS / ALL | VR / ALL | VR / MS | VR, bytes per arc and iteration |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rec.Rows {
		if r.Table != "bytes" || r.Exchange != "vr-online" {
			continue
		}
		all, _ := rec.find(r, "all", r.Transfer, r.Overlap)
		ms, _ := rec.find(r, "ms", r.Transfer, r.Overlap)
		fmt.Fprintf(&s, "| %s | %s | %d | %d | %s | %s | %s | %s | %s | %s | %.3f |\n", r.Graph, r.Algorithm, r.GPUs, r.Iterations, percent(all.efficiency()), percent(ms.efficiency()), percent(r.efficiency()),
			percent(part(ms.Sent, all.Sent)), percent(part(r.Sent, all.Sent)), percent(part(r.Sent, ms.Sent)), r.perArc())
	}
	return s.String()
}

// times is the table of times.
func (rec record) times() string {
	var s strings.Builder
	s.WriteString("| graph | algorithm | GPUs | by | ALL ms | MS ms | VR ms | ALL / VR | MS / VR | transfer in ALL, VR ms | fastest |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rec.Rows {
		if r.Table != "times" || r.Exchange != "vr-online" {
			continue
		}
		all, _ := rec.find(r, "all", r.Transfer, r.Overlap)
		ms, _ := rec.find(r, "ms", r.Transfer, r.Overlap)
		by := r.Transfer
		if r.Overlap {
			by += ", overlapped"
		}
		fmt.Fprintf(&s, "| %s | %s | %d | %s | %.3f | %.3f | %.3f | %.2f | %.2f | %.3f, %.3f | %s |\n", r.Graph, r.Algorithm, r.GPUs, by, all.Solve*1e3, ms.Solve*1e3, r.Solve*1e3,
			all.Solve/r.Solve, ms.Solve/r.Solve, all.Transfers*1e3, r.Transfers*1e3, fastest(all, ms, r))
	}
	return s.String()
}

// fastest names the exchange of the row that took the least time.
func fastest(all, ms, vr row) string {
	switch least := min(all.Solve, ms.Solve, vr.Solve); least {
	case vr.Solve:
		return "VR"
	case ms.Solve:
		return "MS"
	}
	return "ALL"
}

// scaling is the table of strong scaling.
func (rec record) scaling() string {
	var s strings.Builder
	s.WriteString("| graph | algorithm | exchange | by | GPUs | ms | speed-up | kernels ms | transfer ms | bytes per arc and iteration |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rec.Rows {
		if r.Table != "scaling" {
			continue
		}
		one := r
		one.GPUs = 1
		one, _ = rec.find(one, r.Exchange, "peer", r.Overlap) // it sends nothing
		by := r.Transfer
		if r.GPUs == 1 {
			by = ""
		}
		fmt.Fprintf(&s, "| %s | %s | %s | %s | %d | %.3f | %.2f | %.3f | %.3f | %.3f |\n", r.Graph, r.Algorithm, r.Exchange, by, r.GPUs, r.Solve*1e3, one.Solve/r.Solve, r.Compute*1e3, r.Transfers*1e3, r.perArc())
	}
	return s.String()
}

// part returns a part of a whole, and percent writes it.
func part(x, of uint64) float64 {
	if of == 0 {
		return 0
	}
	return float64(x) / float64(of)
}

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }
