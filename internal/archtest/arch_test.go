// Package archtest checks the rules of the project's layout: which package may
// import which, where Akita and cgo may be used, and what device code may use.
package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "github.com/weft-gpu/weft"
	root   = "../.." // root of the repository, relative to this folder
)

// pkg has the fields that the test reads from `go list -json`.
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
	Error        *struct{ Err string }
}

// name returns the path relative to the module: "sim/config"; "." for the
// module itself.
func (p pkg) name() string { return below(p.ImportPath) }

// ours reports whether path is a package of this module.
func ours(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

// below returns the path of a package of this module, relative to the module.
func below(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

// within reports whether name is tree or below it.
func within(name, tree string) bool { return name == tree || strings.HasPrefix(name, tree+"/") }

// rules lists which packages of this module a package may import, outside its
// tests. The rule of the longest tree that contains a package applies; a
// package may always import from its own tree. A package without a rule belongs
// to a user, who may put packages anywhere in the tree: it may import anything,
// and the project's packages must not import it, so that adding a package to
// the project remains a decision.
var rules = map[string][]string{
	".":                         {"device", "gpu", "graph", "scheduler", "hw", "experiments", "sim", "internal"},
	"gpu":                       {},
	"graph":                     {"internal/infile", "internal/memo", "internal/memory"},
	"internal/memo":             {},
	"internal/memory":           {},
	"internal/infile":           {"internal/memory"},
	"internal/modules":          {"internal/infile"},
	"internal/ir":               {"gpu", "device"},
	"internal/bitmix":           {},
	"internal/counter":          {"device"},
	"internal/calibrate":        {},
	"internal/bench":            {"device", "graph", "experiments", "sim", "internal/buildinfo", "internal/calibrate", "internal/compile", "internal/devices", "internal/format", "internal/graphs", "internal/printable", "internal/progressbar", "internal/run", "internal/signals", "internal/simt"},
	"internal/buildinfo":        {},
	"internal/comparison":       {"device", "graph", "internal/ir", "hw", "kernels", "experiments", "results", "sim", "internal/devices", "internal/format", "internal/graphs", "internal/infile", "internal/microbench", "internal/printable", "internal/progressbar", "internal/run", "internal/signals", "internal/study", "internal/usage", "internal/counter", "internal/ncu"},
	"internal/microbench":       {"device", "kernels", "experiments", "internal/buildinfo", "internal/devices", "internal/format", "internal/progressbar", "internal/signals", "internal/usage"},
	"internal/devices":          {"device", "sim", "hw", "results", "internal/exec", "internal/simt", "internal/format", "internal/usage", "internal/signals"},
	"internal/signals":          {},
	"internal/explore":          {"device", "sim", "internal/bitmix", "internal/buildinfo", "internal/devices", "internal/format", "internal/ir", "internal/memory"},
	"internal/figures":          {},
	"internal/golden":           {},
	"internal/check":            {},
	"internal/testtime":         {},
	"internal/headlines":        {"internal/comparison", "internal/counter", "internal/figures", "internal/format", "internal/study", "results", "sim"},
	"internal/graphs":           {"graph", "internal/memory", "internal/progressbar", "internal/signals", "internal/usage"},
	"internal/bound":            {"device", "internal/counter", "internal/format", "sim"},
	"internal/run":              {"internal/bound", "internal/cure", "device", "graph", "experiments", "scheduler", "internal/buildinfo", "internal/calibrate", "internal/compile", "internal/devices", "internal/format", "internal/graphs", "internal/memo", "internal/signals", "internal/usage", "internal/counter", "sim"},
	"internal/launch":           {"internal/bound", "internal/cure", "device", "experiments", "results", "internal/buildinfo", "internal/compile", "internal/devices", "internal/printable", "internal/format", "internal/infile", "internal/memory", "internal/run", "internal/signals", "internal/usage"},
	"internal/report":           {"internal/bound", "device", "internal/format", "internal/launch", "internal/run", "internal/counter", "internal/comparison/compare"},
	"internal/annotate":         {"internal/bound", "experiments", "internal/compile", "internal/format", "internal/ir", "internal/printable", "internal/report", "internal/run", "sim", "internal/counter"},
	"internal/format":           {"internal/printable"},
	"internal/progressbar":      {"internal/printable"},
	"internal/usage":            {},
	"internal/yamlfile":         {},
	"internal/hugepage":         {},
	"internal/outfile":          {},
	"internal/printable":        {},
	"internal/ptxlitmus":        {"internal/infile"},
	"internal/ptxlitmus/run":    {"device", "internal/format", "internal/ir", "internal/ptxlitmus", "internal/simt", "kernels"},
	"internal/progress":         {"internal/format", "internal/infile", "internal/memory", "internal/usage"},
	"internal/progress/kernel":  {"device", "internal/ir", "internal/progress", "internal/simt", "sim/policy"},
	"internal/progress/trial":   {"device", "internal/compile", "internal/progress", "sim/policy"},
	"internal/startup":          {},
	"device":                    {},
	"device/devicetest":         {"device", "gpu", "internal/compile", "internal/testkernels"},
	"internal/study":            {"device", "experiments", "graph", "internal/format", "internal/graphs", "results", "scheduler"},
	"internal/record":           {"device", "experiments", "graph", "internal/outfile", "kernels", "results", "scheduler"},
	"internal/ncu":              {"internal/counter", "results"},
	"internal/native":           {"gpu", "device"},
	"internal/testkernels":      {"gpu"},
	"internal/undefined":        {"gpu"},
	"internal/opt":              {"internal/ir"},
	"internal/compile":          {"gpu", "internal/modules", "internal/opt", "internal/ir", "internal/printable", "device"},
	"internal/compile/langtest": {"gpu"},
	"internal/closing":          {"device"},
	"internal/simt":             {"internal/bitmix", "internal/closing", "internal/ir", "internal/hugepage", "internal/memory", "internal/printable", "device"},
	"internal/race":             {"internal/simt", "internal/ir", "internal/memory", "device"},
	"internal/exec":             {"internal/remedy", "internal/waitfor", "internal/simt", "internal/ir", "device", "internal/counter", "internal/format", "internal/repeat", "internal/race"},
	"internal/remedy":           {"internal/ir", "device"},
	"internal/cure":             {"internal/remedy", "internal/ir", "device"},
	"internal/repeat":           {"internal/ir"},
	"sim":                       {"internal/remedy", "internal/format", "internal/waitfor", "internal/simt", "internal/ir", "internal/hugepage", "internal/infile", "internal/printable", "device", "internal/counter", "internal/bitmix", "internal/exec", "internal/repeat", "internal/race", "internal/yamlfile"},
	"internal/waitfor":          {"internal/remedy", "internal/simt", "internal/ir", "device", "internal/format"},
	"hw":                        {"internal/closing", "internal/simt", "internal/ir", "internal/opt", "device", "internal/counter"},
	"scheduler":                 {"gpu", "device", "graph", "internal/memo"},
	"examples/levels":           {"gpu", "scheduler"},
	"examples/axpy":             {"gpu"},
	"examples/widest":           {"gpu", "scheduler"},
	"examples/adopt":            {"gpu", "scheduler"},
	"kernels":                   {"gpu", "scheduler", "device", "graph"},
	"results":                   {"device", "graph", "internal/ir", "internal/counter", "internal/infile", "internal/memory"},
	"experiments/spec":          {"internal/infile", "internal/usage", "internal/yamlfile"},
	"results/table":             {"internal/format"},
	"results/plot":              {"experiments/spec", "internal/format", "internal/usage", "results"},
	"results/report":            {"device", "internal/waitfor", "experiments/spec", "results"},
	"results/compare":           {"internal/format", "results"},
	"experiments/papers":        {"experiments", "results", "sim"},
	"experiments/slurm":         {"experiments", "results", "internal/usage"},
	"experiments/sweep":         {"device", "experiments", "graph", "internal/bound", "internal/buildinfo", "internal/devices", "internal/format", "internal/graphs", "internal/infile", "internal/ir", "internal/launch", "internal/memo", "internal/memory", "internal/run", "internal/signals", "internal/usage", "results", "sim"},
	"experiments":               {"device", "gpu", "graph", "kernels", "scheduler", "results", "internal/compile", "internal/modules", "internal/ir", "internal/memo", "internal/outfile", "internal/printable", "internal/usage", "internal/counter"},
	"experiments/multi":         {"device", "graph", "experiments/catalog", "internal/exec", "sim"},
	"cmd":                       {"command"},
	"command":                   {"gpu", "graph", "device", "kernels", "scheduler", "sim", "hw", "results", "experiments", "internal"},
	"internal/archtest":         {},
	"internal/readmetest":       {},
	"internal/difftest":         {"gpu", "graph", "device", "kernels", "scheduler", "sim", "experiments", "internal"},
}

func TestImportRule(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		seen[ruleOf(p.name())] = true
		for _, what := range imports(p) {
			t.Error(what)
		}
	}
	for tree := range rules {
		require.True(t, seen[tree], "there is a rule for %s and no such package", tree)
	}
}

// imports returns the imports of a package that its rule does not allow.
func imports(p pkg) (wrong []string) {
	tree := ruleOf(p.name())
	if tree == "" {
		return nil
	}
	for _, imp := range p.Imports {
		if ours(imp) && !allowed(tree, below(imp)) {
			wrong = append(wrong, fmt.Sprintf("%s imports %s: %s may import only %v", p.name(), below(imp), tree, rules[tree]))
		}
	}
	return wrong
}

// TestUsersPackages checks that the tree may contain packages of a user, and
// that the project must not depend on them.
func TestUsersPackages(t *testing.T) {
	for _, name := range []string{"mine", "examples/mine", "examples/levels2", "internal/mine", "my/kernels"} {
		require.Empty(t, ruleOf(name), name)
		user := pkg{ImportPath: module + "/" + name, Imports: []string{"C", "fmt", module + "/sim", module + "/hw", module + "/internal/ir"}}
		require.Empty(t, imports(user))
		require.Empty(t, never(user))
		project := pkg{ImportPath: module + "/sim", Imports: []string{module + "/" + name}}
		require.Len(t, imports(project), 1)
	}
	require.NotEmpty(t, never(pkg{ImportPath: module + "/gpu", Imports: []string{"C"}}))
}

// TestNever checks the rules without exceptions, also in tests.
func TestNever(t *testing.T) {
	for _, p := range list(t, "./...") {
		for _, what := range never(p) {
			t.Error(what)
		}
	}
}

// never returns violations of the rules without exceptions in a package of the
// project.
func never(p pkg) (wrong []string) {
	name := p.name()
	if ruleOf(name) == "" {
		return nil
	}
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, dep := range slices.Concat(p.Deps, p.TestImports, p.XTestImports) {
		d := below(dep)
		switch {
		case within(name, "sim") && ours(dep) && within(d, "hw"), within(name, "hw") && ours(dep) && within(d, "sim"):
			say("%s reaches %s: the simulator and the hardware backend must not know each other", name, d)
		case within(name, "internal/ir") && ours(dep) && (within(d, "internal/compile") || within(d, "internal/opt")):
			say("%s reaches %s: the IR must not know who makes it", name, d)
		}
	}
	for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
		if strings.Contains(imp, "sarchlab/akita") && !within(name, "sim") {
			say("%s imports %s: Akita stays inside sim/", name, imp)
		}
		if imp == "github.com/sarchlab/akita/v3/monitoring" {
			say("%s imports %s: it listens on all network interfaces; sim/monitor serves its page", name, imp)
		}
		if imp == "C" && !cgoAllowed(name) {
			say("%s uses cgo: only hw/ may, and what must look at the process before Go does", name)
		}
	}
	if len(p.CgoFiles) > 0 && !cgoAllowed(name) {
		say("%s has cgo files %v: only hw/ may", name, p.CgoFiles)
	}
	return wrong
}

func cgoAllowed(name string) bool { return within(name, "hw") || name == "internal/startup" }

// ruleOf returns the longest tree in rules that contains the package; "" for a
// user's package.
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
	out, err := goTool(append([]string{"list", "-e", "-deps", "-json=Dir,ImportPath,Standard,Imports,TestImports,XTestImports,Deps,CgoFiles,GoFiles,Error"}, args...)...)
	require.NoError(t, err)
	var ps []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if !ours(p.ImportPath) {
			continue
		}
		if p.Error != nil {
			require.Empty(t, ruleOf(p.name()), "%s: %s", p.ImportPath, p.Error.Err)
		}
		ps = append(ps, p)
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
