package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/internal/service/catalog"
	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
)

// TestByHandParameters compares the parameters of the kernels in CUDA C with those that our compiler gives ours: the same host loop
// launches both. clang says what the parameters in CUDA C are.
func TestByHandParameters(t *testing.T) {
	needClang(t)
	file := filepath.Join(t.TempDir(), "byhand.ptx")
	var said bytes.Buffer
	require.NoError(t, toolkit.Build(t.Context(), toolkit.Request{Files: []string{"../hw/testdata/cuda/byhand.cu"}, Output: file, PTX: true, Stderr: &said}), said.String())
	theirs, err := os.ReadFile(file)
	require.NoError(t, err)
	compiler, err := catalog.Kernels()
	require.NoError(t, err)
	for _, k := range byHandKernels {
		e, err := catalog.Lookup(k.pair.Algorithm, k.pair.Scheduler)
		require.NoError(t, err)
		kernel, err := compiler.Kernel(t.Context(), e.Kernel, nil)
		require.NoError(t, err)
		ptx, err := weft.PTX(kernel, "sm_90")
		require.NoError(t, err)
		assert.Equal(t, sizes(t, string(theirs), k.entry), sizes(t, ptx, ""), k.entry)
	}
}

// sizes returns the sizes in bits of the parameters of an entry of PTX; of the first one if it has no name.
func sizes(t *testing.T, ptx, entry string) (list []string) {
	_, rest, ok := strings.Cut(ptx, ".entry "+entry)
	require.True(t, ok, entry)
	header, _, _ := strings.Cut(rest, ")")
	for _, p := range regexp.MustCompile(`\.param \.[a-z](\d+)`).FindAllStringSubmatch(header, -1) {
		list = append(list, p[1])
	}
	require.NotEmpty(t, list)
	return list
}
