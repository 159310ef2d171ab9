package headlines

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/measure/comparison"
	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/results"
)

// recorded adds tables of the H200's rows of micro-kernels beside the simulated ones, by part.
func recorded(root string, f map[string]string) error {
	var list []results.Micro
	if err := read(filepath.Join(root, "results/hw/h200/micro.json"), &list); err != nil {
		return err
	}
	var t comparison.Table
	if err := read(filepath.Join(root, "results/simulated/micro.json"), &t); err != nil {
		return err
	}
	simulated := map[string]float64{}
	for _, m := range t.Micro {
		simulated[m.Group+": "+m.Name] = m.A
	}
	for part, has := range map[string]func(m results.Micro) bool{
		"caches": func(m results.Micro) bool { return m.Group == "caches" },
		"passes": func(m results.Micro) bool {
			return m.Group == "data stage" || strings.HasSuffix(m.Name, "32 warps") || strings.HasPrefix(m.Name, "one SM, ")
		},
		"programs": func(m results.Micro) bool { return m.Group == "programs" },
	} {
		n := 0
		var b strings.Builder
		b.WriteString("\n\n| what | unit | H200, median | from | to | simulated | error |\n|---|---|---|---|---|---|---|\n")
		for _, m := range list {
			if !has(m) {
				continue
			}
			n++
			mine, off := "", ""
			if a, ok := simulated[m.Group+": "+m.Name]; ok {
				mine, off = format.Significant(a), fmt.Sprintf("%+.1f%%", 100*compare.Error(a, m.Median))
			}
			fmt.Fprintf(&b, "| %s: %s | %s | %s | %s | %s | %s | %s |\n", m.Group, m.Name, m.Unit,
				format.Significant(m.Median), format.Significant(m.Min), format.Significant(m.Max), mine, off)
		}
		f["recorded."+part], f["recorded."+part+".n"] = b.String()+"\n", fmt.Sprint(n)
	}
	return nil
}

// merged adds a table of the sectors that SMs read from the L2 in programs whose blocks load the same data.
func merged(root string, f map[string]string) error {
	var t comparison.CounterTable
	if err := read(filepath.Join(root, "results/simulated/counters.json"), &t); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("\n\n| program | sectors that L1 lacks, simulated | H200 | sectors read from the L2, simulated | H200 | error | bank conflicts, simulated | H200 |\n|---|---|---|---|---|---|---|---|\n")
	n := 0
	for _, r := range t.Micro {
		program, ok := strings.CutPrefix(r.Run, "programs: ")
		if !ok {
			continue
		}
		n++
		of := func(name string) (a, b float64) {
			for _, c := range r.Counters {
				if c.Name == name {
					return c.A / float64(r.Launches[0]), c.B / float64(r.Launches[1])
				}
			}
			return 0, 0
		}
		all, allTheirs := of("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
		hit, hitTheirs := of("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")
		mine, theirs := of("lts__t_sectors_srcunit_tex_op_read.sum")
		conflicts, conflictsTheirs := of("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")
		count := func(x float64) string { return format.Thousands(int(x + 0.5)) }
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %+.1f%% | %s | %s |\n", program, count(all-hit), count(allTheirs-hitTheirs), count(mine), count(theirs),
			100*compare.Error(mine, theirs), count(conflicts), count(conflictsTheirs))
	}
	if n == 0 {
		return fmt.Errorf("results/simulated/counters.json has no programs: %s", `"make simulated" simulates what was recorded`)
	}
	f["merged.table"] = b.String() + "\n"
	return nil
}
