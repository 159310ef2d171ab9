package main

import (
	"fmt"
	"slices"
	"strings"
)

// searches are the algorithms that search from one vertex. The ranges of slide 5 are compared with these and, apart, with
// connected components.
var searches = []string{"bfs", "sssp", "sswp"}

// claims is the table of what the slides say, and the same in the record.
func (rec record) claims() string {
	var s strings.Builder
	s.WriteString("| what | slides | here |\n|---|---|---|\n")
	social := func(gpus int, exchange string, algorithms []string) func(r row) bool {
		return func(r row) bool {
			return r.Table == "bytes" && r.GPUs == gpus && r.Exchange == exchange && slices.Contains(algorithms, r.Algorithm) &&
				(strings.HasPrefix(r.Graph, "rmat") || strings.HasPrefix(r.Graph, "soc"))
		}
	}
	line := func(what, slides, unit string, choose func(r row) bool, value func(r row) float64) {
		var list []float64
		for _, r := range rec.Rows {
			if choose(r) {
				list = append(list, value(r))
			}
		}
		if len(list) == 0 {
			list = []float64{0}
		}
		slices.Sort(list)
		fmt.Fprintf(&s, "| %s | %s | %.3g to %.3g%s, median %.3g |\n", what, slides, list[0], list[len(list)-1], unit, list[len(list)/2])
	}
	useful := func(r row) float64 { return 100 * r.efficiency() }
	over := func(exchange string) func(r row) float64 {
		return func(r row) float64 {
			x, _ := rec.find(r, exchange, r.Transfer, r.Overlap)
			return part(r.Sent, x.Sent) * 100
		}
	}
	for _, what := range []struct {
		name       string
		algorithms []string
	}{{"searches", searches}, {"components", []string{"cc"}}} {
		line("useful part of ALL, 4 GPUs, "+what.name, "9 to 15% (Medusa, slide 5)", "%", social(4, "all", what.algorithms), useful)
		line("useful part of MS, 2 GPUs, "+what.name, "11 to 18% (Totem, slide 5)", "%", social(2, "ms", what.algorithms), useful)
		line("bytes of VR, of those of ALL, 4 GPUs, "+what.name, "less", "%", social(4, "vr-online", what.algorithms), over("all"))
		line("bytes of VR, of those of MS, 4 GPUs, "+what.name, "less", "%", social(4, "vr-online", what.algorithms), over("ms"))
	}
	faster := func(exchange string) func(r row) float64 {
		return func(r row) float64 {
			x, _ := rec.find(r, exchange, r.Transfer, r.Overlap)
			return x.Solve / r.Solve
		}
	}
	timed := func(ranks bool) func(r row) bool {
		return func(r row) bool {
			return r.Table == "times" && r.Exchange == "vr-online" && slices.Contains(searches, r.Algorithm) != ranks
		}
	}
	for _, than := range []struct{ exchange, name string }{{"all", "ALL"}, {"ms", "MS"}} {
		line("speed-up of VR over "+than.name+", searches", "up to 2.71 (abstract)", "", timed(false), faster(than.exchange))
		line("speed-up of VR over "+than.name+", PageRank", "up to 2.71 (abstract)", "", timed(true), faster(than.exchange))
	}
	won, rows := 0, 0
	for _, r := range rec.Rows {
		if r.Table != "times" || r.Exchange != "vr-online" {
			continue
		}
		rows++
		all, _ := rec.find(r, "all", r.Transfer, r.Overlap)
		ms, _ := rec.find(r, "ms", r.Transfer, r.Overlap)
		if fastest(all, ms, r) == "VR" {
			won++
		}
	}
	fmt.Fprintf(&s, "| runs in which VR is the fastest | all | %d of %d |\n", won, rows)
	return s.String()
}
