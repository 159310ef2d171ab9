package generate

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Overlay writes the kernels of seeds to dir, and an overlay for the go command
// that adds them to package corpus of the project at root. It returns the path
// of the overlay.
func Overlay(root, dir string, seeds []uint64) (path string, err error) {
	replace, err := Replace(root, dir, seeds)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "corpus.json")
	return path, os.WriteFile(path, text, 0o644)
}

// Replace writes the kernels of seeds to dir. It returns the files of package
// corpus that an overlay adds, each with the file in dir that has its text.
func Replace(root, dir string, seeds []uint64) (map[string]string, error) {
	corpus, err := filepath.Abs(filepath.Join(root, "internal", "testing", "difftest", "corpus"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(corpus, "host_sources.go")); err != nil {
		return nil, fmt.Errorf("this is not the root of the project: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	files, err := Corpus(seeds)
	if err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for _, f := range files {
		at := filepath.Join(dir, f.Name)
		if err := os.WriteFile(at, []byte(f.Text), 0o644); err != nil {
			return nil, err
		}
		replace[filepath.Join(corpus, f.Name)] = at
	}
	return replace, nil
}

// Rebuilt builds the tests of a package (such as ./hw) of the project at root
// again, with the kernels of Seeds, and runs them in the current folder with
// args. It returns their exit code.
//
// The go command compiles the kernels once and keeps them in its cache, as it
// would keep files of the project; what each run costs is linking.
func Rebuilt(root, pkg string, args []string) (code int, err error) {
	dir, err := os.MkdirTemp("", "weft-corpus")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	overlay, err := Overlay(root, dir, Seeds)
	if err != nil {
		return 0, err
	}
	binary := filepath.Join(dir, "corpus.test")
	build := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", binary, pkg)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	cmd := exec.Command(binary, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		return 0, err
	}
	if code = cmd.ProcessState.ExitCode(); code < 0 { // a signal
		code = 2
	}
	return code, nil
}
