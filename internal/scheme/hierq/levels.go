package hierq

// Levels is the depth of the hierarchy: the levels from the global queue up that exist.
type Levels interface {
	// Depth returns 1, 2 or 3. It must return a constant.
	Depth() uint32
	// Straight reports whether the warp queues go to the global queue at the end of a block, and
	// not by way of the block queue. It must return a constant.
	Straight() bool
}

// GlobalLevel has the global queue alone: every vertex costs an atomic on its counter, on
// which the atomics of all blocks serialize (slide "Global Queue is Too Slow").
type GlobalLevel struct{}

// Depth returns 1.
func (GlobalLevel) Depth() uint32 { return onlyGlobal }

// Straight returns false.
func (GlobalLevel) Straight() bool { return false }

// BlockLevel adds a queue in the shared memory of each block.
type BlockLevel struct{}

// Depth returns 2.
func (BlockLevel) Depth() uint32 { return withBlock }

// Straight returns false.
func (BlockLevel) Straight() bool { return false }

// WarpLevel adds the warp queues before the block queue.
type WarpLevel struct{}

// Depth returns 3.
func (WarpLevel) Depth() uint32 { return withWarps }

// Straight returns false.
func (WarpLevel) Straight() bool { return false }

// StraightLevel is WarpLevel with warp queues that go straight to the global queue (slide
// "Thoughts on the Details").
type StraightLevel struct{ WarpLevel }

// Straight returns true.
func (StraightLevel) Straight() bool { return true }

// The depths.
const (
	onlyGlobal = 1
	withBlock  = 2
	withWarps  = 3
)
