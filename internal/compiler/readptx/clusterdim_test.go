package readptx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
	"github.com/weft-gpu/weft/internal/function"
)

// TestRequiredClusters launches kernels that are for clusters of a size along several dimensions.
func TestRequiredClusters(t *testing.T) {
	for _, c := range []struct {
		requires string
		y, z     int
		want     string
	}{
		{"1, 2, 1", 2, 0, ""}, {"1, 2", 0, 0, "a cluster of 1x1x1 blocks; the kernel is for clusters of 1x2x1 (.reqnctapercluster)"},
		{"2, 1, 1", 2, 0, "a cluster of 1x2x1 blocks; the kernel is for clusters of 2x1x1 (.reqnctapercluster)"}, {"2", 0, 0, "a cluster of 1 blocks; the kernel is for clusters of 2 (.reqnctapercluster)"},
		{"1, 1, 2", 0, 2, ""},
	} {
		m, err := readptx.Read("k.ptx", []byte(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) .reqnctapercluster "+c.requires+`
{
	.reg .b32 %r<4>; .reg .b64 %rd<3>;
	mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z;
	mad.lo.u32 %r0, %r1, 2, %r0; mad.lo.u32 %r0, %r2, 8, %r0;
	ld.param.u64 %rd0, [out]; mad.wide.u32 %rd1, %r0, 4, %rd0;
	mov.u32 %r3, %cluster_ctarank; st.global.u32 [%rd1], %r3;
	ret;
}
`))
		require.NoError(t, err)
		k, err := m.Kernel("k")
		require.NoError(t, err)
		d := function.New(function.Options{})
		out, err := d.Alloc("out", device.U32, 32)
		require.NoError(t, err)
		_, err = d.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: 2, GridY: 4, GridZ: 4, Block: 1, ClusterY: c.y, ClusterZ: c.z, Args: []any{out}})
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err)
		got := make([]uint32, 32)
		require.NoError(t, d.Read(out, got))
		for i, rank := range got {
			require.EqualValues(t, i/2%max(c.y, 1)+i/8%max(c.z, 1), rank)
		}
	}
}
