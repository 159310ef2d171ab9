package golden

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Transcripts runs the command lines of the txtar archives that match pattern,
// each in a test of its own, and compares what run returns for the words of a
// line with what the archive says. A part of an archive is
//
//	-- name --
//	# Comments, if there are any.
//	$ weft run bsf
//	what run returns
//
// With -update, what run returns replaces the text after the command line: a
// new test is a name and a line with $. Tests that did not run (-run) keep
// their text.
func Transcripts(t *testing.T, pattern string, run func(t *testing.T, args []string) string) {
	t.Helper()
	for _, file := range archives(t, pattern) {
		a := archive(t, file)
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			var names []string
			for i := range a.Files {
				f := &a.Files[i]
				if slices.Contains(names, f.Name) {
					t.Errorf("%s: two parts are called %q", file, f.Name)
				}
				names = append(names, f.Name)
				t.Run(f.Name, func(t *testing.T) {
					head, args, want, err := cutTranscript(string(f.Data))
					if err != nil {
						t.Fatalf("%s: %s: %v", file, f.Name, err)
					}
					got := ended(run(t, args))
					if *update {
						f.Data, want = []byte(head+got), got
					}
					if why := reason(want, got); why != "" {
						t.Errorf("%s: part %s %s", file, f.Name, why)
					}
				})
			}
		})
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// reason says why a part may not be got; "" if it may. A line that starts
// another part would be lost when the archive is read.
func reason(want, got string) string {
	switch {
	case len(txtar.Parse([]byte(got)).Files) > 0:
		return "has a line that starts a part of a txtar archive"
	case got != want:
		return "has lines with -, the program says those with +; go test -update writes it anew\n" + Diff(want, got)
	}
	return ""
}

// Lines returns the command lines of the archives that match pattern.
func Lines(t testing.TB, pattern string) (lines [][]string) {
	t.Helper()
	for _, file := range archives(t, pattern) {
		for _, f := range archive(t, file).Files {
			_, args, _, err := cutTranscript(string(f.Data))
			if err != nil {
				t.Fatalf("%s: %s: %v", file, f.Name, err)
			}
			lines = append(lines, args)
		}
	}
	return lines
}

// archives returns the names of the archives that match pattern. A pattern that
// matches none is an error, since it checks nothing.
func archives(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no such archive", pattern)
	}
	return files
}

func archive(t testing.TB, file string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// cutTranscript cuts a part into its comments with the command line, and what
// follows; args are the words of the line after the program's name.
func cutTranscript(text string) (head string, args []string, want string, err error) {
	rest := text
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	line, want, _ := strings.Cut(rest, "\n")
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != "$" {
		return "", nil, "", errors.New("its first line is not a command line, such as $ weft version")
	}
	return ended(strings.TrimSuffix(text, want)), words[2:], want, nil
}

// ended returns text with a last line that has an end; txtar adds one, too.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
