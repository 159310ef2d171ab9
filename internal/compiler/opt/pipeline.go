package opt

import (
	gocontext "context"
	"fmt"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// Options configures Optimize.
type Options struct {
	Disable    map[string]bool   // names of passes to skip
	VerifyEach bool              // run the verifier after each pass
	Context    gocontext.Context // cancels Optimize, which returns its error; nil for none
}

// pass is one transformation of a kernel.
type pass struct {
	name string
	what string
	run  func(c *context)
}

var (
	passPrepare   = pass{"prepare", "constants, parameters and addresses of variables leave the blocks and become unique", prepare}
	passCFG       = pass{"cfg", "folds constant branches, merges blocks in sequence, removes empty blocks", simplifyCFG}
	passSCCP      = pass{"sccp", "propagates constants along the paths that can be taken; folds devirtualised flags", sccp}
	passSimplify  = pass{"simplify", "algebra, strength reduction, narrower conversions, addresses folded into accesses", simplify}
	passCSE       = pass{"cse", "merges equal computations, and loads of a block with no possible write between them", cse}
	passDCE       = pass{"dce", "removes unused values", dce}
	passRotate    = pass{"rotate", "turns while loops into guarded do-while loops, with one branch per iteration", rotate}
	passNarrow    = pass{"narrow", "makes 64-bit loop counters that stay below 2^32 32-bit", narrowCounters}
	passLICM      = pass{"licm", "hoists loop-invariant pure instructions", licm}
	passIfConvert = pass{"ifconvert", "turns short branches into selects and guarded stores", ifConvert}
	passRebase    = pass{"rebase", "adds a constant to the start of a counter that is only used plus that constant: range over a slice counts from -1", rebase}
	passUnroll    = pass{"unroll", "fully unrolls short loops with a constant trip count", unroll}
	passCounted   = pass{"unrollcount", "unrolls short counted loops by four, so that their loads overlap", unrollCounted}
	passPromote   = pass{"promote", "moves parts of local variables that are accessed only at constant addresses to registers", promote}
	passSums      = pass{"sums", "removes accesses to sums of warpgroups that find or leave there what is known", forwardSums}
	passShare     = pass{"share", "computes a quotient and a remainder of the same integers with one division", shareDivision}
	passFuse      = pass{"fuse", "combines integer multiply and add into one instruction", fuse}
	passVars      = pass{"vars", "removes unused shared and local variables", dropVars}
	passWiden     = pass{"widen", "loads neighbouring words of shared memory at once, where their address is known to be aligned", widen}
	passSchedule  = pass{"schedule", "orders the instructions of a block to hide latency, as far as registers allow", schedule}
)

// pipeline is the sequence of passes that Optimize runs.
var pipeline = []pass{
	passPrepare,
	passCFG, passRebase, passSimplify, passSCCP, passCFG, passSimplify, passCSE, passDCE,
	passIfConvert, passCFG, // before rotation, so that loop bodies become straight-line code
	passRotate, passSimplify, passSCCP, passCFG, passCSE, passDCE,
	passNarrow, passSimplify, passLICM, passCFG, passSimplify, passCSE, passDCE,
	passIfConvert, passSimplify, passCFG, passCSE, passDCE,
	passUnroll, passSimplify, passCFG, passDCE, passPromote, passSimplify, passCFG, passCSE, passDCE,
	passCounted, passSimplify, passCFG, passCSE, passDCE,
	passSums, passDCE, passLICM, passCFG, passShare, passFuse, passCSE, passDCE,
	passVars, passWiden, passSchedule,
}

// Passes returns the names of all passes and what each of them does.
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

// Optimize runs the passes over fn, in place.
func Optimize(fn *ir.Func, options Options) (err error) {
	if len(fn.Blocks) == 0 {
		return fmt.Errorf("opt: %s: no blocks", fn.Name)
	}
	c := newContext(fn)
	c.done = options.Context
	defer func() {
		if cause := recover(); cause != nil {
			stop, ok := cause.(stopped)
			if !ok {
				panic(cause)
			}
			err = stop.err
		}
	}()
	for _, pass := range pipeline {
		if options.Disable[pass.name] && pass.name != passPrepare.name {
			continue
		}
		c.look()
		pass.run(c)
		if options.VerifyEach {
			if err := fn.Verify(); err != nil {
				return fmt.Errorf("opt: after pass %s: %w", pass.name, err)
			}
		}
	}
	fn.Analyze()
	return knownSums(fn)
}
