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
