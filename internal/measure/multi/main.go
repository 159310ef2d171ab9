package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/weft-gpu/weft/internal/measure/store"
)

func main() {
	out := flag.String("out", filepath.Join("results", "multi"), "the folder with record.json, to which rows are added, and with README.md, whose tables are replaced")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "multi:", err)
		os.Exit(1)
	}
}

// run adds the rows of stores to the record, and writes the files.
func run(ctx context.Context, out string, stores []string) error {
	file := filepath.Join(out, "record.json")
	var rec record
	if err := load(file, &rec); err != nil {
		return err
	}
	for _, name := range stores {
		st, err := store.Open(ctx, name)
		if err != nil {
			return err
		}
		if err := errors.Join(rec.add(ctx, st), st.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := save(file, rec); err != nil {
		return err
	}
	readme := filepath.Join(out, "README.md")
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	page, err := fill(string(text), rec)
	if err != nil {
		return err
	}
	return os.WriteFile(readme, []byte(page), 0o644)
}

// load reads a record.
func load(file string, rec *record) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, rec)
}

// save writes a record, with a line for each row.
func save(file string, rec record) error {
	title, err := json.Marshal(rec.Title)
	if err != nil {
		return err
	}
	text := "{\"title\": " + string(title) + ", \"rows\": ["
	for i, r := range rec.Rows {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if i > 0 {
			text += ","
		}
		text += "\n" + string(line)
	}
	return os.WriteFile(file, []byte(text+"\n]}\n"), 0o644)
}
