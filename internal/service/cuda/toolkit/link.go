package toolkit

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A program whose kernels call functions of another file, or read its variables, has its modules linked: as text, since a driver takes one module of PTX.

// linkedMark is the first line of a linked module. Each object of the program carries the same text, and the runtime loads it once.
const linkedMark = "// linked of all files of the program\n"

var (
	module = regexp.MustCompile(`(?m)^\s*\.(version|target|address_size)\b.*\n`)
	// declared finds the name that a statement of a module declares, behind its directives and, of a function, its results.
	declared = regexp.MustCompile(`^(?:\s*//[^\n]*\n|\s)*((?:\.(?:extern|visible|weak|common)\s+)?)(\.(?:func|entry|global|const|shared))\b(?:\s*\([^)]*\))?[^({=;\[]*?([\w$]+)\s*[({=;\[]`)
	fileLine = regexp.MustCompile(`(?m)^\s*\.file\s+(\d+)\s+(".*")\s*$`)
	location = regexp.MustCompile(`(?m)^(\s*\.loc\s+)(\d+)\b`)
	name     = regexp.MustCompile(`"[^"\n]*"|//[^\n]*|[%.]?[A-Za-z_$][\w$]*`)
)

// statement is a declaration or definition of a module.
type statement struct {
	text    string
	linkage string // "extern", "visible", "weak", or "" for what only the module sees
	code    bool   // a function or kernel, and not a variable
	body    bool   // of a function
	name    string
}

// statements splits a module at its outermost level. What has no name, such as sections for a debugger, is left out.
func statements(ptx string) (list []statement) {
	depth, begin, quoted, comment := 0, 0, false, false
	for i, c := range []byte(ptx) {
		switch {
		case comment:
			comment = c != '\n'
			continue
		case quoted:
			quoted = c != '"'
			continue
		case c == '"':
			quoted = true
		case c == '/' && i+1 < len(ptx) && ptx[i+1] == '/':
			comment = true
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
		if c != ';' && c != '}' || depth > 0 {
			continue
		}
		text := ptx[begin : i+1]
		m := declared.FindStringSubmatch(text)
		if c == '}' && m != nil && m[2] != ".func" && m[2] != ".entry" {
			continue // the values of a variable
		}
		begin = i + 1
		if m != nil {
			code := m[2] == ".func" || m[2] == ".entry"
			list = append(list, statement{text, strings.Trim(m[1], ". \t\n"), code, code && c == '}', m[3]})
		}
	}
	return list
}

// given are the functions of a device that nobody defines.
var given = []string{"vprintf", "malloc", "free", "__assertfail"}

// link returns the one module of several, or nil if none needs another one.
func link(modules [][]byte) []byte {
	parts := make([][]statement, len(modules))
	defined, wanted := map[string]bool{}, map[string]bool{}
	for i, m := range modules {
		parts[i] = statements(module.ReplaceAllString(string(m), ""))
		for _, s := range parts[i] {
			switch {
			case s.linkage == "extern":
				wanted[s.name] = true
			case s.linkage != "" && (s.body || !s.code):
				defined[s.name] = true
			}
		}
	}
	maps.DeleteFunc(wanted, func(name string, _ bool) bool { return !defined[name] || slices.Contains(given, name) })
	if len(wanted) == 0 {
		return nil
	}
	l := linker{defined: defined, done: map[string]bool{}, announced: map[string]bool{}, files: map[string]int{}}
	for i, m := range modules {
		l.add(i, string(m), parts[i])
	}
	var out bytes.Buffer
	out.WriteString(linkedMark)
	out.WriteString(strings.Join(module.FindAllString(string(modules[0]), -1), ""))
	for _, part := range []*bytes.Buffer{&l.variables, &l.prototypes, &l.functions} {
		out.Write(part.Bytes())
	}
	paths := make([]string, len(l.files))
	for path, n := range l.files {
		paths[n-1] = path
	}
	for i, path := range paths {
		fmt.Fprintf(&out, "\n\t.file\t%d %s", i+1, path)
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// linker is a module that grows.
type linker struct {
	defined, done, announced         map[string]bool // what has a definition in some module, what has one here, and functions that are declared
	files                            map[string]int  // numbers of sources
	variables, prototypes, functions bytes.Buffer
}

// add takes the statements of module i. What only it sees gets a name of its own.
func (l *linker) add(i int, text string, parts []statement) {
	own := map[string]string{}
	for _, s := range parts {
		if s.linkage == "" {
			own[s.name] = fmt.Sprintf("%s__%d", s.name, i)
		}
	}
	numbers := map[string]string{}
	for _, m := range fileLine.FindAllStringSubmatch(text, -1) {
		if l.files[m[2]] == 0 {
			l.files[m[2]] = len(l.files) + 1
		}
		numbers[m[1]] = fmt.Sprint(l.files[m[2]])
	}
	for _, s := range parts {
		found := s.linkage == "extern" && l.defined[s.name]
		text := l.renamed(s.text, own, numbers)
		switch {
		case !s.code && found:
			// Its definition comes before all functions.
		case s.code && !s.body:
			if !l.announced[s.name] || s.linkage == "" {
				if found {
					text = strings.Replace(text, ".extern", ".visible", 1)
				}
				l.prototypes.WriteString(text)
			}
			l.announced[s.name] = true
		case s.linkage != "" && l.done[s.name]:
			// Another module has the same.
		case s.code:
			l.functions.WriteString(text)
			l.done[s.name] = true
		default:
			l.variables.WriteString(text)
			l.done[s.name] = true
		}
	}
}

// renamed returns a statement with the names of the linked module and its numbers of sources.
func (l *linker) renamed(text string, own, numbers map[string]string) string {
	text = name.ReplaceAllStringFunc(text, func(word string) string {
		if to, ok := own[word]; ok {
			return to
		}
		return word
	})
	return location.ReplaceAllStringFunc(text, func(at string) string {
		m := location.FindStringSubmatch(at)
		return m[1] + numbers[m[2]]
	})
}
