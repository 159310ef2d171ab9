package printing

import (
	"bytes"
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
)

var update = flag.Bool("update", false, "compile print.cu")

// TestPTX checks that print.ptx is what clang makes of print.cu; another version of clang may write it otherwise.
func TestPTX(t *testing.T) {
	c, err := toolkit.Find(t.Context())
	if err != nil {
		t.Skipf("needs clang-19 (apt-get install clang-19): %v", err)
	}
	if c.Version != 19 {
		t.Skipf("needs clang-19, and there is clang %d", c.Version)
	}
	path := filepath.Join(t.TempDir(), "print.ptx")
	var said bytes.Buffer
	require.NoError(t, toolkit.Build(t.Context(), toolkit.Request{Files: []string{"print.cu"}, Output: path, PTX: true, Stderr: &said}), said.String())
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("print.ptx", got, 0o644))
	}
	assert.Equal(t, code, string(got), "go test ./internal/service/cuda/printing -run TestPTX -update")
	assert.Contains(t, code, ".b8 "+Buffer+"[1048584]")
	assert.Equal(t, 1048584, 4*(Words+2))
}

func TestAdded(t *testing.T) {
	plain := []byte(".version 7.0\n.visible .entry k() { ret; }\n")
	text, prints := Added(plain)
	assert.Equal(t, []any{string(plain), false}, []any{string(text), prints})
	calls := []byte(".version 7.0\n.target sm_70\n.extern .func  (.param .b32 func_retval0) vprintf\n(\n\t.param .b64 a,\n\t.param .b64 b\n)\n;\n")
	text, prints = Added(calls)
	assert.True(t, prints)
	assert.Equal(t, 1, strings.Count(string(text), ".version"))
	assert.Contains(t, string(text), ".visible .func  (.param .b32 func_retval0) vprintf(\n")
}

// words lays arguments out as C does.
func words(args ...any) []byte {
	var b []byte
	for _, a := range args {
		switch a.(type) {
		case float64, int64, uint64:
			for len(b)%8 != 0 {
				b = append(b, 0)
			}
		}
		b, _ = binary.Append(b, binary.LittleEndian, a)
	}
	return b
}

// TestText checks what formats print against what C's printf prints, which was noted by hand.
func TestText(t *testing.T) {
	strs := map[uint64]string{1 << 40: "hello"}
	text := func(a uint64) (string, bool) { s, ok := strs[a]; return s, ok }
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"plain %% %d\n", []any{int32(-5)}, "plain % -5\n"},
		{"%5d|%-5d|%05d|%+d|% d", []any{int32(42), int32(42), int32(42), int32(42), int32(42)}, "   42|42   |00042|+42| 42"},
		{"%u %x %X %#x %o", []any{uint32(4294967295), uint32(255), uint32(255), uint32(255), uint32(8)}, "4294967295 ff FF 0xff 10"},
		{"%d %lld %d %lu", []any{int32(1), int64(-1 << 40), int32(2), uint64(1 << 63)}, "1 -1099511627776 2 9223372036854775808"},
		{"%hd %hhd %hu", []any{int32(65537), int32(257), uint32(65537)}, "1 1 1"},
		{"%f %.2f %8.3f|%e %g %g %g", []any{1.5, 2.346, -3.25, 12345.678, 0.0001, 100000.0, 1e20}, "1.500000 2.35   -3.250|1.234568e+04 0.0001 100000 1e+20"},
		{"%c%c %s|%8s|%-8s|%.2s", []any{int32('o'), int32('k'), uint64(1 << 40), uint64(1 << 40), uint64(1 << 40), uint64(1 << 40)}, "ok hello|   hello|hello   |he"},
		{"%*d %.*f", []any{int32(4), int32(7), int32(1), 2.55}, "   7 2.5"},
		{"%f %5f %+f %f", []any{math.Inf(1), math.Inf(-1), math.Inf(1), math.Copysign(math.NaN(), 1)}, "inf  -inf +inf nan"},
		{"%p %s", []any{uint64(0xabc), uint64(5)}, "0xabc (a string that is no constant)"},
		{"50%", nil, "50"},
		{"%k", nil, "%k"},
	} {
		assert.Equal(t, c.want, record(c.format, words(c.args...), text), c.format)
	}
	strs[2<<40] = "%d,"
	one := func(v uint32) []byte { return words(uint32(4), uint32(0), uint32(2<<8), v) }
	all := append(append(one(1), one(2)...), words(uint32(100), uint32(0), uint32(0))...)
	assert.Equal(t, "1,2,", Text(all, text))
	assert.Equal(t, "(a format that is no constant)\n", Text(words(uint32(3), uint32(1), uint32(0)), text))
}
