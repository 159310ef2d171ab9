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
	root   = "../../.." // root of the repository, relative to this folder
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
	".":                              {"device", "gpu", "graph", "scheduler", "hw", "experiments", "sim", "internal"},
	"gpu":                            {},
	"graph":                          {"internal/base/infile", "internal/base/memo", "internal/base/memory"},
	"internal/base/memo":             {},
	"internal/base/memory":           {},
	"internal/base/infile":           {"internal/base/memory"},
	"internal/compiler/modules":      {"internal/base/infile"},
	"internal/compiler/ir":           {"gpu", "device"},
	"internal/base/bitmix":           {},
	"internal/core/counter":          {"device"},
	"internal/base/calibrate":        {},
	"internal/measure/bench":         {"device", "graph", "experiments", "sim", "internal/base/buildinfo", "internal/base/calibrate", "internal/compiler/compile", "internal/service/devices", "internal/base/format", "internal/service/graphs", "internal/base/printable", "internal/base/progressbar", "internal/service/run", "internal/base/signals", "internal/core/simt"},
	"internal/base/buildinfo":        {},
	"internal/measure/comparison":    {"device", "graph", "internal/compiler/ir", "hw", "kernels", "experiments", "results", "sim", "internal/service/devices", "internal/base/format", "internal/service/graphs", "internal/base/infile", "internal/measure/microbench", "internal/base/printable", "internal/base/progressbar", "internal/service/run", "internal/base/signals", "internal/measure/study", "internal/base/usage", "internal/core/counter", "internal/measure/ncu"},
	"internal/measure/microbench":    {"device", "kernels", "experiments", "internal/base/buildinfo", "internal/service/devices", "internal/base/format", "internal/base/progressbar", "internal/base/signals", "internal/base/usage"},
	"internal/service/devices":       {"device", "sim", "hw", "results", "internal/function", "internal/core/simt", "internal/base/format", "internal/base/usage", "internal/base/signals"},
	"internal/base/signals":          {},
	"internal/proof/explore":         {"device", "sim", "internal/base/bitmix", "internal/base/buildinfo", "internal/service/devices", "internal/base/format", "internal/compiler/ir", "internal/base/memory"},
	"internal/view/figures":          {},
	"internal/testing/golden":        {},
	"internal/testing/check":         {},
	"internal/testing/testtime":      {},
	"internal/view/headlines":        {"internal/measure/comparison", "internal/core/counter", "internal/view/figures", "internal/base/format", "internal/measure/study", "results", "sim"},
	"internal/service/graphs":        {"graph", "internal/base/memory", "internal/base/progressbar", "internal/base/signals", "internal/base/usage"},
	"internal/service/bound":         {"device", "internal/core/counter", "internal/base/format", "sim"},
	"internal/service/run":           {"internal/service/bound", "internal/diagnosis/cure", "device", "graph", "experiments", "scheduler", "internal/base/buildinfo", "internal/base/calibrate", "internal/compiler/compile", "internal/service/devices", "internal/base/format", "internal/service/graphs", "internal/base/memo", "internal/base/signals", "internal/base/usage", "internal/core/counter", "sim"},
	"internal/service/launch":        {"internal/service/bound", "internal/diagnosis/cure", "device", "experiments", "results", "internal/base/buildinfo", "internal/compiler/compile", "internal/service/devices", "internal/base/printable", "internal/base/format", "internal/base/infile", "internal/base/memory", "internal/service/run", "internal/base/signals", "internal/base/usage"},
	"internal/view/report":           {"internal/service/bound", "device", "internal/base/format", "internal/service/launch", "internal/service/run", "internal/core/counter", "internal/measure/comparison/compare"},
	"internal/view/annotate":         {"internal/service/bound", "experiments", "internal/compiler/compile", "internal/base/format", "internal/compiler/ir", "internal/base/printable", "internal/view/report", "internal/service/run", "sim", "internal/core/counter"},
	"internal/base/format":           {"internal/base/printable"},
	"internal/base/progressbar":      {"internal/base/printable"},
	"internal/base/usage":            {},
	"internal/base/yamlfile":         {},
	"internal/base/hugepage":         {},
	"internal/base/outfile":          {},
	"internal/base/printable":        {},
	"internal/proof/ptxlitmus":       {"internal/base/infile"},
	"internal/proof/ptxlitmus/run":   {"device", "internal/base/format", "internal/compiler/ir", "internal/proof/ptxlitmus", "internal/core/simt", "kernels"},
	"internal/proof/progress":        {"internal/base/format", "internal/base/infile", "internal/base/memory", "internal/base/usage"},
	"internal/proof/progress/kernel": {"device", "internal/compiler/ir", "internal/proof/progress", "internal/core/simt", "sim/policy"},
	"internal/proof/progress/trial":  {"device", "internal/compiler/compile", "internal/proof/progress", "sim/policy"},
	"internal/base/startup":          {},
	"device":                         {},
	"internal/testing/devicetest":    {"device", "gpu", "internal/compiler/compile", "internal/testing/testkernels"},
	"internal/measure/study":         {"device", "experiments", "graph", "internal/base/format", "internal/service/graphs", "results", "scheduler"},
	"internal/measure/record":        {"device", "experiments", "graph", "internal/base/outfile", "kernels", "results", "scheduler"},
	"internal/measure/ncu":           {"internal/core/counter", "results"},
	"internal/testing/native":        {"gpu", "device"},
	"internal/testing/testkernels":   {"gpu"},
	"internal/testing/undefined":     {"gpu"},
	"internal/compiler/opt":          {"internal/compiler/ir"},
	"internal/compiler/compile":      {"gpu", "internal/compiler/modules", "internal/compiler/opt", "internal/compiler/ir", "internal/base/printable", "device"},
	"internal/testing/langtest":      {"gpu"},
	"internal/core/closing":          {"device"},
	"internal/core/simt":             {"internal/base/bitmix", "internal/core/closing", "internal/compiler/ir", "internal/base/hugepage", "internal/base/memory", "internal/base/printable", "device"},
	"internal/diagnosis/race":        {"internal/core/simt", "internal/compiler/ir", "internal/base/memory", "device"},
	"internal/function":              {"internal/diagnosis/remedy", "internal/diagnosis/waitfor", "internal/core/simt", "internal/compiler/ir", "device", "internal/core/counter", "internal/base/format", "internal/core/repeat", "internal/diagnosis/race"},
	"internal/diagnosis/remedy":      {"internal/compiler/ir", "device"},
	"internal/diagnosis/cure":        {"internal/diagnosis/remedy", "internal/compiler/ir", "device"},
	"internal/core/repeat":           {"internal/compiler/ir"},
	"sim":                            {"internal/diagnosis/remedy", "internal/base/format", "internal/diagnosis/waitfor", "internal/core/simt", "internal/compiler/ir", "internal/base/hugepage", "internal/base/infile", "internal/base/printable", "device", "internal/core/counter", "internal/base/bitmix", "internal/function", "internal/core/repeat", "internal/diagnosis/race", "internal/base/yamlfile"},
	"internal/diagnosis/waitfor":     {"internal/diagnosis/remedy", "internal/core/simt", "internal/compiler/ir", "device", "internal/base/format"},
	"hw":                             {"internal/core/closing", "internal/core/simt", "internal/compiler/ir", "internal/compiler/opt", "device", "internal/core/counter"},
	"scheduler":                      {"gpu", "device", "graph", "internal/base/memo"},
	"examples/levels":                {"gpu", "scheduler"},
	"examples/axpy":                  {"gpu"},
	"examples/widest":                {"gpu", "scheduler"},
	"examples/adopt":                 {"gpu", "scheduler"},
	"kernels":                        {"gpu", "scheduler", "device", "graph"},
	"results":                        {"device", "graph", "internal/compiler/ir", "internal/core/counter", "internal/base/infile", "internal/base/memory"},
	"internal/measure/spec":          {"internal/base/infile", "internal/base/usage", "internal/base/yamlfile"},
	"internal/measure/table":         {"internal/base/format"},
	"internal/view/plot":             {"internal/measure/spec", "internal/base/format", "internal/base/usage", "results"},
	"internal/view/page":             {"device", "internal/diagnosis/waitfor", "internal/measure/spec", "results"},
	"internal/measure/compare":       {"internal/base/format", "results"},
	"experiments/papers":             {"experiments", "results", "sim"},
	"internal/measure/slurm":         {"experiments", "results", "internal/base/usage"},
	"internal/measure/sweep":         {"device", "experiments", "graph", "internal/service/bound", "internal/base/buildinfo", "internal/service/devices", "internal/base/format", "internal/service/graphs", "internal/base/infile", "internal/compiler/ir", "internal/service/launch", "internal/base/memo", "internal/base/memory", "internal/service/run", "internal/base/signals", "internal/base/usage", "results", "sim"},
	"experiments":                    {"device", "gpu", "graph", "kernels", "scheduler", "results", "internal/compiler/compile", "internal/compiler/modules", "internal/compiler/ir", "internal/base/memo", "internal/base/outfile", "internal/base/printable", "internal/base/usage", "internal/core/counter"},
	"internal/measure/multi":         {"device", "graph", "internal/service/catalog", "internal/function", "sim"},
	"cmd":                            {"command"},
	"command":                        {"gpu", "graph", "device", "kernels", "scheduler", "sim", "hw", "results", "experiments", "internal"},
	"internal/testing/archtest":      {},
	"internal/testing/readmetest":    {},
	"internal/testing/difftest":      {"gpu", "graph", "device", "kernels", "scheduler", "sim", "experiments", "internal"},
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
		case within(name, "internal/compiler/ir") && ours(dep) && (within(d, "internal/compiler/compile") || within(d, "internal/compiler/opt")):
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

func cgoAllowed(name string) bool { return within(name, "hw") || name == "internal/base/startup" }

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
