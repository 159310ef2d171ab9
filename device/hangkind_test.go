package device_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
)

func TestHangKind(t *testing.T) {
	for kind, want := range map[device.HangKind]struct{ name, text string }{
		device.Hang:     {"hang", "kernel k hangs: w"},
		device.Livelock: {"livelock", "kernel k livelocks: w"},
		device.Starved:  {"starved", "kernel k starves threads: w"},
		device.Stuck:    {"stuck", "kernel k is stuck: w"},
	} {
		h := &device.HangError{Kernel: "k", Kind: kind, What: "w"}
		assert.Equal(t, want.name, kind.String())
		assert.EqualError(t, h, want.text)
		doc, err := json.Marshal(h)
		require.NoError(t, err)
		assert.Contains(t, string(doc), `"Kind":"`+want.name+`"`)
		back := new(device.HangError)
		require.NoError(t, json.Unmarshal(doc, back))
		assert.Equal(t, h, back)
	}
	_, err := json.Marshal(&device.HangError{Kind: 9})
	assert.ErrorContains(t, err, "there is no hang kind 9")
	assert.EqualError(t, new(device.HangKind).UnmarshalText([]byte("late")), `there is no hang kind "late"; there are hang, livelock, starved, stuck`)
	assert.Equal(t, "hang kind 9", device.HangKind(9).String())
	assert.EqualError(t, &device.HangError{Kernel: "k", Kind: 9, What: "w"}, "kernel k hangs: w")
}
