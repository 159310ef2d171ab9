package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSizes counts a small module by hand.
func TestSizes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                                 "module m\n\ngo 1.26\n",
		"a/a.go":                                 "// Package a is public.\npackage a\n\nimport \"m/internal/low/x\"\n\n// T has a method.\ntype T struct{}\n\n// Do does.\nfunc (t *T) Do() {\n\t// why\n\ty, one := 1, x.F()\n}\n\nconst C, d = 1, 2\n",
		"a/a_test.go":                            "package a\n",
		"b/b.go":                                 "package b\n\nimport _ \"m/internal/up\"\n",
		"internal/low/doc.go":                    "package low\n",
		"internal/low/x/x.go":                    "package x\n\nfunc F() {}\n",
		"internal/up/up.go":                      "package up\n\nimport _ \"m/internal/up/sub\"\n",
		"internal/up/sub/s.go":                   "package sub\n\nimport _ \"m/a\"\n",
		"internal/golden/g.go":                   "package golden\n\nfunc G() {\n}\n",
		"internal/other/other.go":                "package other\n\nimport _ \"m/b\"\n",
		"internal/testing/archtest/arch_test.go": "package archtest\n\nvar house = []string{\"low\", \"high\"}\n\nfunc never() {\n\tsay(1)\n\tsay(2)\n\tother := []string{\"\"}\n}\n",
		"sim/config/presets/v100.yaml":           "",
		"a/testdata/v100.yaml":                   "",
		"sim/locks.txt":                          "LockRound",
		"page.md":                                "LockRound, gpu.Ceiling\n",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	var out strings.Builder
	require.NoError(t, run(dir, &out))
	assert.Equal(t, `packages                         9, of which 2 can be imported from outside
lines                            31 product, 4 support of tests, 10 tests
public names                     2 (functions, types, constants and variables)
comments inside functions        50.0% of 2 lines
variables of one letter          50.0% of 2 inside functions
folders that import each other   1
  b and internal (1 and 1 imports)
types with the most methods
  a.T                                      1
rows of rules in archtest        2 that say what may import what, 2 rules without exceptions
files that name the example of a kind of change, without tests
  operation Ceil                 0
  counter WriteBacks             0
  parameter lock_round           1
    page.md
  option array-size              0
  command calibrate              0
  preset v100                    1
    sim/config/presets/v100.yaml
  output format parquet          0
`, out.String())
}
