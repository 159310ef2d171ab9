package compile

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// entry is a kernel's entry point: an exported function whose first parameter
// is gpu.Thread, or a package variable that instantiates a generic one.
type entry struct {
	name string // "micro.Copy"
	pkg  *pkg
	fn   *ssa.Function
	pos  token.Pos
}

// findEntries fills p.entries and p.odd. It does so once.
func (c *Compiler) findEntries(p *pkg) {
	if p.entries != nil {
		return
	}
	p.entries = map[string]*entry{}
	if p.path == gpuPath {
		return
	}
	inits := initialValues(p.ssa)
	for name, member := range p.ssa.Members {
		if !token.IsExported(name) {
			continue
		}
		switch m := member.(type) {
		case *ssa.Function:
			if m.TypeParams().Len() == 0 && isKernel(m.Signature) {
				p.entries[name] = &entry{c.entryName(p, name), p, m, m.Pos()}
			}
		case *ssa.Global:
			sig, ok := deref(m.Type()).Underlying().(*types.Signature)
			if !ok || !takesThread(sig) {
				continue
			}
			fn, ok := inits[m].(*ssa.Function)
			if !ok {
				p.odd = append(p.odd, c.errorAt(m.Pos(), fmt.Sprintf(
					"entry point %s must be a function known at compile time; write var %s = Generic[Type, ...]", name, name)))
				continue
			}
			p.entries[name] = &entry{c.entryName(p, name), p, fn, m.Pos()}
		}
	}
}

func (c *Compiler) entryName(p *pkg, name string) string {
	if at, err := c.resolve(p.types.Name()); err == nil && at == p.path {
		return p.types.Name() + "." + name
	}
	return c.display(p.path) + "." + name
}

// initialValues returns the initial value of each variable, from the package's
// initialiser.
func initialValues(p *ssa.Package) map[*ssa.Global]ssa.Value {
	m := map[*ssa.Global]ssa.Value{}
	for _, b := range p.Func("init").Blocks {
		for _, in := range b.Instrs {
			if st, ok := in.(*ssa.Store); ok {
				if g, ok := st.Addr.(*ssa.Global); ok {
					m[g] = st.Val
				}
			}
		}
	}
	return m
}

// takesThread reports whether sig has gpu.Thread as its first parameter.
func takesThread(sig *types.Signature) bool {
	return sig.Params().Len() > 0 && isThread(sig.Params().At(0).Type())
}

// isKernel reports whether sig is the signature of a kernel. Helpers of kernels
// may also return results and take functions and interfaces.
func isKernel(sig *types.Signature) bool {
	if !takesThread(sig) || sig.Results().Len() > 0 || sig.Recv() != nil {
		return false
	}
	for i := range sig.Params().Len() {
		t := sig.Params().At(i).Type()
		if _, ok := t.(*types.TypeParam); ok {
			continue // the type argument decides
		}
		switch t.Underlying().(type) {
		case *types.Signature, *types.Interface:
			return false
		}
	}
	return true
}

// find returns the entry point with this name.
func (c *Compiler) find(ctx context.Context, name string) (*entry, error) {
	if strings.Contains(name, "[") {
		return c.instantiate(ctx, name)
	}
	dot := strings.LastIndex(name, ".")
	if dot < 0 {
		return nil, fmt.Errorf("kernel %q: write package and name, as in micro.Copy", name)
	}
	short := name[dot+1:]
	p, err := c.openFor(ctx, name[:dot], short)
	if err != nil {
		return nil, err
	}
	if e := p.entries[short]; e != nil {
		return e, nil
	}
	return nil, c.noEntry(p, name, short)
}

// noEntry returns the error that explains why name is not an entry point.
func (c *Compiler) noEntry(p *pkg, name, short string) error {
	fn, ok := p.ssa.Members[short].(*ssa.Function)
	if !ok {
		have := sortedKeys(p.entries)
		if len(have) == 0 {
			return fmt.Errorf("no kernel %s: the package has none", name)
		}
		return fmt.Errorf("no kernel %s; there are %s", name, strings.Join(have, ", "))
	}
	sig := fn.Signature
	name = c.entryName(p, short)
	if folder := c.folders[p.path]; folder.Shown != "" {
		name = folder.Shown + "." + short
	}
	switch {
	case !takesThread(sig):
		return Errors{c.errorAt(fn.Pos(), fmt.Sprintf("%s is not a kernel; %s", name, notKernel(sig, short)))}
	case fn.TypeParams().Len() > 0:
		return Errors{c.errorAt(fn.Pos(), fmt.Sprintf("%s is generic; name an instantiation, as in %s[%s]", name, name, typeParamNames(fn)))}
	case sig.Results().Len() > 0:
		return Errors{c.errorAt(fn.Pos(), fmt.Sprintf("kernel %s returns a result; write it to a buffer that is a parameter, as in func %s(t gpu.Thread, out []uint32)", short, short))}
	case !token.IsExported(short):
		return Errors{c.errorAt(fn.Pos(), fmt.Sprintf("%s is not exported; start the name of a kernel with a capital letter", name))}
	}
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		switch v.Type().Underlying().(type) {
		case *types.Signature:
			return Errors{c.errorAt(v.Pos(), fmt.Sprintf("parameter %s of kernel %s is a function, which cannot be passed to the device; make it a method of a type parameter and instantiate the kernel", v.Name(), short))}
		case *types.Interface:
			return Errors{c.errorAt(v.Pos(), fmt.Sprintf("parameter %s of kernel %s is an interface, which cannot be passed to the device; make it a type parameter and instantiate the kernel", v.Name(), short))}
		}
	}
	return fmt.Errorf("no kernel %s", name)
}

// notKernel returns the error text for a function whose first parameter is not
// that of a kernel.
func notKernel(sig *types.Signature, short string) string {
	form := fmt.Sprintf("write func %s(t gpu.Thread, ...)", short)
	if sig.Recv() != nil || sig.Params().Len() == 0 {
		return "the first parameter of a kernel is t gpu.Thread: " + form
	}
	if p, ok := sig.Params().At(0).Type().(*types.Pointer); ok && isThread(p.Elem()) {
		return "it takes a pointer to the thread, and a kernel takes the thread itself: " + form
	}
	for v := range sig.Params().Variables() {
		if isThread(v.Type()) {
			return "gpu.Thread must be the first parameter: " + form
		}
	}
	return "the first parameter of a kernel is t gpu.Thread: " + form
}

func typeParamNames(fn *ssa.Function) string {
	var names []string
	for i := range fn.TypeParams().Len() {
		names = append(names, fn.TypeParams().At(i).Obj().Name())
	}
	return strings.Join(names, ", ")
}
