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

// Updating reports whether -update is set.
func Updating() bool { return *update }

// looked is the set of files that tests compared with.
var looked sync.Map

// Check compares text with the content of file, or with -update writes it
// there.
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

// Run runs the tests and then checks that a test has used each file that
// matches one of the patterns. It returns the exit code. If only some of the
// tests run (-run, -skip, -short) or a test fails, it does not check the files.
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

// report lists the orphans and returns the exit code for them.
func report(w io.Writer, patterns []string) (code int) {
	for _, f := range orphans(patterns) {
		fmt.Fprintf(w, "%s: no test looks at this golden file: remove it\n", f)
		code = 1
	}
	return code
}

// orphans returns the files that no test used. A pattern that matches no file
// is an orphan itself, since it checks nothing.
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
	around = 3   // lines of context before and after those that differ
	most   = 400 // maximum number of lines of a difference whose common lines are searched for
	shown  = 60  // maximum number of lines that are shown
)

// Diff returns the difference between the lines of want and got: lines only in
// want with -, lines only in got with +, and a few lines of context.
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

// lines returns the lines of a text; if the last one has no line end, it says
// so.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	if !strings.HasSuffix(text, "\n") {
		text += " (no end of line)\n"
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// between returns the difference between lines whose first and last lines
// differ, by their longest common subsequence if it can be computed quickly.
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
	// common[i][j] is the number of lines that a[i:] and b[j:] have in common.
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
