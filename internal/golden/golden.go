// Package golden compares what a program says with files that hold what it is
// to say. "go test PACKAGE -update" writes the files anew.
//
// A package whose golden files lie in folders of their own calls Run from its
// TestMain, which finds files that no test looks at any more.
package golden

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports -update.
func Updating() bool { return *update }

// looked is the files that tests compared with.
var looked sync.Map

// Check holds that text is what the file has, or writes it with -update.
func Check(t testing.TB, file, text string) {
	t.Helper()
	looked.Store(filepath.Clean(file), true)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\ngo test -update writes it", err)
	}
	if string(want) != text {
		t.Errorf("%s has lines with -, the program says those with +; go test -update writes it anew\n%s", file, Diff(string(want), text))
	}
}

// Run runs the tests and then holds that each file that one of the patterns
// matches was looked at by a test. It returns the exit code. Where only some
// tests run (-run, -skip, -short) or one failed, it says nothing of files.
func Run(m *testing.M, patterns ...string) int {
	code := m.Run()
	for _, f := range []string{"test.run", "test.skip", "test.list", "test.fuzz", "test.bench"} {
		if flag.Lookup(f).Value.String() != "" {
			return code
		}
	}
	if code != 0 || testing.Short() {
		return code
	}
	return report(os.Stderr, patterns)
}

// report returns the exit code for orphans, which it lists.
func report(w io.Writer, patterns []string) (code int) {
	for _, f := range orphans(patterns) {
		fmt.Fprintf(w, "%s: no test looks at this golden file: remove it\n", f)
		code = 1
	}
	return code
}

// orphans are the files that no test looked at. A pattern that matches nothing
// is one itself: it holds nothing.
func orphans(patterns []string) (files []string) {
	for _, p := range patterns {
		all, err := filepath.Glob(p)
		if err != nil || len(all) == 0 {
			files = append(files, p)
		}
		for _, f := range all {
			if _, ok := looked.Load(filepath.Clean(f)); !ok {
				files = append(files, f)
			}
		}
	}
	return files
}

const (
	around = 3   // lines shown before and after those that differ
	most   = 400 // lines of a difference whose own common lines are looked for
	shown  = 60  // lines of a difference at most
)

// Diff shows how the lines of want and got differ: those of want alone with -,
// those of got alone with +, and a few around them.
func Diff(want, got string) string {
	a, b := lines(want), lines(got)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []string
	for _, l := range a[max(0, head-around):head] {
		out = append(out, "  "+l)
	}
	out = append(out, between(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, l := range a[len(a)-tail : min(len(a), len(a)-tail+around)] {
		out = append(out, "  "+l)
	}
	if more := len(out) - shown; more > 0 {
		out = append(out[:shown], fmt.Sprintf("... and %d lines more", more))
	}
	return fmt.Sprintf("from line %d:\n%s", head+1, strings.Join(out, "\n"))
}

// lines are the lines of a text; one that ends without a line's end says so.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	if !strings.HasSuffix(text, "\n") {
		text += " (no end of line)\n"
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// between returns the difference of lines that have neither first nor last in
// common: by their longest common subsequence, where that is quickly found.
func between(a, b []string) (out []string) {
	if len(a) > most || len(b) > most {
		for _, l := range a {
			out = append(out, "- "+l)
		}
		for _, l := range b {
			out = append(out, "+ "+l)
		}
		return out
	}
	// common[i][j] is how many lines a[i:] and b[j:] have in common.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out, i, j = append(out, "  "+a[i]), i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			out, i = append(out, "- "+a[i]), i+1
		default:
			out, j = append(out, "+ "+b[j]), j+1
		}
	}
	for _, l := range a[i:] {
		out = append(out, "- "+l)
	}
	for _, l := range b[j:] {
		out = append(out, "+ "+l)
	}
	return slices.Clip(out)
}
