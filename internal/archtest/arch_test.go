// Package archtest holds what the layout of the project promises: which
// package may import which, where Akita and cgo may appear, what device code
// may use, and how long a file may be.
package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "github.com/weft-gpu/weft"
	root   = "../.." // of the repository, from here
)

// pkg is what the test reads of `go list -json`.
type pkg struct {
	Dir          string
	ImportPath   string
	Standard     bool
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
	CgoFiles     []string
	GoFiles      []string
}

// name is the path below the module: "sim/config"; "." for the module itself.
func (p pkg) name() string { return below(p.ImportPath) }

// ours reports a package of this module.
func ours(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// below is the path of a package of this module, relative to the module.
func below(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

// within reports that name is tree or lies below it.
func within(name, tree string) bool { return name == tree || strings.HasPrefix(name, tree+"/") }

// rules says what a package may import of this module, outside its tests. The
// longest tree that holds a package decides; a package imports from its own
// tree freely. A package that no rule covers fails the test, so that adding
// one is a decision.
var rules = map[string][]string{
	".":                             {},
	"gpu":                           {},
	"graph":                         {"internal/infile", "internal/memory"},
	"internal/memory":               {},
	"internal/infile":               {"internal/memory"},
	"internal/ir":                   {},
	"internal/calibrate":            {},
	"internal/hugepage":             {},
	"internal/outfile":              {},
	"internal/printable":            {},
	"internal/startup":              {},
	"device":                        {"internal/ir"},
	"device/devicetest":             {"device", "internal/ir", "internal/compile", "."},
	"device/devicetest/testkernels": {"gpu"},
	"internal/opt":                  {"internal/ir"},
	"internal/compile":              {"internal/opt", "internal/ir", "internal/printable"},
	"internal/compile/langtest":     {"gpu"},
	"internal/simt":                 {"internal/ir", "internal/hugepage", "internal/memory", "internal/printable", "device"},
	"internal/exec":                 {"internal/simt", "internal/ir", "device"},
	"sim":                           {"internal/simt", "internal/ir", "internal/hugepage", "internal/printable", "device"},
	"hw":                            {"internal/simt", "internal/ir", "device"},
	"scheduler":                     {"gpu", "device", "graph", "internal/ir"},
	"examples":                      {"gpu", "scheduler"},
	"kernels":                       {"gpu", "scheduler", "device", "graph", "internal/ir"},
	"results":                       {"device"},
	"experiments":                   {".", "device", "graph", "kernels", "scheduler", "results", "internal/compile", "internal/ir", "internal/outfile", "internal/printable"},
	"cmd":                           {".", "gpu", "graph", "device", "kernels", "scheduler", "sim", "hw", "results", "experiments", "internal"},
	"internal/archtest":             {},
	"internal/readmetest":           {},
	"internal/difftest":             {".", "gpu", "graph", "device", "kernels", "scheduler", "sim", "experiments", "internal"},
}

// deviceTrees hold device code in their plain files.
var deviceTrees = []string{"kernels", "scheduler"}

// deviceStd is what device code may use of the standard library: constants and
// bit tricks that the compiler knows.
var deviceStd = []string{"math", "math/bits"}

func TestImportRule(t *testing.T) {
	for _, p := range list(t, "./...") {
		tree := ruleOf(p.name())
		require.NotEmpty(t, tree, "package %s is covered by no import rule: add one to rules", p.ImportPath)
		for _, imp := range p.Imports {
			if ours(imp) && !allowed(tree, below(imp)) {
				t.Errorf("%s imports %s: %s may import only %v", p.name(), below(imp), tree, rules[tree])
			}
		}
	}
}

// TestNever holds what no package may do, tests included.
func TestNever(t *testing.T) {
	for _, p := range list(t, "./...") {
		name := p.name()
		all := slices.Concat(p.Deps, p.TestImports, p.XTestImports)
		for _, dep := range all {
			d := below(dep)
			switch {
			case within(name, "sim") && ours(dep) && within(d, "hw"), within(name, "hw") && ours(dep) && within(d, "sim"):
				t.Errorf("%s reaches %s: the simulator and the hardware backend must not know each other", name, d)
			case within(name, "internal/ir") && ours(dep) && (within(d, "internal/compile") || within(d, "internal/opt")):
				t.Errorf("%s reaches %s: the IR must not know who makes it", name, d)
			}
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if strings.Contains(imp, "sarchlab/akita") && !within(name, "sim") {
				t.Errorf("%s imports %s: Akita stays inside sim/", name, imp)
			}
			if imp == "github.com/sarchlab/akita/v3/monitoring" {
				t.Errorf("%s imports %s: it listens on all network interfaces; sim/monitor serves its page", name, imp)
			}
			if imp == "C" && !cgoAllowed(name) {
				t.Errorf("%s uses cgo: only hw/ may, and what must look at the process before Go does", name)
			}
		}
		if len(p.CgoFiles) > 0 && !cgoAllowed(name) {
			t.Errorf("%s has cgo files %v: only hw/ may", name, p.CgoFiles)
		}
	}
}

func cgoAllowed(name string) bool { return within(name, "hw") || name == "internal/startup" }

// TestDeviceCode looks at kernels/ and scheduler/ as the compiler does, with
// the tag kernel, which leaves their host halves out.
func TestDeviceCode(t *testing.T) {
	seen := 0
	for _, p := range list(t, "-tags", "kernel", "./kernels/...", "./scheduler/...") {
		if !inDeviceTree(p.name()) || len(p.GoFiles) == 0 {
			continue
		}
		seen++
		for _, imp := range p.Imports {
			ok := slices.Contains(deviceStd, imp)
			if ours(imp) {
				ok = below(imp) == "gpu" || inDeviceTree(below(imp))
			}
			if !ok {
				t.Errorf("device code of %s imports %s: it may use gpu, other device code and %v", p.name(), imp, deviceStd)
			}
		}
		for _, f := range p.GoFiles {
			if strings.HasPrefix(f, "host") {
				t.Errorf("%s/%s is a host file without //go:build !kernel", p.name(), f)
			}
		}
	}
	require.NotZero(t, seen, "no device code found")
}

// TestDeviceCodeVets checks that the device code stands alone.
func TestDeviceCodeVets(t *testing.T) {
	_, err := goTool("vet", "-tags", "kernel", "./kernels/...", "./scheduler/...")
	require.NoError(t, err)
}

func inDeviceTree(name string) bool {
	return slices.ContainsFunc(deviceTrees, func(tree string) bool { return within(name, tree) })
}

// ruleOf is the longest tree in rules that holds the package; "" for none.
func ruleOf(name string) (tree string) {
	for r := range rules {
		if within(name, r) && len(r) > len(tree) {
			tree = r
		}
	}
	return tree
}

func allowed(tree, imp string) bool {
	return within(imp, tree) || slices.ContainsFunc(rules[tree], func(r string) bool {
		return within(imp, r) && (r != "." || imp == ".")
	})
}

// list runs go list -deps and returns the packages of this module.
func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	out, err := goTool(append([]string{"list", "-deps", "-json=Dir,ImportPath,Standard,Imports,TestImports,XTestImports,Deps,CgoFiles,GoFiles"}, args...)...)
	require.NoError(t, err)
	var ps []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if ours(p.ImportPath) {
			ps = append(ps, p)
		}
	}
	require.NotEmpty(t, ps)
	return ps
}

// goTool runs the go command in the root of the repository.
func goTool(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New("go " + strings.Join(args, " ") + ": " + err.Error() + "\n" + stderr.String())
	}
	return out, nil
}
