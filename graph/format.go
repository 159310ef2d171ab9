package graph

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// format is a file format with its reader.
type format struct {
	name      string
	long      string   // name for people
	endings   []string // file name extensions
	lineLimit int      // bytes
	read      func(ctx context.Context, l *lines, opt LoadOptions, notes *Notes) (*CSR, error)
}

const (
	shortLines = 1 << 20 // one edge per line, or a comment
	longLines  = 1 << 28 // all neighbors of a vertex on one line
)

// formats are in the order in which they are documented.
var formats = []*format{
	{"mtx", "Matrix Market", []string{".mtx", ".mm"}, shortLines, readMatrixMarket},
	{"snap", "SNAP edge list", []string{".txt", ".el", ".edges", ".edgelist", ".snap", ".tsv"}, shortLines, readEdgeList},
	{"dimacs", "DIMACS shortest paths", []string{".gr"}, shortLines, readDIMACS},
	{"metis", "METIS", []string{".graph", ".metis"}, longLines, readMETIS},
}

// Formats describes the supported formats, one per line: the name for LoadOptions.Format,
// what the format is, and the file name extensions that suggest it.
func Formats() []string {
	var s []string
	for _, f := range formats {
		s = append(s, fmt.Sprintf("%s: %s (%s)", f.name, f.long, strings.Join(f.endings, " ")))
	}
	return s
}

func formatList() string { return strings.Join(Formats(), "; ") + "; each also gzipped" }

// formatOfName returns the format that a file's name suggests, or nil.
func formatOfName(name string) *format {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	for _, f := range formats {
		if slices.Contains(f.endings, filepath.Ext(name)) {
			return f
		}
	}
	return nil
}

// formatNamed returns the format with the given name, or nil.
func formatNamed(name string) *format {
	for _, f := range formats {
		if f.name == name {
			return f
		}
	}
	return nil
}

// tellFormat determines the format of a text by its content, and by the name of its file if
// the content fits several formats.
func tellFormat(l *lines, asked string) (*format, error) {
	if asked != "" && formatNamed(asked) == nil {
		return nil, fmt.Errorf("no graph format %q; there are: %s", asked, formatList())
	}
	head := l.head()
	if l.err != nil {
		return nil, l.err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) { // the byte order mark of UTF-8
		l.pos += 3
		head = head[3:]
	}
	if i := bytes.IndexFunc(head, control); i >= 0 {
		return nil, &FileError{File: l.name,
			What: fmt.Sprintf("is not a text file: byte 0x%02x at offset %d; formats: %s", head[i], i, formatList())}
	}
	text := bytes.TrimLeft(head, " \t\r\n\v\f")
	if len(text) == 0 && l.eof {
		return nil, &FileError{File: l.name, What: "the file is empty"}
	}
	if asked != "" {
		return formatNamed(asked), nil
	}
	byName := formatOfName(l.name)
	first, _, _ := bytes.Cut(text, []byte("\n"))
	switch word := strings.ToLower(string(token(first[:min(len(first), 64)], 0))); {
	case strings.HasPrefix(word, "%%matrixmarket"):
		return formatNamed("mtx"), nil
	case word == "c" || word == "p" || word == "a":
		return formatNamed("dimacs"), nil
	case strings.HasPrefix(word, "#"):
		return formatNamed("snap"), nil
	case byName != nil:
		return byName, nil
	case strings.HasPrefix(word, "%") || word != "" && word[0] >= '0' && word[0] <= '9':
		return nil, &FileError{File: l.name, What: "could be an edge list or METIS, and its name does not decide; " +
			"give the format, or use the extension .txt or .graph; formats: " + formatList()}
	}
	return nil, &FileError{File: l.name,
		What: fmt.Sprintf("begins with %s, which matches no known graph format; formats: %s", quote(bytes.TrimSpace(first)), formatList())}
}

// control reports whether r is a control character that does not occur in text.
func control(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\v' && r != '\f' || r == 0x7f
}

// baseName returns the name of a graph: its file without directories and extensions.
func baseName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	if f := formatOfName(name); f != nil {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return name
}
