package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-gpu/weft/internal/base/format"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/choice"
	"github.com/weft-gpu/weft/internal/service/option"
)

// autoJSON is what `weft list auto --json` prints.
type autoJSON struct {
	Rules []ruleJSON `json:"rules"`
	// GPURules are those by which --gpus auto chooses, for runs that fit on one GPU.
	GPURules []gpuRuleJSON `json:"gpu_rules"`
	// Records compares the choices with the record of each GPU.
	Records map[string]*choice.Comparison `json:"records"`
}

// ruleJSON is one rule of the choice.
type ruleJSON struct {
	Rule       int               `json:"rule"`
	Condition  string            `json:"condition"`
	Scheduler  string            `json:"scheduler"` // "" for the first one that takes the algorithm
	Parameters map[string]string `json:"parameters,omitempty"`
	Evidence   string            `json:"evidence"`
}

// gpuRuleJSON is one rule of the choice of a number of GPUs.
type gpuRuleJSON struct {
	Condition string `json:"condition"`
	Most      int    `json:"most"` // GPUs, or as many as there are
	Evidence  string `json:"evidence"`
}

// listAuto lists the rule of --scheduler auto, and how far its choices are from
// the best recorded scheduler.
// The records are those of a folder, "" for the default.
func (a *app) listAuto(folder string, asJSON bool) error {
	records, err := recordsIn(folder)
	if err != nil {
		return err
	}
	out := autoJSON{Records: map[string]*choice.Comparison{}}
	for i, r := range choice.Rules() {
		out.Rules = append(out.Rules, ruleJSON{i + 1, r.If, r.Scheme, r.Params, r.Evidence})
	}
	for _, r := range choice.GPURules() {
		out.GPURules = append(out.GPURules, gpuRuleJSON{r.If, r.Most, r.Evidence})
	}
	for _, gpu := range records.GPUs() {
		c, err := catalog.CompareAuto(records, gpu)
		if err != nil {
			return err
		}
		out.Records[gpu] = c
	}
	if asJSON {
		return format.JSON(a.stdout, out)
	}
	fmt.Fprintln(a.stdout, "The first rule that holds, and whose scheduler takes the algorithm, decides:")
	for _, r := range out.Rules {
		scheduler := r.Scheduler
		if scheduler == "" {
			scheduler = choice.AnyScheme
		}
		if len(r.Parameters) > 0 {
			scheduler += ", " + format.Assignments(r.Parameters)
		}
		fmt.Fprintln(a.stdout)
		format.Table(a.stdout, "  ", "ll", [][]string{{fmt.Sprint(r.Rule), r.Condition}, {"", scheduler}, {"", "evidence: " + r.Evidence}})
	}
	fmt.Fprintf(a.stdout, "\nSmall levels: %s.\n", choice.SmallLevels)
	fmt.Fprintf(a.stdout, "\n%s of weft run: as few GPUs as have room, if a run does not fit on one; else the first of these that holds:\n\n", option.GPUs.With(autoWord))
	rows := [][]string{{"at most", "if"}}
	for _, r := range out.GPURules {
		rows = append(rows, []string{strconv.Itoa(r.Most), r.Condition}, []string{"", "evidence: " + r.Evidence})
	}
	format.Table(a.stdout, "  ", "rl", rows)
	for _, gpu := range records.GPUs() {
		fmt.Fprintf(a.stdout, "\nnext to the best scheduler on record (%s), by recorded times:\n", gpu)
		comparedText(a, out.Records[gpu])
	}
	return nil
}

// comparedText prints the choices that are slower than the best scheduler, and the
// summary.
func comparedText(a *app, c *choice.Comparison) {
	rows := [][]string{{"algorithm", "graph", "rule", "chosen", "ms", "best", "ms", "ratio"}}
	for _, x := range c.Cells {
		if x.Ratio > 1 {
			rows = append(rows, []string{x.Algorithm, x.Graph, strconv.Itoa(x.Rule), x.Scheme, format.Significant(x.Seconds * 1e3),
				x.Best, format.Significant(x.BestSeconds * 1e3), fmt.Sprintf("%.2f", x.Ratio)})
		}
	}
	if len(rows) > 1 {
		format.Table(a.stdout, "  ", "llrlrlrr", rows)
	}
	fmt.Fprintf(a.stdout, "  %s\n", strings.ReplaceAll(c.String(), "\n", "\n  "))
}
