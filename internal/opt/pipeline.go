// Package opt optimises kernels in SSA form (Optimize) and turns them into
// programs: out of SSA form, with registers allocated and blocks in a line
// (Program).
//
// What the simulator executes is the result, so the passes aim at the dynamic
// instruction count of real machine code: one branch per iteration, one
// multiply-add an address, constants and parameters as direct operands.
//
// NoIndexWrap: s[u+1] shares the address of s[u], which assumes that index
// arithmetic with small constants does not wrap. Where it would, the access is
// out of range either way, unless u+c wraps around to a valid index on purpose.
package opt

import (
	gocontext "context"
	"fmt"

	"github.com/weft-gpu/weft/internal/ir"
)

// Options changes what Optimize does.
type Options struct {
	Disable    map[string]bool   // passes to leave out, by name
	VerifyEach bool              // run the verifier after each pass
	Context    gocontext.Context // ends it early, with its error; nil for none
}

// pass is one transformation of a kernel.
type pass struct {
	name string
	what string
	run  func(c *context)
}

var (
	passPrepare   = pass{"prepare", "constants, parameters and variables stand in no block and exist once", prepare}
	passCFG       = pass{"cfg", "constant branches go, straight lines merge, empty blocks vanish", simplifyCFG}
	passSCCP      = pass{"sccp", "constants that hold on every path that can be taken; folds devirtualised flags", sccp}
	passSimplify  = pass{"simplify", "algebra, strength reduction, narrower conversions, addresses folded into accesses", simplify}
	passCSE       = pass{"cse", "one computation for equal ones; loads within a block where nothing can write between", cse}
	passDCE       = pass{"dce", "what nobody reads goes", dce}
	passRotate    = pass{"rotate", "while becomes guarded do-while, so that an iteration costs one branch", rotate}
	passNarrow    = pass{"narrow", "64-bit loop counters that stay below 2^32 become 32-bit", narrowCounters}
	passLICM      = pass{"licm", "pure instructions that do not change in a loop move in front of it", licm}
	passIfConvert = pass{"ifconvert", "short branches become selects and guarded stores", ifConvert}
	passRebase    = pass{"rebase", "a counter that is only used plus a constant starts there: range over a slice counts from -1", rebase}
	passUnroll    = pass{"unroll", "short loops of a constant number of rounds become straight code", unroll}
	passCounted   = pass{"unrollcount", "four rounds of a short counted loop between two tests, so that their loads are on the way together", unrollCounted}
	passPromote   = pass{"promote", "parts of local variables whose address is constant everywhere live in registers", promote}
	passShare     = pass{"share", "a quotient and a remainder of the same integers take one division", shareDivision}
	passFuse      = pass{"fuse", "integer multiply and add become one instruction", fuse}
	passVars      = pass{"vars", "shared and local variables that nobody uses take no memory", dropVars}
	passSchedule  = pass{"schedule", "within a block, what takes long goes first and what waits for it last, as registers allow", schedule}
)

// pipeline is what Optimize runs, in order.
var pipeline = []pass{
	passPrepare,
	passCFG, passRebase, passSimplify, passSCCP, passCFG, passSimplify, passCSE, passDCE,
	passIfConvert, passCFG, // before rotation: bodies of loops become straight lines
	passRotate, passSimplify, passSCCP, passCFG, passCSE, passDCE,
	passNarrow, passSimplify, passLICM, passCFG, passSimplify, passCSE, passDCE,
	passIfConvert, passSimplify, passCFG, passCSE, passDCE,
	passUnroll, passSimplify, passCFG, passDCE, passPromote, passSimplify, passCFG, passCSE, passDCE,
	passCounted, passSimplify, passCFG, passCSE, passDCE,
	passLICM, passCFG, passShare, passFuse, passCSE, passDCE,
	passVars, passSchedule,
}

// Passes lists the names of all passes with what each does.
func Passes() (names, what []string) {
	seen := map[string]bool{}
	for _, p := range pipeline {
		if !seen[p.name] {
			seen[p.name] = true
			names, what = append(names, p.name), append(what, p.what)
		}
	}
	return names, what
}

// Optimize runs the passes over f, in place.
func Optimize(f *ir.Func, o Options) (err error) {
	if len(f.Blocks) == 0 {
		return fmt.Errorf("opt: %s: no blocks", f.Name)
	}
	c := newContext(f)
	c.done = o.Context
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stopped)
			if !ok {
				panic(r)
			}
			err = s.err
		}
	}()
	for _, p := range pipeline {
		if o.Disable[p.name] && p.name != passPrepare.name {
			continue
		}
		c.look()
		p.run(c)
		if o.VerifyEach {
			if err := f.Verify(); err != nil {
				return fmt.Errorf("opt: after pass %s: %w", p.name, err)
			}
		}
	}
	f.Analyze()
	return nil
}
