package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/sim/config"
)

// TestRoomForL1 checks that an L1 keeps its lines when others are allocated.
func TestRoomForL1(t *testing.T) {
	cfg := config.L1{Bytes: lineBytes * 8, Ways: 2}
	sms := make([]sm, 2)
	roomForL1(sms, []int32{0}, &cfg)
	one := &sms[0].l1.Data[:1][0]
	require.Nil(t, sms[1].l1.Data)
	roomForL1(sms, []int32{0, 1}, &cfg)
	require.Same(t, one, &sms[0].l1.Data[:1][0])
	require.Equal(t, 16, cap(sms[1].l1.Data), "four sets of a quad")
}
