package gpu

import (
	"fmt"
	"unsafe"
)

// sendBulk begins a copy of n elements of the running thread to shared memory of a block of the cluster. It reads and lands when a thread of that
// block looks at the mbarrier. Outside of a launch it is done at once.
func sendBulk[T Num](dst, src *T, n uint32, at *uint64) {
	land, over := bulkCopy(dst, src, n, at, "SendBulk")
	if over {
		return
	}
	to, owner := running.ownerOf(unsafe.Pointer(dst)), running.ownerOf(unsafe.Pointer(at))
	switch {
	case to == nil:
		panic(misuse("SendBulk to what is not a variable of Shared or DynamicShared"))
	case !running.b.has(unsafe.Pointer(src)):
		panic(misuse("SendBulk from what is not a variable of Shared or DynamicShared of the block"))
	case to != owner:
		panic(misuse("SendBulk that completes at an mbarrier of another block than that to which it copies"))
	case to.live == 0:
		running.other(uint32(to.index%len(running.b.cluster.blocks)), "SendBulk")
	}
	by := running.begins(aBulkCopy)
	running.b.sends = append(running.b.sends, by)
	p := pendingCopy{land: func() { land(); by.landed = true }, at: at}
	if to != running.b {
		p.by = by
	}
	to.bulk = append(to.bulk, p)
}

// begun is a copy to or from shared memory of another block of the cluster.
type begun struct {
	th     *thread
	what   string // "a copy in bulk"
	at     []Frame
	landed bool
}

// begins returns what the thread begins.
func (th *thread) begins(what string) *begun {
	return &begun{th: th, what: what, at: kernelFrames()}
}

// ends says until when a block must stay.
func (by *begun) ends() string {
	if by.what == aBulkCopy {
		return "the copy has landed"
	}
	return "it has taken effect"
}

// aBulkCopy is what faults call a copy in bulk.
const aBulkCopy = "a copy in bulk"

// outlived returns the fault of a block that has ended while copies may still use its shared memory, of which the other side is another block or
// will be told alone; nil if none may.
func (b *block) outlived() *Fault {
	fault := func(by *begun, does string) *Fault {
		return &Fault{What: "block " + fmt.Sprint(by.th.l.numberOf(b.index)) + " ends while " + by.what + " may still " + does + " its shared memory; it must stay until " + by.ends(),
			At: by.at, Block: by.th.l.numberOf(by.th.b.index), Thread: int(by.th.idx), GridDim: by.th.l.gridDim, BlockDim: by.th.l.blockDim}
	}
	for _, by := range b.sends {
		if !by.landed {
			return fault(by, "read")
		}
	}
	for i := range b.bulk {
		if by := b.bulk[i].by; by != nil {
			return fault(by, "write")
		}
	}
	return nil
}

// beginMulticast begins a copy of n elements of the running thread to several blocks of the cluster. Outside of a launch it is done at once, to dst.
func beginMulticast[T Num](dst, src *T, n uint32, at *uint64, blocks uint16) {
	bytes := bulkSize[T](n, "MulticastBulk")
	if n == 0 {
		return
	}
	_, _ = *src, *dst // a nil pointer is the fault of this line
	multicast("MulticastBulk", blocks, unsafe.Pointer(dst), at, func(to unsafe.Pointer, at *uint64) {
		copy(unsafe.Slice((*T)(to), n), unsafe.Slice(src, n))
		brought(at, bytes)
	})
}

// multicastTensor is beginMulticast of a box of a tensor.
func multicastTensor[T Num](dst *T, m nativeMap[T], x, y, z int32, name string, at *uint64, blocks uint16) {
	box, data, bytes := m.box(x, y, z, name, false), m.data, m.bytes
	_ = *dst // a nil pointer is the fault of this line
	multicast(name, blocks, unsafe.Pointer(dst), at, func(to unsafe.Pointer, at *uint64) {
		landBox(unsafe.Slice((*T)(to), uint64(bytes)/m.Elem), data, &box)
		brought(at, uint64(bytes))
	})
}

// multicast lets a copy land in each of some blocks of the cluster, at the places of dst and at there.
func multicast(name string, blocks uint16, dst unsafe.Pointer, at *uint64, land func(dst unsafe.Pointer, at *uint64)) {
	th := running
	if th == nil {
		land(dst, at)
		return
	}
	if blocks == 0 {
		panic(misuse(name + " to no block: its mask is 0"))
	}
	for rank := range uint32(16) {
		if blocks>>rank&1 == 0 {
			continue
		}
		block := th.other(rank, name)
		p, to := pendingCopy{at: at}, dst
		if block != th.b {
			to, p.at, p.by = th.placeIn(block, dst, name), (*uint64)(th.placeIn(block, unsafe.Pointer(at), name)), th.begins(aBulkCopy)
		}
		p.land = func() { land(to, p.at) }
		block.bulk = append(block.bulk, p)
	}
}

// sendValues lets values of the running thread be combined with those from dst on, in shared memory of a block of the cluster, when a thread of that block
// looks at the mbarrier. Outside of a launch it is done at once.
func sendValues[T Num](dst *T, values []T, name string, at *uint64, combine func(old, v T) T) {
	_ = *dst // a nil pointer is the fault of this line
	bytes := uint64(len(values)) * uint64(sizeOf[T]())
	land := func() {
		to := unsafe.Slice(dst, len(values))
		for i := range to {
			to[i] = combine(to[i], values[i])
		}
		brought(at, bytes)
	}
	if running == nil {
		land()
		return
	}
	to, owner := running.ownerOf(unsafe.Pointer(dst)), running.ownerOf(unsafe.Pointer(at))
	switch {
	case to == nil:
		panic(misuse(name + " to what is not a variable of Shared or DynamicShared"))
	case to != owner:
		panic(misuse(name + " that completes at an mbarrier of another block than that to which it goes"))
	case to.live == 0:
		running.other(uint32(to.index%len(running.b.cluster.blocks)), name)
	}
	p := pendingCopy{land: land, at: at}
	if to != running.b {
		p.by = running.begins(name)
	}
	to.bulk = append(to.bulk, p)
}
