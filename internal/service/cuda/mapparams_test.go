package cuda

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMapsInPlace checks what the driver of a real GPU gets of kernels whose tensor maps clang has copied to local memory.
func TestMapsInPlace(t *testing.T) {
	kernel := func(name, boxes string, words int) string {
		var s strings.Builder
		fmt.Fprintf(&s, ".visible .entry %s(\n\t.param .align 64 .b8 %s_param_0[128],\n\t.param .u64 %s_param_1\n)\n{\n\tadd.u64 \t%%rd3, %%SP, 128;\n\tadd.u64 \t%%rd4, %%SPL, 128;\n\tadd.u64 \t%%rd5, %%SP, 0;\n", name, name, name)
		for i := range words {
			fmt.Fprintf(&s, "\tld.param.u64 \t%%rd%d, [%s_param_0+%d];\n\tst.local.u64 \t[%%rd4+%d], %%rd%d;\n", 10+i, name, 8*i, 8*i, 10+i)
		}
		return s.String() + boxes + "\tret;\n}\n"
	}
	const box = "\tcp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd3, {%r1}], [%r2];\n"
	head := ".version 8.0\n.target sm_90\n.address_size 64\n"
	module := head + kernel("a", box, 16) + kernel("b", "", 16) + kernel("c", box, 15)
	want := head + strings.Replace(kernel("a", box, 16), "add.u64 \t%rd3, %SP, 128;", "mov.b64 \t%rd3, a_param_0;\n\tcvta.param.u64 \t%rd3, %rd3;", 1) + kernel("b", "", 16) + kernel("c", box, 15)
	assert.Equal(t, want, string(mapsInPlace([]byte(module))))
	assert.Equal(t, head, string(mapsInPlace([]byte(head))))
}
