package compile

import (
	"go/ast"
	"strings"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// racyDirective begins a comment that marks accesses that race on purpose.
const racyDirective = "//weft:racy"

// noteRacy records the lines of a file that comments "//weft:racy REASON" mark.
func (c *Compiler) noteRacy(name string, file *ast.File, text []byte) (errs Errors) {
	delete(c.racy, name)
	lines := strings.Split(string(text), "\n")
	for _, group := range file.Comments {
		for _, comment := range group.List {
			reason, ok := directive(comment, racyDirective)
			if !ok {
				continue
			}
			at := c.fset.Position(comment.Pos())
			mark := ir.RacyLines{File: name, From: at.Line, To: at.Line, Reason: reason}
			if mark.Reason == "" {
				errs = append(errs, &Error{At: Place{name, at.Line, at.Column}, Msg: racyDirective + " needs a reason: " + racyDirective + " why this race does no harm"})
			}
			if at.Line <= len(lines) && strings.TrimSpace(lines[at.Line-1][:at.Column-1]) == "" {
				mark.To++ // the comment is alone on its line
			}
			if f := documented(file, group); f != nil {
				mark.To = c.fset.Position(f.End()).Line
			}
			c.racy[name] = append(c.racy[name], mark)
		}
	}
	return errs
}

// directive returns what follows the name of a directive; ok is false if the comment is none of that name.
func directive(comment *ast.Comment, name string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(comment.Text, name)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// documented returns the function that a group of comments documents; nil if
// there is none.
func documented(file *ast.File, group *ast.CommentGroup) *ast.FuncDecl {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Doc == group {
			return f
		}
	}
	return nil
}

// racyLines returns the marked lines of the files that a program comes from.
func (c *Compiler) racyLines(p *ir.Program) (list []ir.RacyLines) {
	seen := map[string]bool{}
	for _, pos := range p.Pos {
		if !seen[pos.File] {
			seen[pos.File] = true
			list = append(list, c.racy[pos.File]...)
		}
	}
	return list
}
