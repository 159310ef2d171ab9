package headlines

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/measure/papers"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

// claims adds how many claims of the papers have which verdict on which machine, by the numbers that were kept.
func claims(root string, f map[string]string) error {
	files, err := filepath.Glob(filepath.Join(root, "experiments/papers/*.yaml"))
	if err != nil {
		return err
	}
	var studies []*papers.Study
	counts, all := map[papers.Word]int{}, 0
	for _, file := range files {
		s, err := spec.Load(context.Background(), file, sweep.Check)
		if err != nil {
			return err
		}
		study, err := papers.ReadStudy(filepath.Join(root, "results/papers"), s)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		studies = append(studies, study)
		for _, v := range study.Verdicts {
			counts[v.Word]++
			all++
		}
	}
	f["papers.claims"] = fmt.Sprint(all)
	f["papers.agrees"], f["papers.direction"] = fmt.Sprint(counts[papers.Agrees]), fmt.Sprint(counts[papers.Direction])
	f["papers.differs"], f["papers.fitted"] = fmt.Sprint(counts[papers.Differs]), fmt.Sprint(counts[papers.Fitted])
	var b strings.Builder
	papers.Counts(&b, studies)
	f["papers.counts"] = "\n\n" + b.String() + "\n"
	return nil
}
