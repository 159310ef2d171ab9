package compile

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// word matches a name, a qualified name or a number in an instantiation; a
// package may be a folder.
var word = regexp.MustCompile(`[^\[\](){},;*\s]+`)

// Qualifiers returns the packages that a kernel's name mentions, as written:
// "./dir" and "scheduler" in "./dir.Kernel[scheduler.BlockPerVertex]".
func Qualifiers(kernel string) (list []string) {
	for _, w := range word.FindAllString(kernel, -1) {
		if q, _, ok := qualified(w); ok {
			list = append(list, q)
		}
	}
	return list
}

// qualified splits "./dir.Name" into qualifier and name.
func qualified(w string) (qualifier, name string, ok bool) {
	dot := strings.LastIndex(w, ".")
	if dot <= 0 || !token.IsIdentifier(w[dot+1:]) {
		return "", "", false
	}
	return w[:dot], w[dot+1:], true
}

// instance is an instantiation of a generic kernel that a user named.
type instance struct {
	name    string
	generic *pkg              // the package that declares the kernel
	alias   map[string]string // of packages, by import path
	imports strings.Builder
}

// instantiate compiles an instantiation that no package declares, such as
// "./dir.Kernel[uint32, Mine]", as a synthetic package with one variable.
// go/ssa has no other way. Types without a package are predeclared or belong to
// the kernel's package.
func (c *Compiler) instantiate(ctx context.Context, name string) (*entry, error) {
	in := &instance{name: name, alias: map[string]string{}}
	params, err := in.kernel(ctx, c)
	if err != nil {
		return nil, err
	}
	expr, err := in.rewrite(ctx, c)
	if err != nil {
		return nil, err
	}
	c.synth++
	at := fmt.Sprintf("instance%d", c.synth)
	file, err := parser.ParseFile(c.fset, at+".go", "package instance\n"+in.imports.String()+"var K = "+expr+"\n", parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: not an instantiation as Go writes it, such as bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", name)
	}
	p := &pkg{path: at}
	c.check(p, &source{path: at, name: "instance", files: []*ast.File{file}})
	if p.errs != nil {
		return nil, fmt.Errorf("kernel %s: %s", name, in.explain(c, p.errs[0].Msg, params, typeArguments(file)))
	}
	p.entries = map[string]*entry{}
	fn, ok := initialValues(p.ssa)[p.ssa.Var("K")].(*ssa.Function)
	if !ok || !takesThread(fn.Signature) || fn.Signature.Results().Len() > 0 {
		return nil, fmt.Errorf("kernel %s: not a kernel: it must be a generic function whose first parameter is t gpu.Thread and that returns nothing", name)
	}
	return &entry{name: name, pkg: p, fn: fn, pos: fn.Pos()}, nil
}

// kernel finds the generic function, and returns its type parameters.
func (in *instance) kernel(ctx context.Context, c *Compiler) (*types.TypeParamList, error) {
	head, _, _ := strings.Cut(in.name, "[")
	qualifier, short, ok := qualified(head)
	if !ok || !strings.HasSuffix(in.name, "]") {
		return nil, fmt.Errorf("kernel %s: not an instantiation as Go writes it, such as bsp.Push[kernels.BFS, scheduler.WarpPerVertex, uint32]", in.name)
	}
	p, err := in.open(ctx, c, qualifier, short)
	if err != nil {
		return nil, err
	}
	in.generic = p
	fn, ok := p.types.Scope().Lookup(short).(*types.Func)
	switch {
	case !ok:
		return nil, fmt.Errorf("kernel %s: no function %s in %s%s", in.name, short, qualifier, genericKernels(p))
	case !fn.Exported():
		return nil, fmt.Errorf("kernel %s: %s is not exported; start the name of a kernel with a capital letter", in.name, short)
	}
	sig := fn.Signature()
	if !takesThread(sig) {
		return nil, fmt.Errorf("kernel %s: %s is not a kernel; %s", in.name, short, notKernel(sig, short))
	}
	if sig.TypeParams().Len() == 0 {
		return nil, fmt.Errorf("kernel %s: %s is not generic; write %s", in.name, short, head)
	}
	return sig.TypeParams(), nil
}

// genericKernels lists the generic kernels of a package, for an error message.
func genericKernels(p *pkg) string {
	var have []string
	for _, name := range p.types.Scope().Names() {
		if fn, ok := p.types.Scope().Lookup(name).(*types.Func); ok && fn.Exported() && fn.Signature().TypeParams().Len() > 0 && isKernel(fn.Signature()) {
			have = append(have, name)
		}
	}
	if len(have) == 0 {
		return ", and no generic kernel"
	}
	return "; its generic kernels are " + strings.Join(have, ", ")
}

// open loads a package that the name mentions, and imports it.
func (in *instance) open(ctx context.Context, c *Compiler, qualifier, name string) (*pkg, error) {
	if _, err := c.resolve(qualifier); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", in.name, err)
	}
	p, err := c.openFor(ctx, qualifier, name)
	if err == nil && in.alias[p.path] == "" {
		in.alias[p.path] = fmt.Sprintf("p%d", len(in.alias))
		fmt.Fprintf(&in.imports, "import %s %q\n", in.alias[p.path], p.path)
	}
	return p, err
}

// rewrite returns the instantiation with packages replaced by their names in
// the synthetic package.
func (in *instance) rewrite(ctx context.Context, c *Compiler) (expr string, err error) {
	expr = word.ReplaceAllStringFunc(in.name, func(w string) string {
		if q, name, ok := qualified(w); ok {
			p, e := in.open(ctx, c, q, name)
			if e != nil {
				if err == nil {
					err = e
				}
				return w
			}
			return in.alias[p.path] + "." + name
		}
		if _, ok := in.generic.types.Scope().Lookup(w).(*types.TypeName); ok {
			return in.alias[in.generic.path] + "." + w
		}
		return w
	})
	return expr, err
}

// typeArguments returns the number of type arguments of the variable of a
// synthetic package.
func typeArguments(file *ast.File) int {
	spec := file.Decls[len(file.Decls)-1].(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
	if list, ok := spec.Values[0].(*ast.IndexListExpr); ok {
		return len(list.Indices)
	}
	return 1
}

var (
	undefined = regexp.MustCompile(`^undefined: (?:(p\d+)\.)?(\w+)$`)
	private   = regexp.MustCompile(`^name (\w+) not exported by package`)
)

// explain explains go/types' error about an instantiation with n type
// arguments.
func (in *instance) explain(c *Compiler, msg string, params *types.TypeParamList, n int) string {
	shown := map[string]string{} // packages by alias
	for at, alias := range in.alias {
		shown[alias] = c.display(at)
	}
	own := c.display(in.generic.path)
	switch m, hidden := undefined.FindStringSubmatch(msg), private.FindStringSubmatch(msg); {
	case m != nil && m[1] == "":
		return fmt.Sprintf("no type %s, neither in Go nor in %s", m[2], own)
	case m != nil:
		return fmt.Sprintf("no type %s in %s", m[2], shown[m[1]])
	case hidden != nil:
		return fmt.Sprintf("type %s is not exported; start its name with a capital letter", hidden[1])
	case n != params.Len():
		var names []string
		for p := range params.TypeParams() {
			names = append(names, p.Obj().Name())
		}
		noun := "arguments"
		if len(names) == 1 {
			noun = "argument"
		}
		return fmt.Sprintf("it takes %d type %s, %s; not %d", len(names), noun, strings.Join(names, ", "), n)
	}
	for at, alias := range in.alias {
		msg = strings.ReplaceAll(msg, alias+".", path.Base(at)+".")
	}
	return msg
}
