package llvm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Target is what the text is for.
type Target uint8

// The targets.
const (
	X86    Target = iota // a function for one thread, which calls harness.c of package host
	GFX803               // a kernel of amdhsa
)

// Entry is the name of the function, or of the kernel.
const Entry = "weft_kernel"

// Layout of the thread that the function for X86 gets: the specials, 4 bytes each, and the address of the block's shared
// memory. harness.c has the same.
const sharedOffset = 72

// Refused is the error for a kernel that has no text.
type Refused struct {
	Kernel string
	Op     string // what the target does not have: "ballot", "calc2 float"
}

// Error names the kernel and what the target does not have.
func (r *Refused) Error() string { return fmt.Sprintf("llvm: kernel %s: no %s", r.Kernel, r.Op) }

// Module prints a kernel as a module of LLVM.
func Module(target Target, f *ir.Func) (text string, err error) {
	w := &printer{target: target, f: f, index: map[*ir.Block]int{}, declared: map[string]bool{}}
	defer func() {
		if cause := recover(); cause != nil {
			refused, ok := cause.(*Refused)
			if !ok {
				panic(cause)
			}
			text, err = "", refused
		}
	}()
	if target == GFX803 && len(f.Shared)+len(f.Local) > 0 {
		w.refuse("shared and local variables")
	}
	for i, b := range f.Blocks {
		w.index[b] = i
	}
	if len(f.Blocks[0].Preds) > 0 {
		w.refuse("loop around the whole kernel")
	}
	w.blocks()
	return w.head() + w.body.String() + "}\n\n" + w.tail(), nil
}

// printer prints one kernel.
type printer struct {
	target   Target
	f        *ir.Func
	index    map[*ir.Block]int // of the blocks
	ends     []string          // by block: the label of its last part
	body     strings.Builder
	out      strings.Builder // of the block that is printed
	label    string          // of the part of the block that is printed
	names    int             // of temporaries
	declared map[string]bool // declarations of functions
	block    int
}

// refuse ends Module.
func (w *printer) refuse(op string) { panic(&Refused{w.f.Name, op}) }

// line prints an instruction.
func (w *printer) line(format string, args ...any) { fmt.Fprintf(&w.out, "\t"+format+"\n", args...) }

// temp returns an unused name.
func (w *printer) temp() string {
	w.names++
	return fmt.Sprintf("%%t%d", w.names)
}

// let prints an instruction with a result, and returns its name.
func (w *printer) let(format string, args ...any) string {
	name := w.temp()
	w.line("%s = %s", name, fmt.Sprintf(format, args...))
	return name
}

// call prints a call of a function with a result, and declares it. args are pairs of type and value.
func (w *printer) call(result, name string, args ...string) string {
	return w.let("%s", w.callText(result, name, args))
}

func (w *printer) callText(result, name string, args []string) string {
	var types, pairs []string
	for i := 0; i < len(args); i += 2 {
		types = append(types, args[i])
		pairs = append(pairs, args[i]+" "+args[i+1])
	}
	w.declared[fmt.Sprintf("declare %s @%s(%s)", result, name, strings.Join(types, ", "))] = true
	return fmt.Sprintf("call %s @%s(%s)", result, name, strings.Join(pairs, ", "))
}

// part begins another part of the block.
func (w *printer) part(label string) {
	fmt.Fprintf(&w.out, "%s:\n", label)
	w.label = label
}

// blocks prints all blocks. Phis name the last part of each predecessor, which is known at the end.
func (w *printer) blocks() {
	texts := make([]string, len(w.f.Blocks))
	w.ends = make([]string, len(w.f.Blocks))
	for i, b := range w.f.Blocks {
		w.out.Reset()
		w.block, w.label = i, fmt.Sprintf("b%d", i)
		for _, v := range b.Ins {
			w.value(v)
		}
		w.end(b)
		texts[i], w.ends[i] = w.out.String(), w.label
	}
	for i, b := range w.f.Blocks {
		fmt.Fprintf(&w.body, "b%d:\n", i)
		for _, phi := range b.Phis {
			w.phi(phi)
		}
		w.body.WriteString(texts[i])
	}
}

func (w *printer) phi(v *ir.Value) {
	var from []string
	for i, arg := range v.Args {
		from = append(from, fmt.Sprintf("[ %s, %%%s ]", w.use(arg), w.ends[w.index[v.Block.Preds[i]]]))
	}
	fmt.Fprintf(&w.body, "\t%s = phi %s %s\n", name(v), typeOf(v.K), strings.Join(from, ", "))
}

// end prints the end of a block.
func (w *printer) end(b *ir.Block) {
	switch len(b.Succs) {
	case 0:
		w.line("ret void")
	case 1:
		w.line("br label %%b%d", w.index[b.Succs[0]])
	default:
		w.line("br i1 %s, label %%b%d, label %%b%d", w.use(b.Cond), w.index[b.Succs[0]], w.index[b.Succs[1]])
	}
}

// value prints an instruction: what its guard allows, if it has one.
func (w *printer) value(v *ir.Value) {
	if v.Guard == nil {
		w.unguarded(v)
		return
	}
	n := w.names
	w.names++
	yes, no := fmt.Sprintf("g%d", n), fmt.Sprintf("e%d", n)
	if v.GuardNot {
		w.line("br i1 %s, label %%%s, label %%%s", w.use(v.Guard), no, yes)
	} else {
		w.line("br i1 %s, label %%%s, label %%%s", w.use(v.Guard), yes, no)
	}
	w.part(yes)
	w.unguarded(v)
	w.line("br label %%%s", no)
	w.part(no)
}

func (w *printer) unguarded(v *ir.Value) {
	switch v.Op.Action() {
	case ir.ActALU:
		w.alu(v)
	case ir.ActElem, ir.ActLeaf: // named where they are used
	case ir.ActSpecial:
		w.special(v)
	case ir.ActLoad:
		w.load(v)
	case ir.ActStore:
		w.store(v)
	case ir.ActAtomic:
		w.atomic(v)
	case ir.ActFence:
		w.fence(v)
	case ir.ActBarrier, ir.ActNamed, ir.ActWarp, ir.ActClock, ir.ActSleep:
		w.together(v)
	case ir.ActTrap:
		w.fail("weft_trap", "true", fmt.Sprint(v.Imm))
	default:
		w.refuse(v.Op.String())
	}
}

// fail prints a call of a function of the harness that does not return, if a condition holds.
func (w *printer) fail(function, cond, detail string) {
	if w.target == GFX803 {
		w.refuse("panic and integer division that may fault")
	}
	n := w.names
	w.names++
	w.line("br i1 %s, label %%f%d, label %%c%d", cond, n, n)
	w.part(fmt.Sprintf("f%d", n))
	w.line("%s", w.callText("void", function, []string{"ptr", "%thread", "i32", detail}))
	w.line("unreachable")
	w.part(fmt.Sprintf("c%d", n))
}

// name returns the name of a value.
func name(v *ir.Value) string { return fmt.Sprintf("%%v%d", v.ID) }

// use returns a value as an operand.
func (w *printer) use(v *ir.Value) string {
	switch v.Op {
	case ir.OpConst:
		return constant(v)
	case ir.OpParam:
		return fmt.Sprintf("%%p%d", v.Imm)
	case ir.OpShared:
		return fmt.Sprintf("%%shared%d", v.Imm)
	case ir.OpLocal:
		return fmt.Sprintf("%%local%d", v.Imm)
	case ir.OpElem:
		return fmt.Sprintf("%s.%d", name(v.Args[0]), v.Imm)
	}
	return name(v)
}

func constant(v *ir.Value) string {
	switch bits := v.Bits(); v.K {
	case ir.Pred:
		return fmt.Sprint(bits&1 != 0)
	case ir.F32:
		return fmt.Sprintf("bitcast (i32 %d to float)", bits)
	case ir.F64:
		return fmt.Sprintf("bitcast (i64 %d to double)", bits)
	default:
		return fmt.Sprint(bits)
	}
}

// typeOf returns the type of a kind.
func typeOf(k ir.Kind) string {
	switch k {
	case ir.Pred:
		return "i1"
	case ir.F32:
		return "float"
	case ir.F64:
		return "double"
	}
	return fmt.Sprintf("i%d", k.Bits())
}

// tail prints the declarations.
func (w *printer) tail() string {
	list := make([]string, 0, len(w.declared))
	for d := range w.declared {
		list = append(list, d)
	}
	slices.Sort(list)
	text := strings.Join(list, "\n") + "\n"
	if w.target == GFX803 {
		text += attributes
	}
	return text
}
