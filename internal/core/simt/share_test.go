package simt

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

// TestShare checks which addresses memory of the host gets, and that other buffers do not take them.
func TestShare(t *testing.T) {
	m := NewMemory(1 << 30)
	m.Track = true
	_, err := m.Share("early", make([]byte, 8))
	assert.EqualError(t, err, "share early: no addresses were reserved for it")
	m.Reserve()
	own, err := m.Alloc("own", device.U8, 4)
	require.NoError(t, err)
	assert.Equal(t, uint64(firstID)<<addrBits, own.Addr)
	data := make([]byte, 100)
	b, err := m.Share("pinned", data)
	require.NoError(t, err)
	assert.Equal(t, device.Buffer{Name: "pinned", Elem: device.U8, Addr: 1 << addrBits, Len: 100, Owner: b.Owner}, b)
	require.NoError(t, m.Write(b.Slice(2, 5), []byte{7, 8, 9}))
	assert.Equal(t, []byte{0, 0, 7, 8, 9, 0}, data[:6])
	a, _ := m.Lookup(b.Addr)
	assert.Nil(t, a.Unwritten(), "all of it counts as written")
	assert.Equal(t, uint64(104), m.Used())
	require.NoError(t, m.Free(b))
	again, err := m.Share("again", data)
	require.NoError(t, err)
	assert.Equal(t, b.Addr, again.Addr)
	for range hostID - 1 {
		_, err = m.Share("many", data)
		require.NoError(t, err)
	}
	_, err = m.Share("one more", data)
	assert.EqualError(t, err, "share one more: there are 84 such buffers already, and no more addresses for another one")
	_, err = NewMemory(10).Share("large", data)
	assert.EqualError(t, err, "share large: out of memory: 100 bytes where 10 of 10 are free")
	m.Close(nil)
	_, err = m.Share("closed", data)
	assert.EqualError(t, err, "share closed: the device is closed")
}
