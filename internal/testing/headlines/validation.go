package headlines

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/comparison/compare"
	"github.com/weft-gpu/weft/internal/measure/programs"
)

// validation adds the errors of the CUDA programs of experiments/validation on each GPU with a recording: times as they are and, where each process has
// launches of an empty kernel, with the launch cost of the process.
func validation(root string, f map[string]string) error {
	for _, gpu := range []string{"h200", "h100"} {
		var runs [2][]*programs.Run
		for i, file := range []string{"validation-sim-" + gpu + ".json", "validation-" + gpu + ".json"} {
			var err error
			if runs[i], err = programs.Read(filepath.Join(root, "results", "cuda", file)); err != nil {
				return err
			}
		}
		var plain, withLaunch [][2]float64
		names := map[string]bool{}
		for _, row := range programs.Compare(runs[0], runs[1]).Repeated() {
			name, _, _ := strings.Cut(row.Program, " ")
			names[name] = true
			plain = append(plain, [2]float64{row.A, row.B})
			if row.Launch != nil {
				withLaunch = append(withLaunch, [2]float64{row.WithLaunch(), row.B})
			}
		}
		prefix := "validation." + gpu
		f[prefix+".programs"], f[prefix+".kernels"] = fmt.Sprint(len(names)), fmt.Sprint(len(plain))
		summarized(prefix, compare.Summarize(plain), f)
		if len(withLaunch) == 0 {
			continue
		}
		if len(withLaunch) != len(plain) {
			return fmt.Errorf("results/cuda/validation-%s.json: some processes have no empty kernel", gpu)
		}
		summarized(prefix+".launch", compare.Summarize(withLaunch), f)
	}
	return nil
}

// summarized adds a summary under a name.
func summarized(name string, s compare.Summary, f map[string]string) {
	f[name+".mean"], f[name+".median"], f[name+".worst"] = percent(s.Mean), percent(s.Median), fmt.Sprintf("%.1f", s.Worst)
}
