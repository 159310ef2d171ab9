//go:build cgo && linux

package hw_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/hw"
)

// TestVersion checks what version of PTX the driver is told: that of the newest instruction of a module, if its head names an older one.
func TestVersion(t *testing.T) {
	for _, c := range []struct{ version, instruction, want string }{
		{"8.0", "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r1];", "8.6"},
		{"7.8", "mbarrier.arrive.expect_tx.relaxed.cta.shared.b64 %rd1, [%r1], 16;", "8.6"},
		{"8.7", "mbarrier.arrive.relaxed.cta.shared.b64 %rd1, [%r1];", "8.7"},
		{"8.0", "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];", "8.6"},
		{"7.8", "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];", "8.6"},
		{"8.0", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];", "8.0"},
		{"7.8", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};", "8.4"},
		{"8.0", "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};", "8.7"},
		{"8.0", "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};", "8.7"},
		{"8.0", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32;\nst.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.u32;\nmma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16;", "8.7"},
		{"9.0", "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16;", "9.0"},
		{"7.8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32;", "7.8"},
		{"8.0", "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 16;", "8.0"},
	} {
		text := "// a module\n.version " + c.version + "\n.target sm_90\n" + c.instruction
		assert.Equal(t, strings.Replace(text, ".version "+c.version, ".version "+c.want, 1), hw.Versioned(text))
	}
}
