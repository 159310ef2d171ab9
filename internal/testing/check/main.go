package main

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// recorded has the processor time of each package's short tests in seconds;
// "make times" writes it.
//
//go:embed seconds.txt
var recorded string

func main() {
	base := flag.String("base", "", "commit to compare with (default: where this branch left origin/main or main)")
	budget := flag.Float64("budget", 45, "processor seconds of tests of packages that only import what changed")
	heavy := flag.Bool("heavy", false, "run the tests called TestHeavy... of the changed packages and of all that import them")
	order := flag.Bool("order", false, "print all packages, those first whose tests take longest, and run nothing")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "check: it has no arguments, only flags; -h lists them")
		os.Exit(2)
	}
	err := error(nil)
	if *order {
		err = printOrder()
	} else {
		err = run(*base, *budget, *heavy)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func run(base string, budget float64, heavy bool) error {
	files, err := changed(base)
	if err != nil {
		return err
	}
	ps, err := packages()
	if err != nil {
		return err
	}
	all := false
	own := touched(ps, files)
	for _, f := range files { // these may change any package
		all = all || f == "go.mod" || f == "go.sum"
	}
	if all {
		own = ps.names()
	}
	if len(own) == 0 {
		fmt.Println("no package has changed")
		if heavy {
			return nil
		}
	}
	users := ps.importers(own)
	if heavy {
		return runHeavy(slices.Concat(own, users))
	}
	times, err := readSeconds(recorded)
	if err != nil {
		return err
	}
	if err := tell("go", "vet", "./..."); err != nil {
		return err
	}
	if len(own) == 0 {
		return nil
	}
	if err := tell("go", slices.Concat([]string{"tool", "staticcheck"}, dirs(own))...); err != nil {
		return err
	}
	now, later := within(users, times, budget)
	fmt.Printf("%d packages changed, %d of the %d that import them are tested\n", len(own), len(now), len(users))
	err = tell("go", slices.Concat([]string{"test", "-short", "-skip", "^TestHeavy"}, dirs(own), dirs(now))...)
	if len(later) > 0 {
		fmt.Println("not tested, they take longer: " + strings.Join(later, " "))
	}
	fmt.Println("not run: tests called TestHeavy...; make heavy runs those of what changed")
	return err
}

// runHeavy runs the heavy tests of those packages that have one.
func runHeavy(names []string) error {
	var have []string
	for _, n := range names {
		files, err := filepath.Glob(filepath.Join(n, "*_test.go"))
		if err != nil {
			return err
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			if bytes.Contains(text, []byte("\nfunc TestHeavy")) {
				have = append(have, n)
				break
			}
		}
	}
	if len(have) == 0 {
		fmt.Println("nothing that changed has heavy tests")
		return nil
	}
	return tell("go", slices.Concat([]string{"run", "./internal/testing/testtime", "-vet=off", "-timeout", "40m", "-run", "^TestHeavy"}, dirs(longestFirst(have)))...)
}

// longest are the packages whose heavy tests take longest. What go test is given first it runs first, and one that begins last would run alone.
var longest = []string{"internal/testing/readmetest", "internal/service/catalog", "command", "internal/measure/calibration", "internal/testing/cudatest", "sim", "internal/measure/hangs",
	"sim/internal/exttest", "internal/proof/ptxlitmus/run"}

// longestFirst returns names with the longest first.
func longestFirst(names []string) []string {
	rank := func(n string) int {
		if i := slices.Index(longest, n); i >= 0 {
			return i
		}
		return len(longest)
	}
	return slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
}

// tell prints a command's beginning, and runs it.
func tell(name string, args ...string) error {
	line := name + " " + strings.Join(args, " ")
	if len(line) > 150 {
		line = line[:150] + " ..."
	}
	fmt.Println(line)
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	return nil
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

// changed returns the files that differ from base, committed or not.
func changed(base string) ([]string, error) {
	for _, main := range []string{"origin/main", "main"} {
		if base != "" {
			break
		}
		if out, err := output("git", "merge-base", main, "HEAD"); err == nil {
			base = strings.TrimSpace(out)
		}
	}
	if base == "" {
		return nil, errors.New("there is no branch main to compare with: name a commit by -base")
	}
	diff, err := output("git", "diff", "--name-only", "--no-renames", base, "--")
	if err != nil {
		return nil, err
	}
	fresh, err := output("git", "ls-files", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	return strings.Fields(diff + fresh), nil
}

// pkg is a package of the module by its folder ("." for the root), with those
// that it or its tests import.
type pkg struct {
	folder  string
	imports []string
}

type list []pkg

func (l list) names() (names []string) {
	for _, p := range l {
		names = append(names, p.folder)
	}
	return names
}

func packages() (list, error) {
	out, err := output("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	if err != nil {
		return nil, err
	}
	return decode(strings.NewReader(out))
}

const module = "github.com/weft-gpu/weft"

// decode reads what "go list -json" prints.
func decode(r io.Reader) (list, error) {
	var ps list
	for d := json.NewDecoder(r); ; {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		err := d.Decode(&p)
		if err == io.EOF {
			return ps, nil
		}
		if err != nil {
			return nil, err
		}
		own := pkg{folder: below(p.ImportPath)}
		for _, i := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if i == module || strings.HasPrefix(i, module+"/") {
				own.imports = append(own.imports, below(i))
			}
		}
		ps = append(ps, own)
	}
}

func below(importPath string) string {
	if importPath == module {
		return "."
	}
	return strings.TrimPrefix(importPath, module+"/")
}

// touched returns the packages that files belong to: a file's folder, or the
// nearest one above it that is a package, as for files in testdata. A file in
// the root that is no Go code, such as a document, belongs to none.
func touched(ps list, files []string) (names []string) {
	is := map[string]bool{}
	for _, p := range ps {
		is[p.folder] = true
	}
	for _, f := range files {
		dir := path.Dir(f)
		for dir != "." && !is[dir] {
			dir = path.Dir(dir)
		}
		if dir == "." && (path.Dir(f) != "." || !strings.HasSuffix(f, ".go")) {
			continue
		}
		if !slices.Contains(names, dir) {
			names = append(names, dir)
		}
	}
	slices.Sort(names)
	return names
}

// importers returns the other packages that import one of names, directly or
// not, or whose tests do.
func (l list) importers(names []string) (users []string) {
	reached := map[string]bool{}
	for _, n := range names {
		reached[n] = true
	}
	for grown := true; grown; {
		grown = false
		for _, p := range l {
			if !reached[p.folder] && slices.ContainsFunc(p.imports, func(i string) bool { return reached[i] }) {
				reached[p.folder], grown = true, true
				users = append(users, p.folder)
			}
		}
	}
	slices.Sort(users)
	return users
}

// printOrder prints all packages as go test is to have them: what it is given first it runs first, and one that takes long and begins last would run alone.
func printOrder() error {
	ps, err := packages()
	if err != nil {
		return err
	}
	times, err := readSeconds(recorded)
	if err != nil {
		return err
	}
	fmt.Println(strings.Join(dirs(slowestFirst(ps.names(), times)), " "))
	return nil
}

// slowestFirst returns names by the time of their tests, the longest first.
func slowestFirst(names []string, times map[string]float64) []string {
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(times[b], times[a]) })
	return names
}

// within returns the quickest packages that together take at most budget
// seconds, and the others. A package without a recorded time is new, and quick.
func within(names []string, times map[string]float64, budget float64) (now, later []string) {
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(times[a], times[b]) })
	for _, n := range names {
		if budget -= times[n]; budget >= 0 {
			now = append(now, n)
		} else {
			later = append(later, n)
		}
	}
	return now, later
}

// readSeconds reads lines of seconds and folders.
func readSeconds(text string) (map[string]float64, error) {
	times := map[string]float64{}
	for in := bufio.NewScanner(strings.NewReader(text)); in.Scan(); {
		line := strings.Fields(in.Text())
		if len(line) == 0 || strings.HasPrefix(line[0], "#") {
			continue
		}
		if len(line) != 2 {
			return nil, fmt.Errorf("seconds.txt: %q is not a time and a folder", in.Text())
		}
		v, err := strconv.ParseFloat(line[0], 64)
		if err != nil {
			return nil, fmt.Errorf("seconds.txt: %w", err)
		}
		times[line[1]] = v
	}
	return times, nil
}

// dirs returns folders as the go command takes them.
func dirs(names []string) (out []string) {
	for _, n := range names {
		out = append(out, "./"+strings.TrimPrefix(n, "."))
	}
	return out
}
