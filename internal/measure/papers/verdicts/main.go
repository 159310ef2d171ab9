package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-gpu/weft/internal/measure/papers"
	"github.com/weft-gpu/weft/internal/measure/spec"
	"github.com/weft-gpu/weft/internal/measure/store"
	"github.com/weft-gpu/weft/internal/measure/sweep"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: verdicts FOLDER OUT SPEC...")
		os.Exit(2)
	}
	if err := judge(context.Background(), os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(1)
	}
}

func judge(ctx context.Context, folder, out string, files []string) error {
	if err := os.MkdirAll(filepath.Join(out, "numbers"), 0o755); err != nil {
		return err
	}
	var studies []*papers.Study
	for _, file := range files {
		s, err := spec.Load(ctx, file, sweep.Check)
		if err != nil {
			return err
		}
		claims, err := papers.Parse(s)
		if err != nil {
			return err
		}
		rows, err := read(ctx, filepath.Join(folder, s.Name+".db"), s, papers.Metrics(claims))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		var numbers bytes.Buffer
		if err := papers.Write(&numbers, rows); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, "numbers", s.Name+".csv"), numbers.Bytes(), 0o644); err != nil {
			return err
		}
		study, err := papers.Judge(s, claims, rows)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		studies = append(studies, study)
	}
	var page bytes.Buffer
	papers.Page(&page, studies, "figures")
	return os.WriteFile(filepath.Join(out, "verdicts.md"), page.Bytes(), 0o644)
}

// read returns the runs of the points of a specification.
func read(ctx context.Context, file string, s *spec.Spec, metrics []string) ([]papers.Row, error) {
	st, err := store.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	return papers.Rows(ctx, st, s, metrics)
}
