package compile

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// pkg is a loaded package.
type pkg struct {
	path    string
	files   []*ast.File
	types   *types.Package
	ssa     *ssa.Package
	entries map[string]*entry // found on demand
	odd     Errors            // errors found by findEntries
	errs    Errors            // errors of this package and of its imports; if set, the other fields except broken are not
	broken  *source           // source of a package with type errors, for restErrors
	outline []decl            // if errs is set
	fatal   Errors            // those of errs with which no kernel of the package compiles
	loading bool
	noted   bool // its variables are in Compiler.names
}

// importer is a types.Importer that knows only mounted packages.
type importer struct {
	c    *Compiler
	from string // the package that imports
}

// Import loads a mounted package.
func (i importer) Import(path string) (*types.Package, error) {
	at, ok := i.c.imported(i.from, path)
	if !ok {
		return nil, fmt.Errorf("%q is not mounted", path) // imports has said so at the import
	}
	if p := i.c.pkgs[at]; p != nil && p.loading {
		return nil, fmt.Errorf("%s %q", cycleMsg, path)
	}
	p := i.c.load(at)
	if p.errs != nil {
		return nil, p.errs
	}
	return p.types, nil
}

const (
	cycleMsg  = "import cycle through"
	cycleHint = "; move what both packages need into a third one"
)

// load parses, checks and builds a mounted package. It does so once.
func (c *Compiler) load(path string) *pkg {
	if p := c.pkgs[path]; p != nil {
		return p
	}
	p := &pkg{path: path, loading: true}
	c.pkgs[path] = p
	defer func() { p.loading = false }()
	src, errs := c.parse(path, c.mounts[path])
	if src == nil {
		p.errs = errs.tidy()
		return p
	}
	p.errs = errs
	c.check(p, src)
	return p
}

// check type-checks parsed files and builds their go/ssa form.
func (c *Compiler) check(p *pkg, src *source) {
	info := newInfo()
	gpu := p.path == gpuPath
	if !gpu {
		if errs := c.bounds(src.files); len(errs) > 0 {
			p.errs = append(p.errs, errs...).tidy()
			return
		}
	}
	errs := p.errs
	var intrinsics map[*ast.FuncDecl]known
	if gpu {
		intrinsics = c.dropBodies(src)
	}
	conf := c.typesConfig(importer{c, p.path})
	conf.Error = func(err error) {
		te, ok := err.(types.Error)
		switch {
		case !ok:
			errs = append(errs, &Error{Msg: err.Error()})
		case strings.HasPrefix(te.Msg, "could not import"):
			// Errors are reported where they are, except for import cycles.
			if i := strings.Index(te.Msg, "("+cycleMsg); i >= 0 && !strings.Contains(te.Msg, "\n") {
				errs = append(errs, c.errorAt(te.Pos, strings.TrimSuffix(te.Msg[i+1:], ")")+cycleHint))
			}
		case strings.HasPrefix(te.Msg, "\t") && len(errs) > 0:
			last := errs[len(errs)-1] // go/types continues the previous error
			last.Msg += "; " + strings.TrimSpace(te.Msg)
		default:
			errs = append(errs, c.errorAt(te.Pos, constraintMessage(te, src.files)))
		}
	}
	tp, _ := conf.Check(p.path, c.fset, src.files, info)
	for _, file := range src.files {
		for _, spec := range file.Imports {
			at, _ := c.imported(p.path, strings.Trim(spec.Path.Value, "\"`"))
			if d := c.pkgs[at]; d != nil && d != p {
				for _, e := range d.errs {
					if e.At == (Place{}) { // of the whole package
						e = c.errorAt(spec.Path.Pos(), e.Msg)
					}
					errs = append(errs, e)
				}
			}
		}
	}
	if len(errs) > 0 {
		p.errs, p.broken = errs.tidy(), src
		return
	}
	for fn, how := range intrinsics {
		c.known[info.Defs[fn.Name]] = how
	}
	c.build(p, tp, src.files, info, true)
}

// newInfo returns a types.Info with all that go/ssa needs to know about a
// package.
func newInfo() *types.Info {
	return &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Instances:    map[*ast.Ident]types.Instance{},
		Scopes:       map[ast.Node]*types.Scope{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
}

// typesConfig returns the configuration for type-checking device code.
func (c *Compiler) typesConfig(from types.Importer) types.Config {
	return types.Config{Importer: from, Sizes: c.sizes, GoVersion: "go1.26"}
}

// build builds the go/ssa form of a package without type errors.
func (c *Compiler) build(p *pkg, tp *types.Package, files []*ast.File, info *types.Info, importable bool) {
	p.files, p.types = files, tp
	defer func() {
		if r := recover(); r != nil {
			p.errs = Errors{{Msg: fmt.Sprintf("go/ssa cannot build package %s: %v", c.display(p.path), r)}}
		}
	}()
	p.ssa = c.prog.CreatePackage(tp, files, info, importable)
	p.ssa.Build()
}
