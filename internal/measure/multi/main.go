package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
)

func main() {
	folder := flag.String("graphs", ".", "the folder with the graph files")
	out := flag.String("out", filepath.Join("results", "multi"), "the folder for record.json, and with README.md, whose tables are replaced")
	table := flag.String("table", "", "run the cases of one table alone, bytes, times or scaling, and keep the other rows of the record")
	only := flag.Bool("tables", false, "run nothing: write the tables of the record")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *folder, *out, *table, *only); err != nil {
		fmt.Fprintln(os.Stderr, "multi:", err)
		os.Exit(1)
	}
}

// run runs the experiment, or the cases of one table, and writes the files.
func run(ctx context.Context, folder, out, table string, only bool) error {
	file := filepath.Join(out, "record.json")
	rec := record{Title: "Several GPUs: what they send each other"}
	if only || table != "" {
		if err := load(file, &rec); err != nil {
			return err
		}
	}
	if !only {
		chosen := slices.DeleteFunc(slices.Clone(plan), func(c cases) bool { return table != "" && c.table != table })
		if len(chosen) == 0 {
			return fmt.Errorf("there is no table %q; there are: bytes, times, scaling", table)
		}
		rows := slices.DeleteFunc(rec.Rows, func(r row) bool { return table == "" || r.Table == table })
		err := measure(ctx, chosen, folder, func(r row) error {
			fmt.Printf("%-7s %-7s %d %-32s %-13s %-10s %-4s %-5v %12d bytes %10.3f ms\n", r.Table, r.Device, r.GPUs, r.Graph, r.Algorithm, r.Exchange, r.Transfer, r.Overlap, r.Sent, r.Solve*1e3)
			rows = append(rows, r)
			slices.SortStableFunc(rows, func(a, b row) int { return slices.Index(tables, a.Table) - slices.Index(tables, b.Table) })
			rec.Rows = rows
			return save(file, rec)
		})
		if err != nil {
			return err
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
