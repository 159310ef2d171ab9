package compile

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// TestFieldsOfShared checks that the fields of a shared struct are known, those
// of nested structs with dotted names, so that an address in it has a name.
func TestFieldsOfShared(t *testing.T) {
	c := with(t, "q", map[string]string{"q.go": `package q

import "github.com/weft-gpu/weft/gpu"

type head struct {
	n    uint32
	open bool
}

type queue struct {
	items [16]uint64
	head
	sum uint32
}

func K(t gpu.Thread, out []uint32) {
	q := gpu.Shared[queue](t)
	q.n, q.sum, q.items[1] = 1, 2, 3
	t.Sync()
	out[0] = q.n
}
`})
	k := kernel(t, c, "q.K", nil)
	require.Len(t, k.Program.Shared, 1)
	v := &k.Program.Shared[0]
	assert.Equal(t, []ir.Field{
		{Name: "items", Size: 128, ElemSize: 8}, {Name: "head.n", Off: 128, Size: 4, ElemSize: 4},
		{Name: "head.open", Off: 132, Size: 1, ElemSize: 1}, {Name: "sum", Off: 136, Size: 4, ElemSize: 4},
	}, v.Fields)
	assert.Equal(t, "q.items", v.Place(127).Name)
	assert.Equal(t, "q.head.open", v.Place(132).Name)
	assert.Equal(t, "q", v.Place(134).Name, "padding belongs to no field")
}
