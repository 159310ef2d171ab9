package command

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/measure/series"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/view/plot"
)

// readTraces reads the files if they are traces of "weft run --trace"; nil if the only one is something else, such as a
// store.
func readTraces(files []string) (traces []*series.Trace, err error) {
	for _, file := range files {
		t, err := readTrace(file)
		if err != nil {
			return nil, err
		}
		if t == nil && len(files) > 1 {
			return nil, usage.Errorf("", "%s is not a trace; one store or several traces can be drawn", file)
		}
		if t == nil {
			return nil, nil
		}
		traces = append(traces, t)
	}
	return traces, nil
}

// readTrace reads a trace; nil if the file is something else or does not exist.
func readTrace(file string) (*series.Trace, error) {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil, nil // opening the store says why
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if first, err := r.Peek(1); err != nil || first[0] != '{' {
		return nil, nil
	}
	t, err := series.Read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// plotTraces draws traces over time.
func (a *app) plotTraces(ctx context.Context, o plotOptions, traces []*series.Trace) error {
	if o.spec != "" {
		return usage.Errorf("", "--spec goes with a store, and %s is a trace", o.from[0])
	}
	section := o.section
	if !hasKind(section) {
		section.Values = append([]spec.Setting{{Name: "kind", Value: string(plot.Time), Place: "--kind"}}, section.Values...)
	}
	plots, err := plot.Parse([]spec.Section{section})
	if err != nil {
		return usage.Errorf("\"weft plot --help\" explains the flags", "%v", err)
	}
	names := make([]string, len(o.from))
	for i, file := range o.from {
		names[i] = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	p, err := plot.DrawTraces(names, traces, plots[0])
	if err != nil {
		return queryError(err)
	}
	base, formats, err := o.files(plots[0].File)
	if err != nil {
		return err
	}
	return a.write(ctx, p, base, formats, o.from, a.stdout)
}

// hasKind reports whether the flags say a kind.
func hasKind(s spec.Section) bool {
	for _, v := range s.Values {
		if v.Name == "kind" {
			return true
		}
	}
	return false
}
