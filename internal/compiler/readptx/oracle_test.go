package readptx_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// What clang compiles for a GPU, and for this computer.
const (
	onDevice = `#define DEVICE static __attribute__((device))
#include "oracle.h"
extern "C" __attribute__((global)) void k(const u64 *in, u64 *out, int n) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n) compute(in[2 * i], in[2 * i + 1], out + (u64)i * N);
}
`
	onHost = `#define DEVICE static
#include <stdio.h>
#include "oracle.h"
int main() {
  u64 in[2], out[N];
  while (fread(in, 8, 2, stdin) == 2) { compute(in[0], in[1], out); fwrite(out, 8, N, stdout); }
}
`
)

// TestClang compiles functions of C for this computer and, at several levels of optimisation, for a GPU, and compares what they compute.
func TestClang(t *testing.T) {
	clang, err := exec.LookPath("clang++-19")
	if err != nil {
		t.Skip("there is no clang++-19 (Debian's package clang-19), which compiles the functions")
	}
	const (
		pairs   = 1000
		results = 64
	)
	dir := t.TempDir()
	include, err := filepath.Abs("testdata")
	require.NoError(t, err)
	compile := func(file, text string, args ...string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
		cmd := exec.Command(clang, append(args, "-I"+include, "-ffp-contract=off", "-Wno-everything", filepath.Join(dir, file))...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	r := rand.New(rand.NewPCG(1, 2))
	in := make([]byte, 16*pairs)
	for i := range 2 * pairs {
		v := r.Uint64() >> r.IntN(64)
		if r.IntN(2) == 0 {
			v = -v
		}
		binary.LittleEndian.PutUint64(in[8*i:], v)
	}
	compile("host.cpp", onHost, "-O1", "-o", "host")
	host := exec.Command(filepath.Join(dir, "host"))
	host.Stdin = bytes.NewReader(in)
	want, err := host.Output()
	require.NoError(t, err)
	require.Len(t, want, 8*results*pairs)
	for _, level := range []string{"-O0", "-O1", "-O3"} {
		for _, arch := range []string{"sm_50", "sm_80"} {
			compile("k.cu", onDevice, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch="+arch, "-nocudainc", "-nocudalib", level, "-S", "-o", "k.ptx")
			text, err := os.ReadFile(filepath.Join(dir, "k.ptx"))
			require.NoError(t, err)
			m, err := readptx.Read("k.ptx", text)
			require.NoError(t, err)
			k, err := m.Kernel("k")
			require.NoError(t, err, level)
			dev := open(t, "func")
			from, err := dev.Alloc("in", device.U8, len(in))
			require.NoError(t, err)
			require.NoError(t, dev.Write(from, in))
			to, err := dev.Alloc("out", device.U8, len(want))
			require.NoError(t, err)
			_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: (pairs + 127) / 128, Block: 128, Args: []any{from, to, pairs}})
			require.NoError(t, err, level)
			got := make([]byte, len(want))
			require.NoError(t, dev.Read(to, got))
			for i := range results * pairs {
				a, b := binary.LittleEndian.Uint64(want[8*i:]), binary.LittleEndian.Uint64(got[8*i:])
				if a != b {
					x, y := binary.LittleEndian.Uint64(in[16*(i/results):]), binary.LittleEndian.Uint64(in[16*(i/results)+8:])
					t.Fatalf("%s %s: result %d of %#x and %#x is %#x, and %#x on this computer", level, arch, i%results, x, y, b, a)
				}
			}
		}
	}
}
