//go:build cgo && linux

package hw_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
	"github.com/weft-gpu/weft/internal/compiler/readptx"
)

// places writes where each block is in its cluster, and the sizes of the cluster.
const places = `.version 8.0
.target sm_90
.address_size 64
.visible .entry places(.param .u64 out)
{
	.reg .b32 %r<16>;
	.reg .b64 %d<3>;
	mov.u32 %r0, %ctaid.x;
	mov.u32 %r1, %ctaid.y;
	mov.u32 %r2, %ctaid.z;
	mov.u32 %r3, %nctaid.x;
	mov.u32 %r4, %nctaid.y;
	mad.lo.u32 %r2, %r2, %r4, %r1;
	mad.lo.u32 %r0, %r2, %r3, %r0;
	mov.u32 %r5, %cluster_ctaid.x;
	mov.u32 %r6, %cluster_ctaid.y;
	mov.u32 %r7, %cluster_ctaid.z;
	mov.u32 %r8, %cluster_nctaid.x;
	mov.u32 %r9, %cluster_nctaid.y;
	mov.u32 %r10, %cluster_nctaid.z;
	mad.lo.u32 %r5, %r5, 10, %r6;
	mad.lo.u32 %r5, %r5, 10, %r7;
	mad.lo.u32 %r5, %r5, 100, %r8;
	mad.lo.u32 %r5, %r5, 100, %r9;
	mad.lo.u32 %r5, %r5, 100, %r10;
	ld.param.u64 %d0, [out];
	mul.wide.u32 %d1, %r0, 4;
	add.s64 %d0, %d0, %d1;
	st.global.u32 [%d0], %r5;
	ret;
}
`

// TestClusterSizes checks that the driver gets clusters as a launch has them along x, y and z, or none of a kernel whose text has them, also where they
// are larger than every GPU allows.
func TestClusterSizes(t *testing.T) {
	d := openWhole(t, 1, hw.Options{}).GPU(0)
	for _, c := range []struct {
		cluster  [3]int
		required string
	}{
		{[3]int{2, 1, 1}, ""}, {[3]int{1, 3, 1}, ""}, {[3]int{0, 0, 2}, ""}, {[3]int{2, 3, 2}, ""}, {[3]int{4, 2, 2}, ""}, {[3]int{1, 2, 4}, ".reqnctapercluster 1, 2, 4"},
	} {
		text := places
		if c.required != "" {
			text = strings.Replace(places, "out)\n", "out)\n"+c.required+"\n", 1)
		}
		m, err := readptx.Read("places.ptx", []byte(text))
		require.NoError(t, err)
		k, err := m.Kernel("places")
		require.NoError(t, err)
		grid := [3]int{4, 6, 4}
		n := grid[0] * grid[1] * grid[2]
		out := alloc(t, d, "out", make([]uint32, n))
		_, err = d.Launch(t.Context(), device.Launch{Kernel: k.ForHost(), Grid: grid[0], GridY: grid[1], GridZ: grid[2], Block: 1, Cluster: c.cluster[0], ClusterY: c.cluster[1], ClusterZ: c.cluster[2], Args: []any{out}})
		require.NoError(t, err, "%v", c)
		got := make([]uint32, n)
		require.NoError(t, d.Read(out, got))
		x, y, z := max(c.cluster[0], 1), max(c.cluster[1], 1), max(c.cluster[2], 1)
		for i := range n {
			want := i%grid[0]%x*100 + i/grid[0]%grid[1]%y*10 + i/grid[0]/grid[1]%z
			require.Equal(t, uint32(((want*100+x)*100+y)*100+z), got[i], "%v, block %d", c, i)
		}
		require.NoError(t, d.Free(out))
	}
}

// TestClustersOfText checks that a kernel in Go is built for the clusters of a launch, once for each size.
func TestClustersOfText(t *testing.T) {
	d := openWhole(t, 1, hw.Options{}).GPU(0)
	out := alloc(t, d, "out", make([]uint32, 3*48))
	k := kernel(t, "ClusterDims")
	for _, c := range [][3]int{{2, 1, 1}, {1, 2, 1}, {2, 3, 2}, {1, 2, 1}} {
		_, err := d.Launch(t.Context(), device.Launch{Kernel: k, Grid: 4, GridY: 6, GridZ: 2, Block: 32, Cluster: c[0], ClusterY: c[1], ClusterZ: c[2], Args: []any{out}})
		require.NoError(t, err)
	}
	assert.Equal(t, 3, hw.Built(d.(*hw.Device), "testkernels.ClusterDims"))
}
