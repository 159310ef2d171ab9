package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	var studies []*papers.Study
	for _, file := range files {
		study, err := judgeOne(ctx, folder, out, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		studies = append(studies, study)
	}
	var page bytes.Buffer
	papers.Page(&page, studies, "figures")
	return os.WriteFile(filepath.Join(out, "verdicts.md"), page.Bytes(), 0o644)
}

// judgeOne judges the claims of one specification on its own machines and on the others.
func judgeOne(ctx context.Context, folder, out, file string) (*papers.Study, error) {
	s, err := spec.Load(ctx, file, sweep.Check)
	if err != nil {
		return nil, err
	}
	claims, err := papers.Parse(s)
	if err != nil {
		return nil, err
	}
	rows, missing, err := read(ctx, filepath.Join(folder, s.Name+".db"), out, "", s, claims)
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%d of %d points have no result, such as %s", len(missing), len(s.Points), missing[0])
	}
	if err := keep(rows, papers.NumbersFile(out, "", s.Name)); err != nil {
		return nil, err
	}
	study, err := papers.Judge(s, claims, rows)
	if err != nil {
		return nil, err
	}
	for _, m := range papers.Machines {
		if err := measureOn(ctx, m, folder, out, s, claims); err != nil {
			return nil, fmt.Errorf("on %s: %w", m.Name, err)
		}
	}
	return study, study.ReadElsewhere(out, claims)
}

// measureOn writes the numbers of a study on another machine. Of points without results of "make papers" there, those that were
// written before stay: a GPU is not always at hand.
func measureOn(ctx context.Context, m papers.Machine, folder, out string, s *spec.Spec, claims []*papers.Claim) error {
	moved, err := m.Moved(s)
	if err != nil {
		return err
	}
	rows, _, err := read(ctx, filepath.Join(folder, m.Folder, s.Name+".db"), out, m.Folder, moved, claims) // the page says how many are missing
	if err != nil || len(rows) == 0 {
		return err
	}
	return keep(rows, papers.NumbersFile(out, m.Folder, s.Name))
}

// keep writes the numbers that verdicts rest on.
func keep(rows []papers.Row, file string) error {
	var numbers bytes.Buffer
	if err := papers.Write(&numbers, rows); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, numbers.Bytes(), 0o644)
}

// read returns the runs of the points of a specification on a machine: those in a file of results, if it is there, and else those that were kept.
// missing are the points that have neither.
func read(ctx context.Context, file, out, machine string, s *spec.Spec, claims []*papers.Claim) (rows []papers.Row, missing []string, err error) {
	kept, err := papers.ReadKept(out, machine, s.Name)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		rows, missing = papers.WithKept(nil, kept, s)
		return rows, missing, nil
	}
	st, err := store.Open(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	defer st.Close()
	if rows, _, err = papers.Rows(ctx, st, s, papers.Metrics(claims)); err != nil {
		return nil, nil, err
	}
	rows, missing = papers.WithKept(rows, kept, s)
	return rows, missing, nil
}
