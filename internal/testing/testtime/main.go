package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// asWrapper is the first argument with which go test calls this program to run
// a test binary.
const asWrapper = "-run-test-binary"

func main() {
	if len(os.Args) > 3 && os.Args[1] == asWrapper {
		os.Exit(measured(os.Args[2], os.Args[3:]))
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "testtime:", err)
		code = 1
	}
	os.Exit(code)
}

// run runs go test and returns its exit code.
func run(args []string) (code int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "weft-testtime")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	// Another program (-exec) is the only way to learn the processor time of a test binary with all its children.
	cmd := exec.Command("go", append([]string{"test", "-json", "-exec", strings.Join([]string{self, asWrapper, dir}, " ")}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.Env = environment(os.Environ())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	s := newSummary(os.Stdout)
	err = s.read(out)
	if e := cmd.Wait(); e != nil && cmd.ProcessState.ExitCode() < 0 {
		return 0, e
	}
	if err != nil {
		return 0, err
	}
	cpu, err := readTimes(dir)
	if err != nil {
		return 0, err
	}
	rows := rowsOf(cpu)
	s.print(rows)
	if file := os.Getenv("WEFT_TEST_SECONDS"); file != "" && cmd.ProcessState.Success() {
		text := "# Processor time of each package's short tests in seconds; make times writes this file.\n"
		for _, r := range rows {
			text += fmt.Sprintf("%.1f %s\n", r.time.Seconds(), r.name)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return 0, err
		}
	}
	return cmd.ProcessState.ExitCode(), nil
}

// environment adds how the tests and what they run collect garbage, unless the user says it: rarely, since most of them compile kernels or
// simulate, with much that stays, and end soon. Collecting as often as Go does by itself takes a tenth to a third of the processor time. Beyond
// the limit it is done as often as needed.
func environment(of []string) []string {
	for _, v := range []string{"GOGC=400", "GOMEMLIMIT=3GiB"} {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(of, func(o string) bool { return strings.HasPrefix(o, name+"=") }) {
			of = append(of, v)
		}
	}
	return of
}

// measured runs a test binary, writes its processor time to a file in dir, and
// returns its exit code. go test calls it in the folder of the package.
func measured(dir string, args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "testtime:", err)
		return 1
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if here, err := os.Getwd(); err == nil {
		text := strconv.FormatInt(int64(used), 10) + " " + here
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(os.Getpid())), []byte(text), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "testtime:", err)
		}
	}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

// readTimes returns the processor time of each folder.
func readTimes(dir string) (map[string]time.Duration, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return nil, err
	}
	times := map[string]time.Duration{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		n, folder, _ := strings.Cut(string(b), " ")
		ns, err := strconv.ParseInt(n, 10, 64)
		if err != nil {
			return nil, err
		}
		times[folder] += time.Duration(ns)
	}
	return times, nil
}

// event is a line of "go test -json".
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64 // seconds of wall time
}

type test struct {
	name    string
	elapsed float64 // seconds of wall time
}

// summary collects what the events say.
type summary struct {
	out     io.Writer
	said    map[[2]string][]string // package and test: the lines of a test that may still pass
	elapsed map[[2]string]float64  // package and test: seconds of wall time, without those of parallel parts
}

func newSummary(out io.Writer) *summary {
	return &summary{out: out, said: map[[2]string][]string{}, elapsed: map[[2]string]float64{}}
}

// read prints the output of packages, and that of tests that failed.
func (s *summary) read(events io.Reader) error {
	in := bufio.NewReader(events)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(s.out, "%s", line) // of the go command itself
			} else {
				s.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *summary) take(e event) {
	key := [2]string{e.Package, e.Test}
	switch {
	case e.Action == "build-output":
		fmt.Fprint(s.out, e.Output)
	case e.Action == "output" && e.Test == "":
		if e.Output != "PASS\n" {
			fmt.Fprint(s.out, e.Output)
		}
	case e.Action == "output":
		s.said[key] = append(s.said[key], e.Output)
	case e.Test != "" && (e.Action == "pass" || e.Action == "skip" || e.Action == "fail"):
		if e.Action == "fail" {
			fmt.Fprint(s.out, strings.Join(s.said[key], ""))
		}
		delete(s.said, key)
		s.elapsed[key] = e.Elapsed
	case e.Test == "" && e.Action == "fail": // a test that did not end, such as after a panic, has no event
		for k, lines := range s.said {
			if k[0] == e.Package {
				fmt.Fprint(s.out, strings.Join(lines, ""))
				delete(s.said, k)
			}
		}
	}
}

// tests returns the tests, each with the time of its parts: its own lacks that of parallel ones.
func (s *summary) tests() (out []test) {
	keys := slices.SortedFunc(maps.Keys(s.elapsed), func(a, b [2]string) int { return len(b[1]) - len(a[1]) }) // parts before tests
	parts := map[[2]string]float64{}
	for _, key := range keys {
		took := max(s.elapsed[key], parts[key])
		if i := strings.LastIndexByte(key[1], '/'); i >= 0 {
			parts[[2]string{key[0], key[1][:i]}] += took
		} else {
			out = append(out, test{below(key[0]) + " " + key[1], took})
		}
	}
	slices.SortFunc(out, func(a, b test) int { return cmp.Or(cmp.Compare(b.elapsed, a.elapsed), strings.Compare(a.name, b.name)) })
	return out
}

const module = "github.com/weft-gpu/weft"

// below returns a package's path relative to the module.
func below(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

// These limit the table to what is worth looking at.
const (
	mostPackages = 30
	mostTests    = 20
)

// row is a package by its folder, and its processor time.
type row struct {
	name string
	time time.Duration
}

// rowsOf returns the packages with the longest first.
func rowsOf(cpu map[string]time.Duration) (rows []row) {
	here, _ := os.Getwd()
	for folder, t := range cpu {
		if rel, err := filepath.Rel(here, folder); err == nil {
			folder = filepath.ToSlash(rel)
		}
		rows = append(rows, row{folder, t})
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.time, a.time), strings.Compare(a.name, b.name)) })
	return rows
}

// print prints the table: packages by processor time, which does not depend on
// what else the machine does, and tests by wall time, since tests of a package
// share a process.
func (s *summary) print(rows []row) {
	total := time.Duration(0)
	for _, r := range rows {
		total += r.time
	}
	fmt.Fprintf(s.out, "\n%d packages with tests took %.1f s of processor time\n", len(rows), total.Seconds())
	rest := time.Duration(0)
	for i, r := range rows {
		if i >= mostPackages {
			rest += r.time
			continue
		}
		fmt.Fprintf(s.out, "%8.1f s  %4.1f%%  %s\n", r.time.Seconds(), 100*r.time.Seconds()/max(total.Seconds(), 1e-9), r.name)
	}
	if len(rows) > mostPackages {
		fmt.Fprintf(s.out, "%8.1f s  %4.1f%%  %d more\n", rest.Seconds(), 100*rest.Seconds()/max(total.Seconds(), 1e-9), len(rows)-mostPackages)
	}
	tests := s.tests()
	fmt.Fprintf(s.out, "\n%d tests; the longest, in wall time of their parts\n", len(tests))
	for _, t := range tests[:min(len(tests), mostTests)] {
		fmt.Fprintf(s.out, "%8.1f s  %s\n", t.elapsed, t.name)
	}
}
