package readptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// wmmaProduct is a kernel that loads three matrices, multiplies and stores.
type wmmaProduct struct {
	m, n, k          int
	factor, c, d     string
	rowA, rowB, rowC bool
	shared           bool // through shared memory
	more             int  // bytes that rows and columns are further apart than they must be
	stride           int  // 0: a constant, 1: a register, 2: none, which is right if more is 0
	satfinite        bool
}

// wmmaRegisters has the numbers of registers of fragments by the PTX ISA, "Matrix Fragments for WMMA", by use, shape and type.
var wmmaRegisters = map[string]int{
	"f16": 8, "a16 bf16": 4, "a32 bf16": 8, "a8 bf16": 2, "b16 bf16": 4, "b32 bf16": 2, "b8 bf16": 8,
	"a16 s8": 2, "a32 s8": 4, "a8 s8": 1, "b16 s8": 2, "b32 s8": 1, "b8 s8": 4, "tf32": 4, "f64": 1,
}

func (p *wmmaProduct) String() string {
	layout := map[bool]string{true: "row", false: "col"}
	return fmt.Sprintf("m%dn%dk%d %s %s %s %s%s%s shared=%v more=%d stride=%d", p.m, p.n, p.k, p.factor, p.c, p.d, layout[p.rowA], layout[p.rowB], layout[p.rowC], p.shared, p.more, p.stride)
}

func (p *wmmaProduct) count(use byte, of string) int {
	switch {
	case use >= 'c':
		return map[string]int{"f16": 4, "f32": 8, "s32": 8, "f64": 2}[of]
	case of == "u8":
		of = "s8"
	}
	if n := wmmaRegisters[of]; n > 0 {
		return n
	}
	return wmmaRegisters[fmt.Sprintf("%c%d %s", use, p.m, of)]
}

var wmmaBytes = map[string]int{"f16": 2, "bf16": 2, "s8": 1, "u8": 1, "tf32": 4, "f32": 4, "s32": 4, "f64": 8}

// leading returns the distance of rows or columns in elements.
func (p *wmmaProduct) leading(use byte) int {
	rows, columns, byRows, of := p.m, p.n, p.rowC, p.d
	switch use {
	case 'a':
		columns, byRows, of = p.k, p.rowA, p.factor
	case 'b':
		rows, byRows, of = p.k, p.rowB, p.factor
	case 'c':
		of = p.c
	}
	if byRows {
		return columns + p.more/wmmaBytes[of]
	}
	return rows + p.more/wmmaBytes[of]
}

// list names registers: "{%f0, %f1}" for sums of f32.
func list(name, of string, n int) string {
	prefix := map[string]string{"f32": "f", "f64": "d"}[of]
	if prefix == "" {
		prefix = "r"
	}
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%%%s%s%d", prefix, name, i))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

const wmmaMatrix = 4096 // bytes for a matrix

func (p *wmmaProduct) text() string {
	layout := map[bool]string{true: "row", false: "col"}
	shape := fmt.Sprintf("m%dn%dk%d", p.m, p.n, p.k)
	var s strings.Builder
	s.WriteString(".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n")
	s.WriteString(".reg .pred %p<2>; .reg .b64 %g<8>;\n.reg .b32 %i<9>;\n")
	fmt.Fprintf(&s, ".shared .align 32 .b8 sh[%d];\n", 4*wmmaMatrix)
	for _, name := range "abcd" {
		fmt.Fprintf(&s, ".reg .b32 %%r%c<9>; .reg .f32 %%f%c<9>; .reg .f64 %%d%c<9>;\n", name, name, name)
	}
	for i, name := range "abcd" {
		fmt.Fprintf(&s, "ld.param.u64 %%g%d, [p%c];\n", i, name)
	}
	space := ".global"
	if p.shared {
		space = ".shared"
		s.WriteString("mov.u32 %i0, %laneid; mul.lo.u32 %i0, %i0, 4; mov.u32 %i3, sh;\n")
		for i := range 3 {
			fmt.Fprintf(&s, "mov.u32 %%i1, %%i0;\nL%d: cvt.u64.u32 %%g4, %%i1; add.u64 %%g4, %%g4, %%g%d; ld.global.u32 %%i2, [%%g4]; add.u32 %%i4, %%i3, %%i1; st.shared.u32 [%%i4+%d], %%i2; add.u32 %%i1, %%i1, 128; setp.lt.u32 %%p0, %%i1, %d; @%%p0 bra L%d;\n", i, i, i*wmmaMatrix, wmmaMatrix, i)
		}
		s.WriteString("bar.warp.sync -1;\n")
	}
	at := func(i int) string {
		if p.shared && i < 3 {
			return fmt.Sprintf("[sh+%d]", i*wmmaMatrix)
		}
		return fmt.Sprintf("[%%g%d]", i)
	}
	stride := func(use byte) string {
		switch p.stride {
		case 0:
			return fmt.Sprintf(", %d", p.leading(use))
		case 1:
			fmt.Fprintf(&s, "mov.u32 %%i8, %%nctaid.x; mul.lo.u32 %%i8, %%i8, %d;\n", p.leading(use))
			return ", %i8"
		}
		return ""
	}
	for i, of := range []string{p.factor, p.factor, p.c} {
		use := byte('a' + i)
		by := stride(use)
		fmt.Fprintf(&s, "wmma.load.%c.sync.aligned.%s.%s%s.%s %s, %s%s;\n", use, layout[[]bool{p.rowA, p.rowB, p.rowC}[i]], shape, space, of, list(string(use), of, p.count(use, of)), at(i), by)
	}
	types := fmt.Sprintf("%s.%s.%s.%s", p.d, p.factor, p.factor, p.c)
	if p.factor == "f16" {
		types = p.d + "." + p.c
	}
	if p.satfinite {
		types += ".satfinite"
	}
	fmt.Fprintf(&s, "wmma.mma.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;\n", layout[p.rowA], layout[p.rowB], shape, types,
		list("d", p.d, p.count('d', p.d)), list("a", p.factor, p.count('a', p.factor)), list("b", p.factor, p.count('b', p.factor)), list("c", p.c, p.count('c', p.c)))
	by := stride('d')
	fmt.Fprintf(&s, "wmma.store.d.sync.aligned.%s.%s.global.%s %s, %s%s;\nret;\n}\n", layout[p.rowC], shape, p.d, at(3), list("d", p.d, p.count('d', p.d)), by)
	return s.String()
}

// wmmaPut writes a whole number as an element of a type, and wmmaGet reads one.
func wmmaPut(to []byte, of string, n int) {
	switch of {
	case "f16":
		binary.LittleEndian.PutUint16(to, uint16(floats.Half.Round(float64(n), floats.NearestEven)))
	case "bf16":
		binary.LittleEndian.PutUint16(to, uint16(floats.BFloat.Round(float64(n), floats.NearestEven)))
	case "s8", "u8":
		to[0] = byte(n)
	case "s32":
		binary.LittleEndian.PutUint32(to, uint32(n))
	case "tf32", "f32":
		binary.LittleEndian.PutUint32(to, math.Float32bits(float32(n)))
	case "f64":
		binary.LittleEndian.PutUint64(to, math.Float64bits(float64(n)))
	}
}

func wmmaGet(from []byte, of string) float64 {
	switch of {
	case "f16":
		return floats.Half.Value(uint64(binary.LittleEndian.Uint16(from)))
	case "s32":
		return float64(int32(binary.LittleEndian.Uint32(from)))
	case "f32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(from)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(from))
}

// try runs the kernel on a device with whole numbers that all types hold, and compares with a product of integers. It returns the rows of the table of
// instructions that the kernel needs.
func (p *wmmaProduct) try(t *testing.T, dev device.Device) (patterns []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(p.m)))
	text := p.text()
	m, err := readptx.Read("test.ptx", []byte(text))
	require.NoError(t, err, text)
	k, err := m.Kernel("k")
	require.NoError(t, err, text)
	least, most := -4, 5
	if p.factor == "u8" {
		least, most = 0, 200
	}
	at := func(use byte, byRows bool, row, column int) int {
		if byRows {
			return row*p.leading(use) + column
		}
		return column*p.leading(use) + row
	}
	var a, b, c [32][32]int
	data := map[byte][]byte{}
	for use, matrix := range map[byte]*[32][32]int{'a': &a, 'b': &b, 'c': &c} {
		rows, columns, byRows, of := p.m, p.n, p.rowC, p.c
		switch use {
		case 'a':
			columns, byRows, of = p.k, p.rowA, p.factor
		case 'b':
			rows, byRows, of = p.k, p.rowB, p.factor
		}
		data[use] = make([]byte, wmmaMatrix)
		for i := range rows {
			for j := range columns {
				matrix[i][j] = least + r.IntN(most-least)
				wmmaPut(data[use][at(use, byRows, i, j)*wmmaBytes[of]:], of, matrix[i][j])
			}
		}
	}
	data['d'] = make([]byte, wmmaMatrix)
	var args []any
	var out device.Buffer
	for _, use := range []byte("abcd") {
		buffer, err := dev.Alloc(string(use), device.U8, wmmaMatrix)
		require.NoError(t, err)
		require.NoError(t, dev.Write(buffer, data[use]))
		args, out = append(args, buffer), buffer
	}
	_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 32, Args: args})
	require.NoError(t, err, text)
	got := make([]byte, wmmaMatrix)
	require.NoError(t, dev.Read(out, got))
	written := make([]bool, wmmaMatrix)
	for i := range p.m {
		for j := range p.n {
			want := c[i][j]
			for l := range p.k {
				want += a[i][l] * b[l][j]
			}
			place := at('d', p.rowC, i, j) * wmmaBytes[p.d]
			require.Equal(t, float64(want), wmmaGet(got[place:], p.d), "%v: row %d, column %d\n%s", p, i, j, text)
			for i := range wmmaBytes[p.d] {
				written[place+i] = true
			}
		}
	}
	for i, b := range got {
		require.True(t, written[i] || b == 0, "byte %d", i)
	}
	return m.PatternsOf("k")
}

// TestWmma multiplies by all instructions wmma, in all layouts.
func TestWmma(t *testing.T) {
	var list []wmmaProduct
	for _, s := range [][3]int{{16, 16, 16}, {32, 8, 16}, {8, 32, 16}} {
		for _, of := range [][3]string{{"f16", "f32", "f32"}, {"f16", "f16", "f16"}, {"f16", "f16", "f32"}, {"f16", "f32", "f16"}, {"bf16", "f32", "f32"}, {"s8", "s32", "s32"}, {"u8", "s32", "s32"}} {
			list = append(list, wmmaProduct{m: s[0], n: s[1], k: s[2], factor: of[0], c: of[1], d: of[2]})
		}
	}
	list = append(list, wmmaProduct{m: 16, n: 16, k: 8, factor: "tf32", c: "f32", d: "f32"}, wmmaProduct{m: 8, n: 8, k: 4, factor: "f64", c: "f64", d: "f64"})
	i, covered := 0, map[string]bool{}
	for _, p := range list {
		for layouts := range 8 {
			for _, p.shared = range []bool{false, true} {
				p.rowA, p.rowB, p.rowC = layouts&1 != 0, layouts&2 != 0, layouts&4 != 0
				p.more, p.stride = []int{0, 32, 16, 0}[i%4], []int{0, 1, 0, 2}[i%4]
				p.satfinite = i%3 == 0 && p.c == "s32"
				i++
				for _, pattern := range p.try(t, function.New(function.Options{})) {
					covered[pattern] = true
				}
			}
			i++
		}
	}
	assert.Equal(t, 23*8*3, i)
	for _, row := range readptx.Instructions() {
		if row.Section == "Products of matrices by fragments" {
			assert.True(t, covered[row.Pattern], row.Pattern)
		}
	}
}

// TestWmmaFaults has what PTX leaves undefined of a load: each ends on device func, with the rule.
func TestWmmaFaults(t *testing.T) {
	const regs = ".reg .pred %p<2>; .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .b64 %a<9>;\n.shared .align 32 .b8 sh[512];\nld.param.u64 %a1, [mem]; ld.param.u64 %a2, [in]; mov.u32 %r18, %laneid;\n"
	const registers = "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}"
	for _, c := range []struct{ code, want string }{
		{"wmma.load.a.sync.aligned.row.m16n16k16.f16 " + registers + ", [%a1+16], 16", "wmma.load.a.sync.aligned.m16n16k16.f16 at byte 16 of mem (address A): the matrix must begin at a multiple of 32 bytes"},
		{"wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 " + registers + ", [sh+8], 16", "wmma.load.b.sync.aligned.m16n16k16.f16 at byte 8 of sh (address A): the matrix must begin at a multiple of 32 bytes"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.f16 " + registers + ", [%a1], 20", "wmma.load.a.sync.aligned.m16n16k16.f16 at byte 0 of mem (address A): rows or columns that are 20 elements apart, which is 40 bytes; it must be a multiple of 16 bytes"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r0, %r1}, [%a1+4], 16", "wmma.load.a.sync.aligned.m16n16k16.s8 at byte 4 of mem (address A): the matrix must begin at a multiple of 8 bytes"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r0, %r1}, [%a1+8], 12", "wmma.load.a.sync.aligned.m16n16k16.s8 at byte 8 of mem (address A): rows or columns that are 12 elements apart, which is 12 bytes; it must be a multiple of 8 bytes"},
		{"shr.u32 %r18, %r18, 4; mul.lo.u32 %r18, %r18, 8; add.u32 %r18, %r18, 16; wmma.load.a.sync.aligned.row.m16n16k16.f16 " + registers + ", [%a1], %r18", "wmma.load.a.sync.aligned.m16n16k16.f16 in byte 0 of mem (address A): lanes 0 and 16 give other matrices; all lanes of the warp must give the same address and the same distance of rows or columns"},
		{"setp.eq.u32 %p1, %r18, 3; selp.b64 %a1, %a1, %a2, %p1; wmma.load.a.sync.aligned.row.m16n16k16.f16 " + registers + ", [%a1], 16", "wmma.load.a.sync.aligned.m16n16k16.f16 in byte 0 of mem (address A): lanes 0 and 3 give other matrices; all lanes of the warp must give the same address and the same distance of rows or columns"},
		{"setp.ne.u32 %p1, %r18, 3; @%p1 wmma.load.a.sync.aligned.row.m16n16k16.f16 " + registers + ", [%a1], 16", "wmma::load_matrix_sync() while lanes 00000008 have exited: all 32 lanes of the warp have to take part"},
		{"setp.ne.u32 %p1, %r18, 3; @%p1 wmma.store.d.sync.aligned.row.m16n16k16.f16 [%a1], {%r0, %r1, %r2, %r3}, 16", "wmma::store_matrix_sync() while lanes 00000008 have exited: all 32 lanes of the warp have to take part"},
		{"setp.ne.u32 %p1, %r18, 3; @%p1 wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%r0, %r1, %r2, %r3}, " + registers + ", " + registers + ", {%r0, %r1, %r2, %r3}", "wmma::mma_sync() while lanes 00000008 have exited: all 32 lanes of the warp have to take part"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " + registers + ", [sh], 16; st.global.u32 [%a2], %r0", "16 bytes at byte 0 of shared sh are read, but no thread of the block has written them"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.f16 " + registers + ", [%a1], 4096; st.global.u32 [%a2], %r1", "load of 4 bytes at byte 65536 of mem, which has 16384 bytes"},
	} {
		text := ".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out, .param .u64 mem, .param .align 8 .b8 par[16])\n{\n" + regs + c.code + ";\nret;\n}\n"
		err := launched(t, text, 32)
		require.Error(t, err, c.code)
		got := regexp.MustCompile(`address 0x[0-9a-f]+`).ReplaceAllString(err.Error(), "address A")
		assert.Contains(t, got, c.want, c.code)
	}
	assert.ErrorContains(t, launched(t, ".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .u64 in, .param .u64 out, .param .u64 mem, .param .align 8 .b8 par[16])\n{\n"+regs+
		"wmma.load.a.sync.aligned.row.m16n16k16.f16 "+registers+", [%a1], 16;\nret;\n}\n", 48), "wmma::load_matrix_sync() in a warp without lanes ffff0000: the block has 48 threads, and all 32 lanes have to take part")
}

// TestWmmaMistakes has forms and operands that PTX does not have, or that are not supported.
func TestWmmaMistakes(t *testing.T) {
	const registers = "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}"
	const refused = "of tensor cores there are mma.sync of dense matrices of f16, bf16, tf32, f64, 8-bit integers, 8-bit floats and bits, wmma of the same without 8-bit floats and bits, wgmma of the same without f64, ldmatrix.m8n8, stmatrix.m8n8 and movmatrix, as the tables in docs/ptx.md say"
	for _, c := range []struct{ code, want string }{
		{"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0, %r1, %r2, %r3}, [%a1], 16", "kernel k: m.ptx:6: a vector access of 8 elements needs {a, b, ...} with as many"},
		{"wmma.load.a.sync.aligned.row.m8n32k16.s8 {%r0, %r1}, [%a1], 16", "kernel k: m.ptx:6: the destination is no register"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.f16 " + registers + ", %a1, 16", "kernel k: m.ptx:6: the operand is no address; an address stands in brackets"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.f16 " + registers, "kernel k: m.ptx:6: wmma.load.a.sync.aligned.row.m16n16k16.f16 has the operands r, [p], {stride}"},
		{"wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%r0, %r1, %r2, %r3}, " + registers + ", {%r0, %r1, %r2, %r3}, {%r0, %r1, %r2, %r3}", "kernel k: m.ptx:6: a vector access of 8 elements needs {a, b, ...} with as many"},
		{"wmma.load.a.sync.aligned.row.m16n16k16.f64 " + registers + ", [%a1], 16", "kernel k has instructions that are not supported:\n  m.ptx:6: wmma.load.a.sync.aligned.row.m16n16k16.f64: " + refused},
		{"wmma.load.a.sync.aligned.row.m8n8k32.u4 {%r0}, [%a1]", "kernel k has instructions that are not supported:\n  m.ptx:6: wmma.load.a.sync.aligned.row.m8n8k32.u4: " + refused},
		{"wmma.mma.sync.aligned.row.col.m8n8k4.rz.f64.f64.f64.f64 {%r0}, {%r1}, {%r2}, {%r3}", "kernel k has instructions that are not supported:\n  m.ptx:6: wmma.mma.sync.aligned.row.col.m8n8k4.rz.f64.f64.f64.f64: " + refused},
		{"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {%r0}, {%r1}, {%r2}, {%r3}", "kernel k has instructions that are not supported:\n  m.ptx:6: wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32: " + refused},
	} {
		m, err := readptx.Read("m.ptx", []byte(".version 7.8\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .b32 %r<9>; .reg .b64 %a<9>;\n"+c.code+";\nret; }\n"))
		require.NoError(t, err, c.code)
		_, err = m.Kernel("k")
		assert.EqualError(t, err, c.want, c.code)
	}
}
