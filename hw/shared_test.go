package hw

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSharedFree has the limits of an H200: 228 KiB per SM, of which a block can have 227, with 1 KiB of reserve.
func TestSharedFree(t *testing.T) {
	h200 := Info{SharedPerSM: 233472, SharedPerBlock: 232448, ReservedShared: 1024}
	require.Equal(t, 232448, sharedFree(h200, 1, 0))
	require.Equal(t, 232448/2-512-4096, sharedFree(h200, 2, 4096), "what the kernel uses is not free")
	require.Equal(t, 11776, sharedFree(h200, 18, 0), "12,970 for each block, rounded down to a multiple of 256, less the reserve")
	require.Zero(t, sharedFree(h200, 2, 120<<10), "the kernel uses more than its share")
	require.Zero(t, sharedFree(h200, 0, 0), "no block fits")
}
