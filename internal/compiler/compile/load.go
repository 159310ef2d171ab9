package compile

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"
)

// deviceTag is the build tag that is set for device code.
const deviceTag = "kernel"

// source is a parsed package.
type source struct {
	path  string
	name  string
	files []*ast.File
}

// parse reads the device files of a mounted package. It skips tests and host
// files and, in package gpu, the plain-Go executor.
func (c *Compiler) parse(importPath string, tree fs.FS) (*source, Errors) {
	names, err := fs.Glob(tree, "*.go")
	if err != nil {
		return nil, Errors{{Msg: err.Error()}}
	}
	sort.Strings(names)
	src := &source{path: importPath}
	var errs Errors
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || importPath == gpuPath && strings.HasPrefix(name, "native") {
			continue
		}
		text, err := readSource(tree, name)
		if err != nil {
			errs = append(errs, &Error{Msg: err.Error()})
			continue
		}
		shown := c.shownFile(importPath, name)
		if !wanted(text) {
			continue
		}
		file, err := parser.ParseFile(c.fset, shown, physical(text), parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			errs = append(errs, syntaxErrors(err)...)
			continue
		}
		src.files = append(src.files, file)
		errs = append(errs, c.noteRacy(shown, file, physical(text))...)
		errs = append(errs, c.checkBlocks(shown, file)...)
	}
	if len(errs) == 0 && len(src.files) == 0 {
		errs = append(errs, &Error{Msg: "package " + strconv.Quote(importPath) + " holds no device code (no Go file without //go:build !" + deviceTag + ")"})
	}
	if len(errs) > 0 {
		return nil, errs
	}
	src.name = src.files[0].Name.Name
	for _, file := range src.files {
		errs = append(errs, c.imports(importPath, file)...)
	}
	for _, e := range errs {
		if strings.Contains(e.Msg, notForDevice) {
			e.Msg += hostHint
			break
		}
	}
	return src, errs
}

// known says for which type arguments a function of package gpu is an
// intrinsic.
type known uint8

const (
	_ known = iota
	opForAll
	opForInts
)

// dropBodies replaces the bodies of package gpu's functions, which call the
// plain-Go executor, and returns those functions. In files named device*.go it
// keeps the bodies: they are device code, except that a function with an op for
// integers is an intrinsic for integers.
func (c *Compiler) dropBodies(src *source) map[*ast.FuncDecl]known {
	found := map[*ast.FuncDecl]known{}
	for _, file := range src.files {
		device := strings.HasPrefix(path.Base(c.fset.Position(file.Pos()).Filename), "device")
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || fn.Body == nil:
			case !device:
				at := fn.Body.Lbrace
				stop := &ast.CallExpr{Fun: &ast.Ident{NamePos: at, Name: "panic"}, Lparen: at, Rparen: at,
					Args: []ast.Expr{&ast.BasicLit{ValuePos: at, Kind: token.INT, Value: "0"}}}
				fn.Body.List = []ast.Stmt{&ast.ExprStmt{X: stop}}
				found[fn] = opForAll
			case fn.Recv == nil && intrinsics[fn.Name.Name] != nil:
				found[fn] = opForInts
			}
		}
	}
	return found
}

// notForDevice says that device code cannot import a package.
const notForDevice = " cannot be used in device code; "

// hostHint says where code belongs that is not for the device.
const hostHint = ". Code for the host belongs in a separate file whose name begins with host and whose first line is //go:build !" + deviceTag

// maxSource limits the size of a Go source file.
const maxSource = 16 << 20

// readSource reads a Go source file. It rejects everything that is not a
// regular file, since reading it might block or never end.
func readSource(tree fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(tree, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q is not a regular file; Go source is read from files only", name)
	case info.Size() > maxSource:
		return nil, fmt.Errorf("%q has %d MiB; Go source is read up to %d MiB a file", name, info.Size()>>20, maxSource>>20)
	}
	return fs.ReadFile(tree, name)
}

// imports checks that a file imports only mounted packages.
func (c *Compiler) imports(from string, file *ast.File) (errs Errors) {
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if ok, err := c.findImport(from, p); err != nil {
			errs = append(errs, c.errorAt(spec.Path.Pos(), err.Error()))
			continue
		} else if ok {
			continue
		}
		if host, _, _ := strings.Cut(p, "/"); strings.Contains(host, ".") && !strings.HasPrefix(p+"/", Module+"/") {
			errs = append(errs, c.errorAt(spec.Path.Pos(), fmt.Sprintf("the program has no device code of package %q; list its gpu.Package in Sources, after that of %s", p, from)))
			continue
		}
		hint := "device code imports only gpu and other device packages"
		if !strings.Contains(p, ".") {
			hint += " (Go's library is for the host)"
		}
		switch p {
		case "unsafe":
			hint = "use gpu.Float32bits and similar functions for bit patterns, and indices in place of pointer arithmetic"
		case "math":
			hint = "use gpu.Sqrt, gpu.Exp and similar functions, and write constants as numbers"
		case "math/bits":
			hint = "use gpu.PopCount, gpu.LeadingZeros and similar functions"
		case "sync", "sync/atomic":
			hint = "use gpu.AtomicAdd, gpu.Load, gpu.Store and similar functions"
		case "fmt", "log":
			hint = "write results to a buffer, and stop with panic(\"text\")"
		}
		errs = append(errs, c.errorAt(spec.Path.Pos(), "package "+strconv.Quote(p)+notForDevice+hint))
	}
	return errs
}

// physical returns the text with line directives disabled, so that positions
// are those of the file and no source can pose as another one. The length does
// not change.
func physical(text []byte) []byte {
	if !bytes.Contains(text, []byte("//line ")) && !bytes.Contains(text, []byte("/*line ")) {
		return text
	}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, scanner.ScanComments)
	out := bytes.Clone(text)
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return out
		case tok == token.COMMENT && (strings.HasPrefix(lit, "//line ") || strings.HasPrefix(lit, "/*line ")):
			out[file.Offset(pos)+2] = 'L'
		}
	}
}

// wanted reports whether the file's //go:build line, if any, selects it for
// device code.
func wanted(text []byte) bool {
	for _, line := range strings.Split(header(text), "\n") {
		line = strings.TrimSpace(line)
		if !constraint.IsGoBuild(line) {
			continue
		}
		x, err := constraint.Parse(line)
		if err != nil {
			return true // the parser accepts it, so we do too
		}
		return x.Eval(func(tag string) bool {
			return tag == deviceTag || strings.HasPrefix(tag, "go1.")
		})
	}
	return true
}

// header returns the text before the package clause, since build lines count
// only there.
func header(text []byte) string {
	s := string(text)
	if i := strings.Index(s, "\npackage "); i >= 0 {
		return s[:i]
	}
	if strings.HasPrefix(s, "package ") {
		return ""
	}
	return s
}

// syntaxErrors converts the parser's errors to Errors.
func syntaxErrors(err error) (errs Errors) {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return Errors{{Msg: err.Error()}}
	}
	for _, e := range list {
		errs = append(errs, &Error{At: place(e.Pos), Msg: e.Msg})
	}
	return errs
}

func place(p token.Position) Place { return Place{p.Filename, p.Line, p.Column} }

func (c *Compiler) errorAt(pos token.Pos, msg string) *Error {
	return &Error{At: place(c.fset.Position(pos)), Msg: msg}
}
