package archtest

import (
	"bufio"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxLines is how long a Go file may be: one idea each.
const maxLines = 400

var generated = regexp.MustCompile(`^// Code generated .* DO NOT EDIT\.$`)

func TestFileLength(t *testing.T) {
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != root && (strings.HasPrefix(n, ".") || n == "testdata" || n == "bin" || n == "build") {
				return filepath.SkipDir
			}
			return nil
		}
		folder := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(filepath.Dir(path), root), string(filepath.Separator)))
		if !strings.HasSuffix(path, ".go") || ruleOf(cmp.Or(folder, ".")) == "" {
			return nil // a user's is as long as the user likes
		}
		files++
		n, gen, err := count(path)
		if err == nil && n > maxLines && !gen {
			t.Errorf("%s has %d lines, more than %d: split it by idea", strings.TrimPrefix(path, root+"/"), n, maxLines)
		}
		return err
	})
	require.NoError(t, err)
	require.NotZero(t, files)
}

// count returns the number of lines of a file, and whether it is generated.
func count(path string) (lines int, gen bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		lines++
		gen = gen || generated.Match(s.Bytes())
	}
	return lines, gen, s.Err()
}
