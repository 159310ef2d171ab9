package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// kind is a kind of change, measured by one thing of this kind that the tree has: a file which names the thing had to be
// touched when it was added.
type kind struct {
	what, example string
	named         *regexp.Regexp // in text, or in the path of a file
	heading       string         // of its part of CONTRIBUTING.md
}

// kinds are those of CONTRIBUTING.md, "What a change touches". The examples are things that other code does not use: a
// popular option or preset is named in many files that did not have to change for it.
var kinds = []kind{
	{"operation", "Ceil", regexp.MustCompile(`\bOpCeil\b|\bgpu\.Ceil\b|\bfunc Ceil\[`), "An operation of kernels"},
	{"counter", "WriteBacks", regexp.MustCompile(`\bWriteBacks\b`), "A counter"},
	{"parameter", "lock_round", regexp.MustCompile(`\bLockRound\b|\block_round\b`), "A parameter of the machine"},
	{"option", "array-size", regexp.MustCompile(`\bArraySize\b|--array-size\b`), "A flag"},
	{"command", "calibrate", regexp.MustCompile(`\bcalibrateCommand\b|"calibrate[" ]|/calibrate\.md\b`), "A command"},
	{"preset", "v100", regexp.MustCompile(`"v100"|/v100\.yaml\b`), "A preset"},
	{"output format", "parquet", regexp.MustCompile(`"parquet"|\bor \.?parquet\b|--format parquet\b`), "An output format"},
}

// elsewhere are folders of results, goldens and what is built, specifications that use what there is, pages that tell what was done
// rather than how things are, and this folder, which names the examples.
var elsewhere = []string{".git", "bin", "build", "testdata", "results", "images", "sizes", "studies", "CHANGELOG.md", "CONTRIBUTING.md", "RATIONALE.md"}

// touched returns the files that name the example of each kind of change, in the order of kinds.
func touched(dir string) ([][]string, error) {
	found := make([][]string, len(kinds))
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if file != dir && slices.Contains(elsewhere, d.Name()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || !slices.Contains([]string{".go", ".md", ".yaml", ".c", ".cpp", ".h"}, filepath.Ext(file)) {
			return nil
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		for i, k := range kinds {
			if k.named.Match(text) || k.named.MatchString("/"+name) {
				found[i] = append(found[i], name)
			}
		}
		return nil
	})
	return found, err
}

// printTouched prints, for each kind of change, how many files it touches and which. Tests of the thing itself do not count.
func printTouched(w io.Writer, found [][]string) {
	fmt.Fprintln(w, "files that name the example of a kind of change, without tests")
	for i, k := range kinds {
		product := slices.DeleteFunc(slices.Clone(found[i]), isTest)
		fmt.Fprintf(w, "  %-30s %d\n", k.what+" "+k.example, len(product))
		for _, file := range product {
			fmt.Fprintf(w, "    %s\n", file)
		}
	}
}

func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }
