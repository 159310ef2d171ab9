package compile

import (
	"fmt"
	"go/ast"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/gpu"
)

// blockDirective begins a comment of a kernel that says how many threads per block a launch has at most.
const blockDirective = "//weft:block"

// blockOf returns the number of threads that a comment says; ok is false if it is another comment. The number is 0 if it is none of a block.
func blockOf(comment *ast.Comment) (threads int, ok bool) {
	rest, ok := directive(comment, blockDirective)
	threads, err := strconv.Atoi(rest)
	if err != nil || threads < 1 || threads > gpu.MaxBlock {
		threads = 0
	}
	return threads, ok
}

// checkBlocks returns errors for comments of a file that say no number of threads, or stand where they mean nothing.
func (c *Compiler) checkBlocks(name string, file *ast.File) (errs Errors) {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			threads, ok := blockOf(comment)
			msg := ""
			switch {
			case !ok:
				continue
			case threads == 0:
				msg = fmt.Sprintf("%s needs a number of threads from 1 to %d", blockDirective, gpu.MaxBlock)
			case documented(file, group) == nil:
				msg = blockDirective + " belongs to the comment of a kernel, right in front of its func"
			default:
				continue
			}
			at := c.fset.Position(comment.Pos())
			errs = append(errs, &Error{At: Place{name, at.Line, at.Column}, Msg: msg})
		}
	}
	return errs
}

// maxBlock returns the largest block of a kernel, by its comment; zeros if that has none.
func maxBlock(fn *ssa.Function) (block [3]int) {
	if of := fn.Origin(); of != nil {
		fn = of
	}
	decl, ok := fn.Syntax().(*ast.FuncDecl)
	if !ok || decl.Doc == nil {
		return block
	}
	for _, comment := range decl.Doc.List {
		if threads, ok := blockOf(comment); ok {
			block = [3]int{threads, 1, 1}
		}
	}
	return block
}
