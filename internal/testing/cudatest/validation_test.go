package cudatest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
)

const validationFolder = "../../../experiments/validation"

// validation returns the programs of experiments/validation.
func validation(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(validationFolder, "*.cu"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 30)
	return files
}

// TestValidationPage holds the table of experiments/validation/README.md to the programs, which say what they do at their head.
func TestValidationPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(validationFolder, "README.md"))
	require.NoError(t, err)
	files := validation(t)
	for _, file := range files {
		name := filepath.Base(file)
		assert.Contains(t, string(page), "\n| ["+strings.TrimSuffix(name, ".cu")+"]("+name+") |")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Regexp(t, `^(//.*\n){3,5}#include "`, string(text), name)
	}
	assert.Equal(t, len(files), strings.Count(string(page), ".cu) |"), "the table names a program that is not there")
}

// shortValidation are the programs that every run of the tests tries: templates, shared memory, votes, atomics.
var shortValidation = []string{"transpose", "histogram", "radixsort", "hash_table"}

// TestValidation runs the programs of the short list.
func TestValidation(t *testing.T) {
	for _, name := range shortValidation {
		t.Run(name, func(t *testing.T) {
			tryValidation(t, filepath.Join(validationFolder, name+".cu"), "func", "sim:tiny")
		})
	}
}

// TestHeavyValidation runs all programs of experiments/validation in their small size: they are right, and without races.
func TestHeavyValidation(t *testing.T) {
	for _, file := range validation(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cu"), func(t *testing.T) {
			t.Parallel()
			tryValidation(t, file, "func", "sim:h100")
		})
	}
}

// tryValidation runs a program in its small size, on func with races looked for.
func tryValidation(t *testing.T, file string, devices ...string) {
	if _, err := toolkit.Find(t.Context()); err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	program := built(t, file, 0)
	for _, device := range devices {
		flags := []string{"--device", device}
		if device == "func" {
			flags = append(flags, "--race")
		}
		stdout, stderr, code := runWith(flags, program, "1")
		assert.Equal(t, 0, code, "%s: %s%s", device, stdout, stderr)
		assert.Equal(t, "right\n", stdout, device)
		assert.Empty(t, stderr, device)
	}
}
