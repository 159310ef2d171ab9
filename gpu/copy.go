package gpu

// CopyAsync begins an asynchronous copy of *src, in global memory, to *dst, in shared memory of the block: PTX cp.async. It does
// not wait for the data, and takes no register for it. T is a type of 4, 8 or 16 bytes without pointers: a number, or an array or
// struct of numbers of 4 or 8 bytes. Both addresses must be multiples of its size.
//
// Until the copy has landed, no thread may access *dst, nor write *src: what it would read, or what would be copied, is undefined.
// A thread knows that its own copies have landed from [Thread.WaitCopies] or [Thread.WaitAllCopies], and other threads of the block
// from a barrier behind that, or from a phase of an [MBarrier] that waits for the copies ([MBarrier.ArriveCopied],
// [MBarrier.TrackCopies]). Copies have no order among each other, and fences do not wait for them.
//
// In plain Go, and on device func, a copy lands as late as it may, so that a kernel which does not wait for it reads what was there
// before. GPUs have it since compute capability 8.0. A copy of 16 bytes passes the L1 by (cp.async.cg), others do not (cp.async.ca).
func CopyAsync[T any](dst, src *T) { beginCopy(dst, src) }

// CommitCopies makes the copies that the thread has begun since the last call a group (PTX cp.async.commit_group). The group may
// be empty.
func (t Thread) CommitCopies() { t.x.commitCopies() }

// WaitCopies waits until at most pending of the latest groups of the thread have copies that have not landed (PTX
// cp.async.wait_group): 0 waits for all groups. It does not wait for copies that belong to no group yet. pending must be a constant.
func (t Thread) WaitCopies(pending uint32) { t.x.waitCopies(pending) }

// WaitAllCopies is CommitCopies and then WaitCopies(0): it waits for all copies of the thread (PTX cp.async.wait_all).
func (t Thread) WaitAllCopies() {
	t.x.commitCopies()
	t.x.waitCopies(0)
}

// CopyBulk begins an asynchronous copy of n elements from src on, in global memory, to dst on, in shared memory of the block: PTX
// cp.async.bulk. One thread begins it for all. When it has landed, its bytes count as brought at b, of which a thread has expected as
// many ([MBarrier.Expect], [MBarrier.ArriveExpect]); threads that have waited for the phase see the data. The addresses, and the number of
// bytes, must be multiples of 16. What holds of [CopyAsync] until a copy has landed holds of this one. GPUs have it since compute
// capability 9.0.
func CopyBulk[T Num](dst, src *T, n uint32, b *MBarrier) { beginBulk(dst, src, n, &b.state) }

// SendBulk begins an asynchronous copy of n elements from src on, in shared memory of the block, to dst on, in shared memory of a block of
// its cluster: PTX cp.async.bulk.shared::cluster.shared::cta. dst and b are of one block, which [MapShared] names for both, or the block's own. One
// thread begins the copy for all. When it has landed, its bytes count as brought at b, of which a thread has expected as many: a thread of
// either block, by [MBarrier.ArriveExpect] or [MBarrier.Expect]. Threads of the block of b that have waited for the phase see the data. The
// addresses, and the number of bytes, must be multiples of 16. GPUs have it since compute capability 9.0.
//
// It reads shared memory as [StoreBulk] does, which sees what threads have stored there only behind [Thread.FenceAsync]. It belongs to no group:
// that it has read its source, and has landed, is known from the phase of b alone. Until then nobody may write the source nor access the
// destination, and neither block may end.
//
// In plain Go, and on device func, a copy reads and lands as late as it may.
func SendBulk[T Num](dst, src *T, n uint32, b *MBarrier) { sendBulk(dst, src, n, &b.state) }

// MulticastBulk is [CopyBulk] to several blocks of the cluster at once: PTX cp.async.bulk with .multicast::cluster. Bit i of blocks is set if the
// block with rank i takes part. What is copied comes to the place of *dst in the shared memory of each of these blocks, and the bytes count as brought at
// the mbarrier at the place of *b of each; dst and b are pointers of the block's own, which need not be one of them. The source is read once.
//
// Each of these blocks expects the bytes at its own mbarrier, and must not end before they have come.
func MulticastBulk[T Num](dst, src *T, n uint32, b *MBarrier, blocks uint16) {
	beginMulticast(dst, src, n, &b.state, blocks)
}

// StoreBulk begins an asynchronous copy of n elements from src on, in shared memory of the block, to dst on, in global memory: PTX
// cp.async.bulk. One thread begins it for all. It belongs to the next group that the thread makes by [Thread.CommitBulk]. The addresses,
// and the number of bytes, must be multiples of 16. GPUs have it since compute capability 9.0.
//
// It reads shared memory as copies in bulk do, which see what threads have stored there only behind [Thread.FenceAsync]: each thread
// that has stored to the source calls that, then comes a barrier, and then the copy. Until the thread has waited by
// [Thread.WaitBulkRead] or [Thread.WaitBulk], nobody may write the source, and the block must not end. Until it has waited by
// [Thread.WaitBulk], no thread of the block may access the destination, which is written by the end of the kernel also if no thread
// waits for that.
//
// In plain Go, and on device func, a copy reads and writes as late as it may.
func StoreBulk[T Num](dst, src *T, n uint32) { beginStore(dst, src, n, "StoreBulk", keepNew[T]) }

// AddBulk adds n elements from src on, in shared memory of the block, to those from dst on, in global memory: PTX
// cp.reduce.async.bulk. What holds of [StoreBulk] holds of this. Each element is updated as by [AtomicAdd] at device scope: several
// reductions, of one block or of many, may update the same elements at a time.
func AddBulk[T Num](dst, src *T, n uint32) {
	beginStore(dst, src, n, "AddBulk", func(old, v T) T { return old + v })
}

// MinBulk is [AddBulk] that keeps the smaller one of both numbers.
func MinBulk[T Int](dst, src *T, n uint32) {
	beginStore(dst, src, n, "MinBulk", func(old, v T) T { return min(old, v) })
}

// MaxBulk is [AddBulk] that keeps the larger one of both numbers.
func MaxBulk[T Int](dst, src *T, n uint32) {
	beginStore(dst, src, n, "MaxBulk", func(old, v T) T { return max(old, v) })
}

// AndBulk is [AddBulk] that keeps the bits that are set in both numbers.
func AndBulk[T Int](dst, src *T, n uint32) {
	beginStore(dst, src, n, "AndBulk", func(old, v T) T { return old & v })
}

// OrBulk is [AddBulk] that sets the bits that are set in the number of the source.
func OrBulk[T Int](dst, src *T, n uint32) {
	beginStore(dst, src, n, "OrBulk", func(old, v T) T { return old | v })
}

// XorBulk is [AddBulk] that changes the bits that are set in the number of the source.
func XorBulk[T Int](dst, src *T, n uint32) {
	beginStore(dst, src, n, "XorBulk", func(old, v T) T { return old ^ v })
}

// CommitBulk makes the copies in bulk to global memory that the thread has begun since the last call a group (PTX
// cp.async.bulk.commit_group), which may be empty. These groups are not those of [Thread.CommitCopies].
func (t Thread) CommitBulk() { t.x.commitBulk() }

// WaitBulk waits until at most pending of the latest groups of the thread are not complete (PTX cp.async.bulk.wait_group): 0 waits for
// all. The thread then sees what the copies of the others have written. pending must be a constant.
func (t Thread) WaitBulk(pending uint32) { t.x.waitBulk(pending, false) }

// WaitBulkRead is [Thread.WaitBulk] that waits for less (PTX cp.async.bulk.wait_group.read): the copies have read their sources, which
// may be written again.
func (t Thread) WaitBulkRead(pending uint32) { t.x.waitBulk(pending, true) }

// FenceAsync lets copies in bulk see what the thread has stored to shared memory before, and what others have stored of which it knows
// (PTX fence.proxy.async.shared::cta).
func (t Thread) FenceAsync() { t.x.fenceAsync() }
