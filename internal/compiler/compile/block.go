package compile

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/gpu"
)

// blockDirective begins a comment of a kernel that says how many threads per block a launch has at most.
const blockDirective = "//weft:block"

// maxBlock returns the largest block of a kernel, by its comment; zeros if that has none.
func (lo *lowerer) maxBlock(fn *ssa.Function) (block [3]int) {
	if of := fn.Origin(); of != nil {
		fn = of
	}
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	if !ok || decl.Doc == nil {
		return block
	}
	for _, comment := range decl.Doc.List {
		rest, ok := strings.CutPrefix(comment.Text, blockDirective)
		if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		threads, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil || threads < 1 || threads > gpu.MaxBlock {
			panic(lo.error(comment.Pos(), fmt.Sprintf("%s needs a number of threads from 1 to %d", blockDirective, gpu.MaxBlock)))
		}
		block = [3]int{threads, 1, 1}
	}
	return block
}
