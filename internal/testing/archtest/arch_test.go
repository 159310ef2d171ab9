package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	Name         string
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

// storey is a floor of the house: packages that stand equally high. A package may import from its own tree, from storeys
// below its own, and from trees to the left in its own storey.
type storey struct {
	name  string
	trees []string // from left to right
	what  string
}

// house lists the storeys, the lowest first. A package that no tree contains belongs to a user, who may put packages
// anywhere: it may import anything, and the project's packages must not import it, so that adding a package to the project
// remains a decision.
var house = []storey{
	{"base", []string{"internal/base"}, "files, terminals, memory and builds; nothing of GPUs"},
	{"vocabulary", []string{"internal/cluster", "internal/mbarrier", "internal/tensormap", "internal/mma", "gpu", "device", "graph", "internal/reference"}, "the language of kernels, what a device is, what a graph is, and what the answers are"},
	{"algorithms", []string{"scheduler", "internal/scheme", "kernels", "internal/kernels", "examples/axpy", "examples/levels", "examples/widest", "examples/adopt", "examples/wolfgraph"}, "kernels and the schemes that distribute their work, each written once"},
	{"compiler", []string{"internal/compiler"}, "Go source to IR to better IR to PTX"},
	{"core", []string{"internal/core"}, "what all executors share: the state and the instructions of warps, counters"},
	{"diagnosis", []string{"internal/diagnosis"}, "what watches a launch: races, hangs, and cures that were tried"},
	{"executors", []string{"internal/function", "sim", "hw"}, "the devices: functional, simulated, real"},
	{"service", []string{"results", "internal/service"}, "one run or launch by name: records, devices, graphs, algorithms, schemes"},
	{"studies", []string{"internal/proof", "internal/measure"}, "many runs: searches for hangs, sweeps, records, comparisons"},
	{"view", []string{"internal/view"}, "a result as text, picture or page"},
	{"library", []string{"."}, "what other programs import"},
	{"program", []string{"command", "cmd"}, "flags and exit codes"},
	{"testing", []string{"internal/testing"}, "support of tests, which the product does not import"},
}

// place returns the storey and the tree of a package; ok is false for a user's package.
func place(name string) (floor, room int, ok bool) {
	best := ""
	for f, s := range house {
		for r, tree := range s.trees {
			if (within(name, tree) || name == tree) && (!ok || len(tree) > len(best)) && (tree != "." || name == ".") {
				floor, room, ok, best = f, r, true, tree
			}
		}
	}
	return floor, room, ok
}

// project reports whether a package is the project's, and not a user's.
func project(name string) bool {
	_, _, ok := place(name)
	return ok
}

func TestImportRule(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		if f, r, ok := place(p.name()); ok {
			seen[house[f].trees[r]] = true
		}
		for _, what := range imports(p) {
			t.Error(what)
		}
	}
	for _, s := range house {
		for _, tree := range s.trees {
			require.True(t, seen[tree], "storey %s has %s and there is no such package", s.name, tree)
		}
	}
}

// imports returns the imports of a package that stand higher than the package.
func imports(p pkg) (wrong []string) {
	floor, room, ok := place(p.name())
	if !ok {
		return nil
	}
	for _, imp := range p.Imports {
		if !ours(imp) {
			continue
		}
		f, r, ok := place(below(imp))
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%s imports %s, which is a user's", p.name(), below(imp)))
		} else if f > floor || f == floor && r > room {
			wrong = append(wrong, fmt.Sprintf("%s (storey %s) imports %s (storey %s), which stands higher: %s", p.name(), house[floor].name, below(imp), house[f].name, house[f].what))
		}
	}
	return wrong
}

// TestPlace checks the rule itself: what is allowed and what is not.
func TestPlace(t *testing.T) {
	for _, c := range []struct{ from, to, wrong string }{
		{"sim", "internal/function", ""},
		{"sim", "sim/config", ""},
		{"command", "internal/base/term", ""},
		{"cmd/weft", "command", ""},
		{"internal/function", "sim", "internal/function (storey executors) imports sim (storey executors), which stands higher: the devices: functional, simulated, real"},
		{"kernels", "sim", "kernels (storey algorithms) imports sim (storey executors), which stands higher: the devices: functional, simulated, real"},
		{"graph", "internal/service/run", "graph (storey vocabulary) imports internal/service/run (storey service), which stands higher: one run or launch by name: records, devices, graphs, algorithms, schemes"},
		{"command", "internal/testing/golden", "command (storey program) imports internal/testing/golden (storey testing), which stands higher: support of tests, which the product does not import"},
		{"internal/view/plot", ".", "internal/view/plot (storey view) imports . (storey library), which stands higher: what other programs import"},
		{"sim", "examples/mine", "sim imports examples/mine, which is a user's"},
		{"examples/mine", "internal/testing/golden", ""},
	} {
		path := module + "/" + c.to
		if c.to == "." {
			path = module
		}
		wrong := imports(pkg{ImportPath: module + "/" + c.from, Imports: []string{path}})
		if c.wrong == "" {
			require.Empty(t, wrong)
			continue
		}
		require.Equal(t, []string{c.wrong}, wrong)
	}
}

// TestUsersPackages checks that the tree may contain packages of a user, and
// that the project must not depend on them.
func TestUsersPackages(t *testing.T) {
	for _, name := range []string{"mine", "examples/mine", "examples/levels2", "internal/mine", "my/kernels"} {
		require.False(t, project(name), name)
		user := pkg{ImportPath: module + "/" + name, Imports: []string{"C", "fmt", module + "/sim", module + "/hw", module + "/internal/ir"}}
		require.Empty(t, imports(user))
		require.Empty(t, never(user))
		theirs := pkg{ImportPath: module + "/sim", Imports: []string{module + "/" + name}}
		require.Len(t, imports(theirs), 1)
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
	if !project(name) {
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
			say("%s imports %s: it listens on all network interfaces; internal/service/monitor serves its page", name, imp)
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

// list runs go list -deps and returns the packages of this module.
func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	out, err := goTool(append([]string{"list", "-e", "-deps", "-json=Dir,Name,ImportPath,Standard,Imports,TestImports,XTestImports,Deps,CgoFiles,GoFiles,Error"}, args...)...)
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
			require.False(t, project(p.name()), "%s: %s", p.ImportPath, p.Error.Err)
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

// TestFolders checks that each folder says in its doc.go what may be in it. Examples and commands say it in the file that
// one opens.
func TestFolders(t *testing.T) {
	for _, p := range list(t, "./...") {
		name := p.name()
		if !project(name) || name == "." || within(name, "examples") || within(name, "cmd") || p.Name == "main" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.Dir, "doc.go"))
		if err != nil {
			t.Errorf("%s has no doc.go", name)
			continue
		}
		require.Regexp(t, `(?m)^// Package `+p.Name+`\b`, string(text), name)
	}
}

// TestFoldersOfStoreys checks that the comment of each folder below internal that has no code of its own names all of its folders, and no
// others in brackets.
func TestFoldersOfStoreys(t *testing.T) {
	docs, err := filepath.Glob(filepath.Join(root, "internal", "*", "doc.go"))
	require.NoError(t, err)
	for _, doc := range docs {
		text, err := os.ReadFile(doc)
		require.NoError(t, err)
		if !strings.Contains(string(text), "has no code") {
			continue
		}
		inside, err := os.ReadDir(filepath.Dir(doc))
		require.NoError(t, err)
		for _, d := range inside {
			if d.IsDir() {
				require.Regexp(t, `\b`+d.Name()+`\b`, string(text), "%s does not say what %s is", doc, d.Name())
			}
		}
		for _, m := range regexp.MustCompile(`\(([a-z]+(?:, [a-z]+)*)\)`).FindAllStringSubmatch(string(text), -1) {
			for name := range strings.SplitSeq(m[1], ", ") {
				require.DirExists(t, filepath.Join(filepath.Dir(doc), name), doc)
			}
		}
	}
}
