package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/testing/devicetest"
	"github.com/weft-gpu/weft/sim"
	"github.com/weft-gpu/weft/sim/config"
)

// TestCapability launches kernels with mbarriers on machines that lack them or a part of them. What each GPU has is said in the
// sections "Target ISA Notes" of the PTX ISA.
func TestCapability(t *testing.T) {
	kernels, err := devicetest.Kernels()
	require.NoError(t, err)
	for _, c := range []struct{ machine, kernel, want string }{
		{"k40", "HandOver", "mbarrier.init needs compute capability 8.0; k40 has 3.5"},
		{"v100", "HandOver", "mbarrier.init needs compute capability 8.0; v100 has 7.0"},
		{"a100", "HandOver", "mbarrier.try_wait.parity needs compute capability 9.0; a100 has 8.0"},
		{"a100", "ByTest", ""}, {"tiny", "HandOver", ""}, {"h100", "HandOver", ""}, {"v100", "Pipeline", ""},
	} {
		cfg, err := config.Load(c.machine)
		require.NoError(t, err)
		d, err := sim.New(cfg, sim.Options{})
		require.NoError(t, err)
		k, err := kernels.Kernel(t.Context(), "testkernels."+c.kernel, nil)
		require.NoError(t, err)
		out, err := d.Alloc("out", device.U32, 64)
		require.NoError(t, err)
		_, err = d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 1, Block: 64, Args: []any{uint32(3), out}})
		if c.want == "" {
			require.NoError(t, err, "%s on %s", c.kernel, c.machine)
		} else {
			var refused *device.ArgError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.want, refused.What)
		}
		require.NoError(t, d.Close())
	}
}

// TestCapabilityOfFragments launches kernels of PTX that multiply by wmma (PTX ISA, "Target ISA Notes" of wmma.load, wmma.store and wmma.mma): in f16 it
// is of 7.0, in 8-bit integers of 7.2, and in other types of 8.0, also for what becomes instructions that mma.sync has from 8.0 on.
func TestCapabilityOfFragments(t *testing.T) {
	const head = ".version 7.8\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p)\n{\n.reg .b32 %r<20>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b64 %a<9>;\n.shared .align 32 .b8 sh[512];\nld.param.u64 %a1, [p];\n"
	const load = "wmma.load.a.sync.aligned.col.m16n16k16.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%a1], 16;\n" +
		"wmma.load.b.sync.aligned.col.m16n16k16.f16 {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, [%a1], 16;\n"
	const eight = "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}"
	const multiply = "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " + eight + ", {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, {%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}, " + eight + ";\n"
	const bf16 = "wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 " + eight + ", {%r0, %r1, %r2, %r3}, {%r8, %r9, %r10, %r11}, " + eight + ";\n"
	const store = "wmma.store.d.sync.aligned.row.m16n16k16.f32 [%a1], " + eight + ", 16;\n"
	for _, c := range []struct{ machine, code, want string }{
		{"v100", load + multiply + store, ""},
		{"v100", "wmma.load.c.sync.aligned.col.m16n16k16.shared.f16 {%r0, %r1, %r2, %r3}, [sh], 16;\nwmma.store.d.sync.aligned.col.m16n16k16.f16 [%a1], {%r0, %r1, %r2, %r3}, 16;\n", ""},
		{"k40", load + multiply + store, "wmma.load.a.sync.aligned.m16n16k16.f16 needs compute capability 7.0; k40 has 3.5"},
		{"p100", multiply + store, "wmma.mma.sync.aligned of f16 needs compute capability 7.0; p100 has 6.0"},
		{"p100", store, "wmma.store.d.sync.aligned.m16n16k16.f32 needs compute capability 7.0; p100 has 6.0"},
		{"v100", "wmma.load.a.sync.aligned.row.m16n16k16.s8 {%r0, %r1}, [%a1], 16;\n", "wmma.load.a.sync.aligned.m16n16k16.s8 needs compute capability 7.2; v100 has 7.0"},
		{"v100", "wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%r0, %r1, %r2, %r3}, [%a1], 16;\n", "wmma.load.a.sync.aligned.m16n16k16.bf16 needs compute capability 8.0; v100 has 7.0"},
		{"v100", "wmma.load.c.sync.aligned.row.m16n16k8.f32 " + eight + ", [%a1], 16;\n", "wmma.load.c.sync.aligned.m16n16k8.f32 needs compute capability 8.0; v100 has 7.0"},
		{"v100", "wmma.load.a.sync.aligned.row.m8n8k4.f64 {%d0}, [%a1], 4;\n", "wmma.load.a.sync.aligned.m8n8k4.f64 needs compute capability 8.0; v100 has 7.0"},
		{"v100", bf16 + store, "wmma.mma.sync.aligned of bf16 needs compute capability 8.0; v100 has 7.0"},
		{"a100", bf16 + store, ""},
	} {
		cfg, err := config.Load(c.machine)
		require.NoError(t, err)
		d, err := sim.New(cfg, sim.Options{})
		require.NoError(t, err)
		m, err := readptx.Read("k.ptx", []byte(head+c.code+"ret;\n}\n"))
		require.NoError(t, err)
		k, err := m.Kernel("k")
		require.NoError(t, err, c.code)
		p, err := d.Alloc("p", device.U8, 2048)
		require.NoError(t, err)
		_, err = d.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 32, Args: []any{p}})
		if c.want == "" {
			require.NoError(t, err, "%s on %s", c.code, c.machine)
		} else {
			var refused *device.ArgError
			require.ErrorAs(t, err, &refused, c.code)
			assert.Equal(t, c.want, refused.What)
		}
		require.NoError(t, d.Close())
	}
}
