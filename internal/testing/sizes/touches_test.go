package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

// TestTouched holds CONTRIBUTING.md, "What a change touches", to the files that name an existing thing of each kind: each
// row of a table must be one of them, and each of them but tests must be in a row or in the text below it.
func TestTouched(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	found, err := touched(root)
	require.NoError(t, err)
	for i, k := range kinds {
		assert.Empty(t, untrue(string(text), k, found[i]), "%s, by the example %s", k.what, k.example)
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// untrue says what a part of CONTRIBUTING.md has too much and too little.
func untrue(text string, k kind, found []string) (wrong []string) {
	_, part, ok := strings.Cut(text, "\n### "+k.heading)
	if !ok {
		return []string{"no part " + k.heading}
	}
	part, _, _ = strings.Cut(part, "\n### ")
	names := func(text string) (list []string) {
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			list = append(list, strings.ReplaceAll(m[1], "NAME", k.example))
		}
		return list
	}
	has := func(names []string, file string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return file == name || strings.HasPrefix(file, name+"/") })
	}
	rows := 0
	for line := range strings.Lines(part) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || !strings.Contains(cells[1], "`") {
			continue
		}
		rows++
		if row := names(cells[1]); !slices.ContainsFunc(found, func(file string) bool { return has(row, file) }) {
			wrong = append(wrong, "no such file names it:"+cells[1])
		}
	}
	if rows == 0 {
		wrong = append(wrong, "no table")
	}
	for _, file := range found {
		if !isTest(file) && !has(names(part), file) {
			wrong = append(wrong, "not said: "+file)
		}
	}
	return wrong
}

// TestUntrue checks the check: a row without a file, and a file without a row.
func TestUntrue(t *testing.T) {
	const text = "## All\n\n### A lamp\n\n| file | what |\n|---|---|\n| `lamps/NAME.go` | all |\n| the file of `room` that has it | a line |\n\nAlso `list.go`.\n\n### Other\n\n`other.go`\n"
	lamp := kind{what: "lamp", example: "desk", heading: "A lamp"}
	assert.Empty(t, untrue(text, lamp, []string{"lamps/desk.go", "room/a.go", "list.go", "any_test.go"}))
	assert.Equal(t, []string{"no such file names it: `lamps/NAME.go` ", "not said: other.go"}, untrue(text, lamp, []string{"room/a.go", "other.go"}))
	assert.Equal(t, []string{"no part A table"}, untrue(text, kind{heading: "A table"}, nil))
	assert.Equal(t, []string{"no table"}, untrue(text, kind{heading: "Other"}, []string{"other.go"}))
}
