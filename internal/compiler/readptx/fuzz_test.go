package readptx

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead reads any text: there is a module or an error with a line, and never a crash. Kernels are built, too.
func FuzzRead(f *testing.F) {
	f.Add(kernel(".reg .b32 %r<4>; .reg .pred %p; L: add.u32 %r1, %r2, 3; @%p bra L; ret;"))
	f.Add(kernel("{ .param .b32 a; st.param.b32 [a+0], 1; call (a), k, (a); }"))
	f.Add(head + ".global .align 8 .u64 x[2] = {generic(y)+4, 0xFF(x)};\n.extern .shared .b8 y[];\n.const .f32 z = 0f3F800000;")
	f.Add(head + ".global .texref t;\n.entry k() { .reg .b32 %r<5>; tex.1d.v4.s32.s32 {%r1, %r2, _, _}, [t, {%r3}]; ret; }")
	f.Add(head + ".func (.reg .u32 %o) f(.reg .u32 %i) { mov.b64 {%o, _}, 5; vote.sync.any.pred %p|_, !%p, -1; }\n.alias g, f;")
	files, err := filepath.Glob("../ptx/testdata/micro*.ptx")
	require.NoError(f, err)
	for _, file := range files[:min(len(files), 5)] {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read("m.ptx", []byte(text))
		if err != nil {
			var e *Error
			require.True(t, errors.As(err, &e), err)
			require.Positive(t, e.Line)
			require.LessOrEqual(t, e.Line, 1+strings.Count(text, "\n"))
			return
		}
		m.Refused()
		_, _ = m.Variables()
		for _, e := range m.Entries {
			if k, err := m.Kernel(e.Name); err == nil {
				m.Arguments(k)
			} else {
				require.NotContains(t, err.Error(), "the reader made a kernel that is not valid")
			}
		}
	})
}

// BenchmarkRead reads a module of 100,000 lines.
func BenchmarkRead(b *testing.B) {
	var s strings.Builder
	s.WriteString(head)
	lines := 3
	for i := 0; lines < 100_000; i++ {
		s.WriteString(strings.Replace(kernel(".reg .b32 %r<90>;\n.reg .b64 %rd<90>;\n.reg .pred %p<9>;\n"+strings.Repeat(
			"\t.loc 1 5 3 // prog.cu:5:3\n\tmad.lo.s32 \t%r1, %r2, %r3, %r4;\n\tsetp.ge.s32 \t%p1, %r2, %r3;\n\t@%p1 st.global.u32 [%rd1+16], %r1;\n", 240)), ".entry k", ".entry k"+strings.Repeat("x", i), 1)[len(head):])
		lines += 970
	}
	text := []byte(s.String())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := Read("m.ptx", text)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(lines*b.N)/b.Elapsed().Seconds(), "lines/s")
}
