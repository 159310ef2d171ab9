package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// sendsToItself copies in bulk from shared memory to that of the own block, by instructions for clusters. It may say how many blocks a cluster has.
const sendsToItself = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) %s {
	.reg .pred %%p; .reg .b32 %%r<9>; .reg .b64 %%s, %%o;
	.shared .align 16 .b8 words[32];
	.shared .align 8 .b64 full;
	mov.u32 %%r1, words; mov.u32 %%r2, full; add.u32 %%r3, %%r1, 16;
	st.shared.v4.b32 [%%r1], {7, 7, 7, 7};
	mbarrier.init.shared.b64 [%%r2], 1;
	fence.proxy.async;
	mbarrier.arrive.expect_tx.shared.b64 %%s, [%%r2], 16;
	cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%%r3], [%%r1], 16, [%%r2];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %%p, [%%r2], 0;
	@!%%p bra WAIT;
	ld.shared.b32 %%r4, [%%r3];
	ld.param.u64 %%o, [out];
	st.global.b32 [%%o], %%r4;
	ret;
}
`

// TestSendWithoutCluster checks that what an H200 says is an illegal instruction is a fault on func and on simulated machines, of the same text: a copy from
// shared memory to that of a cluster in a launch without one, also to the own block (results/hw/asynchronous). A cluster of one block is one.
func TestSendWithoutCluster(t *testing.T) {
	for _, c := range []struct {
		header  string
		cluster int
		ends    bool
	}{{"", 0, false}, {"", 1, true}, {".reqnctapercluster 1, 1, 1", 0, true}} {
		m, err := readptx.Read("k.ptx", fmt.Appendf(nil, sendsToItself, c.header))
		require.NoError(t, err)
		k, err := m.Kernel("k")
		require.NoError(t, err)
		for _, dev := range []device.Device{function.New(function.Options{}), open(t, "tiny"), open(t, "h200")} {
			out, err := dev.Alloc("out", device.U32, 1)
			require.NoError(t, err)
			_, err = dev.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 1, Block: 1, Cluster: c.cluster, Args: []any{out}})
			if c.ends {
				require.NoError(t, err, "%s: %+v", dev.Name(), c)
				got := make([]uint32, 1)
				require.NoError(t, dev.Read(out, got))
				require.Equal(t, uint32(7), got[0])
				continue
			}
			var f *device.Fault
			require.ErrorAs(t, err, &f, dev.Name())
			require.Equal(t, "a copy in bulk from shared memory to that of a cluster, in a launch without one: a GPU ends it with an illegal instruction, also if the copy is to the thread's own block; launch it with a cluster of at least one block", f.What)
			require.Contains(t, f.Error(), "k.ptx:13")
		}
	}
}
