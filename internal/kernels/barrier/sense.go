package barrier

import "github.com/weft-gpu/weft/gpu"

// Sense is the sense-reversing centralized barrier (Mellor-Crummey and Scott, "Algorithms for
// Scalable Synchronization on Shared-Memory Multiprocessors", ACM TOCS 1991, algorithm 7): the
// last block to arrive resets the counter and reverses a flag, on which the others wait. So
// words stay small, however many rounds there are.
type Sense struct{}

// The words of Sense.
const (
	senseCount = iota
	senseFlag
)

// Wait waits for all blocks.
func (s Sense) Wait(t gpu.Thread, words []uint32, round uint32) {
	s.among(t, words, t.GridDim(), round)
}

// among waits for some blocks of the grid.
func (Sense) among(t gpu.Thread, words []uint32, blocks, round uint32) {
	t.Sync()
	if t.Idx() == 0 {
		gpu.Fence()
		if gpu.AtomicAdd(&words[senseCount], 1) == blocks-1 {
			gpu.Store(&words[senseCount], 0)
			gpu.StoreRelease(&words[senseFlag], round%2)
		} else {
			await(&words[senseFlag], round%2)
		}
		gpu.Fence()
	}
	t.Sync()
}
