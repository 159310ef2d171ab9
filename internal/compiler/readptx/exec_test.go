package readptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// An instruction's test has instructions, the registers that they find, and those that they leave:
//
//	add.sat.s32 %r0, %r1, %r2 | r1=0x7fffffff r2=1 | r0=0x7fffffff
//
// A warp executes it. What it leaves is that of each lane, or, behind @3, that of lane 3. %rd20 is the address of 64
// bytes that hold 0, 1, 2, ..., for the whole warp; sh is a variable of 64 bytes in shared memory, lo one in local memory, and tx are
// textures of the 16 bytes td, of which tm is a tensor map with boxes of four words, for which bx is in shared memory. The last
// instruction of a test without registers left is one that must only be accepted.

const slots = 64

// registers are the prefixes of the registers of a test, with their types.
var registers = []struct{ prefix, typ, load string }{
	{"fd", "f64", "f64"}, {"rd", "b64", "u64"}, {"rs", "b16", "u16"}, {"r", "b32", "u32"}, {"f", "f32", "f32"}, {"p", "pred", "u32"},
}

func kindOf(t *testing.T, name string) (prefix, typ, load string) {
	for _, r := range registers {
		if rest, ok := strings.CutPrefix(name, r.prefix); ok {
			if _, err := strconv.Atoi(rest); err == nil {
				return r.prefix, r.typ, r.load
			}
		}
	}
	t.Fatalf("no register %s", name)
	return
}

// bitsOf returns the bits of the text of a number for a register.
func bitsOf(t *testing.T, prefix, text string) uint64 {
	if strings.HasPrefix(text, "0x") || prefix != "f" && prefix != "fd" {
		minus := strings.HasPrefix(text, "-")
		n, err := strconv.ParseUint(strings.TrimPrefix(text, "-"), 0, 64)
		require.NoError(t, err)
		if minus {
			n = -n
		}
		switch prefix {
		case "r", "f", "p":
			n = uint64(uint32(n))
		case "rs":
			n = uint64(uint16(n))
		}
		return n
	}
	if prefix == "f" {
		v, err := strconv.ParseFloat(text, 32)
		require.NoError(t, err)
		if text == "nan" {
			return 0x7FFFFFFF
		}
		return uint64(math.Float32bits(float32(v)))
	}
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	if text == "nan" {
		return 0x7FFFFFFFFFFFFFFF
	}
	return math.Float64bits(v)
}

type register struct {
	name string
	bits uint64
	lane int // -1: all
}

func registersOf(t *testing.T, text string) (list []register) {
	lane := -1
	for word := range strings.FieldsSeq(text) {
		if at, ok := strings.CutPrefix(word, "@"); ok {
			n, err := strconv.Atoi(at)
			require.NoError(t, err)
			lane = n
			continue
		}
		name, value, ok := strings.Cut(word, "=")
		require.True(t, ok, word)
		prefix, _, _ := kindOf(t, name)
		list = append(list, register{name, bitsOf(t, prefix, value), lane})
	}
	return list
}

// textures are tx: addresses, numbers of texels and formats (texture.go).
var textures = []string{
	"generic(td)", "0x8200000004", // 0: one channel of 32 bits
	"generic(td)", "0x8A00000001", // 16: four of 32 bits
	"generic(td)", "0x9800000004", // 32: four signed ones of 8 bits
	"generic(td)", "0xC000000010", // 48: one of 8 bits, normalised
	"generic(td)", "0xD500000004", // 64: two signed ones of 16 bits, normalised
	"generic(td)", "0xA100000008", // 80: a float of 16 bits
	"generic(td)", "0xA600000002", // 96: two floats of 32 bits
}

// launched runs a program without registers on device func, on zeroed memory with a block of some threads, and returns how it ends.
func launched(t *testing.T, text string, threads int) error {
	t.Helper()
	m, err := readptx.Read("test.ptx", []byte(text))
	require.NoError(t, err, text)
	k, err := m.Kernel("k")
	require.NoError(t, err, text)
	dev := function.New(function.Options{})
	args := []any{}
	for _, name := range []string{"in", "out", "mem"} {
		b, err := dev.Alloc(name, device.U8, threads*8*slots)
		require.NoError(t, err)
		require.NoError(t, dev.Write(b, make([]byte, threads*8*slots)))
		args = append(args, b)
	}
	_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: threads, Args: append(args, [2]uint64{})})
	return err
}

// program returns the module of a test.
func program(t *testing.T, code string, in, out []register) string {
	var s strings.Builder
	s.WriteString(".version 8.6\n.target sm_90\n.address_size 64\n.global .align 8 .b8 gl[64];\n.const .align 4 .u32 co[2] = {11, 12};\n")
	s.WriteString(".global .align 16 .u32 td[4] = {0x03020180, 0x3C00FFFF, 0x80018000, 0x7FFF3F80};\n.global .align 16 .u64 tx[14] = {" + strings.Join(textures, ", ") + "}; .global .align 64 .u64 tm[16] = {td, 0x7766000000000309, 0x100000004, 0x1000000001};\n")
	s.WriteString(".entry k(.param .u64 in, .param .u64 out, .param .u64 mem, .param .align 8 .b8 par[16])\n{\n")
	s.WriteString(".reg .pred %p<10>; .reg .b16 %rs<10>; .reg .b32 %r<30>; .reg .b64 %rd<30>; .reg .f32 %f<10>; .reg .f64 %fd<10>;\n")
	s.WriteString(".shared .align 16 .b8 sh[64];\n.shared .align 128 .b8 bx[128];\n.local .align 16 .b8 lo[64];\n")
	s.WriteString("ld.param.u64 %rd21, [in];\nld.param.u64 %rd20, [mem];\n")
	for i, r := range in {
		_, typ, load := kindOf(t, r.name)
		if typ == "pred" {
			fmt.Fprintf(&s, "ld.global.u32 %%r29, [%%rd21+%d];\nsetp.ne.u32 %%%s, %%r29, 0;\n", 8*i, r.name)
		} else {
			fmt.Fprintf(&s, "ld.global.%s %%%s, [%%rd21+%d];\n", load, r.name, 8*i)
		}
	}
	s.WriteString("// the instructions\n" + strings.ReplaceAll(code, "; ", ";\n") + ";\n")
	fmt.Fprintf(&s, "ld.param.u64 %%rd22, [out];\nmov.u32 %%r28, %%tid.x;\nmul.wide.u32 %%rd23, %%r28, %d;\nadd.s64 %%rd22, %%rd22, %%rd23;\n", 8*slots)
	seen := map[string]bool{}
	for i, r := range out {
		if seen[r.name+strconv.Itoa(r.lane)] {
			continue
		}
		_, typ, load := kindOf(t, r.name)
		if typ == "pred" {
			fmt.Fprintf(&s, "selp.u32 %%r29, 1, 0, %%%s;\nst.global.u32 [%%rd22+%d], %%r29;\n", r.name, 8*i)
		} else {
			fmt.Fprintf(&s, "st.global.%s [%%rd22+%d], %%%s;\n", load, 8*i, r.name)
		}
	}
	return s.String() + "ret;\n}\n"
}

// execute runs a test and checks the registers.
func execute(t *testing.T, text string) { executeWith(t, "", text) }

// executeWith is execute with functions that the instructions call.
func executeWith(t *testing.T, functions, text string) {
	parts := strings.Split(text, "|")
	code := strings.TrimSpace(parts[0])
	for len(parts) > 3 { // a|b in the instruction
		code += "|" + strings.TrimSpace(parts[1])
		parts = append(parts[:1], parts[2:]...)
	}
	require.Len(t, parts, 3, text)
	in, out := registersOf(t, parts[1]), registersOf(t, parts[2])
	module := strings.Replace(program(t, code, in, out), ".entry", functions+"\n.entry", 1)
	m, err := readptx.Read("test.ptx", []byte(module))
	require.NoError(t, err, module)
	k, err := m.Kernel("k")
	require.NoError(t, err, text)
	dev := function.New(function.Options{})
	alloc := func(name string, data []byte) device.Buffer {
		b, err := dev.Alloc(name, device.U8, len(data))
		require.NoError(t, err)
		require.NoError(t, dev.Write(b, data))
		return b
	}
	bytes := make([]byte, 8*slots)
	for i, r := range in {
		binary.LittleEndian.PutUint64(bytes[8*i:], r.bits)
	}
	mem := make([]byte, 64)
	for i := range mem {
		mem[i] = byte(i)
	}
	left := alloc("out", make([]byte, 32*8*slots))
	// Without a cluster of one block a copy to shared memory of the cluster is a fault.
	_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 32, Cluster: 1,
		Args: []any{alloc("in", bytes), left, alloc("mem", mem), [2]uint64{0x0706050403020100, 0x0F0E0D0C0B0A0908}}})
	require.NoError(t, err, text)
	got := make([]byte, 32*8*slots)
	require.NoError(t, dev.Read(left, got))
	for i, r := range out {
		for lane := range 32 {
			if r.lane >= 0 && r.lane != lane {
				continue
			}
			v := binary.LittleEndian.Uint64(got[8*(lane*slots+i):])
			if prefix, _, _ := kindOf(t, r.name); prefix == "p" {
				r.bits = min(r.bits, 1)
			}
			if v != r.bits {
				require.Equal(t, fmt.Sprintf("%#x", r.bits), fmt.Sprintf("%#x", v), "%s: %s of lane %d", text, r.name, lane)
			}
		}
	}
}
