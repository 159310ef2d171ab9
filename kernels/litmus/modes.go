package litmus

import "github.com/weft-gpu/weft/gpu"

// Mode is the strength of the accesses of a test. Put and Get access the data; Signal and
// Await access the flag that announces it; Between separates the two accesses of a thread.
type Mode interface {
	Put(p *uint32, v uint32)
	Get(p *uint32) uint32
	Signal(p *uint32, v uint32)
	Await(p *uint32) uint32
	Between()
}

// Plain uses plain accesses only.
type Plain struct{}

// Put is a plain store.
func (Plain) Put(p *uint32, v uint32) { *p = v }

// Get is a plain load.
func (Plain) Get(p *uint32) uint32 { return *p }

// Signal is a plain store.
func (Plain) Signal(p *uint32, v uint32) { *p = v }

// Await is a plain load.
func (Plain) Await(p *uint32) uint32 { return *p }

// Between does nothing.
func (Plain) Between() {}

// Relaxed uses relaxed accesses of device scope.
type Relaxed struct{}

// Put is a relaxed store.
func (Relaxed) Put(p *uint32, v uint32) { gpu.Store(p, v) }

// Get is a relaxed load.
func (Relaxed) Get(p *uint32) uint32 { return gpu.Load(p) }

// Signal is a relaxed store.
func (Relaxed) Signal(p *uint32, v uint32) { gpu.Store(p, v) }

// Await is a relaxed load.
func (Relaxed) Await(p *uint32) uint32 { return gpu.Load(p) }

// Between does nothing.
func (Relaxed) Between() {}

// RelaxedBlock uses relaxed accesses of block scope.
type RelaxedBlock struct{}

// Put is a relaxed store of block scope.
func (RelaxedBlock) Put(p *uint32, v uint32) { gpu.Store(p, v, gpu.BlockScope) }

// Get is a relaxed load of block scope.
func (RelaxedBlock) Get(p *uint32) uint32 { return gpu.Load(p, gpu.BlockScope) }

// Signal is a relaxed store of block scope.
func (RelaxedBlock) Signal(p *uint32, v uint32) { gpu.Store(p, v, gpu.BlockScope) }

// Await is a relaxed load of block scope.
func (RelaxedBlock) Await(p *uint32) uint32 { return gpu.Load(p, gpu.BlockScope) }

// Between does nothing.
func (RelaxedBlock) Between() {}

// Fenced is Relaxed with a device-scope fence between the accesses.
type Fenced struct{ Relaxed }

// Between is a device-scope fence.
func (Fenced) Between() { gpu.Fence() }

// FencedBlock is RelaxedBlock with a block-scope fence between the accesses.
type FencedBlock struct{ RelaxedBlock }

// Between is a block-scope fence.
func (FencedBlock) Between() { gpu.Fence(gpu.BlockScope) }

// SC is Relaxed with a sequentially consistent device-scope fence between the accesses.
type SC struct{ Relaxed }

// Between is a sequentially consistent device-scope fence.
func (SC) Between() { gpu.FenceSC() }

// SCBlock is RelaxedBlock with a sequentially consistent block-scope fence between the
// accesses.
type SCBlock struct{ RelaxedBlock }

// Between is a sequentially consistent block-scope fence.
func (SCBlock) Between() { gpu.FenceSC(gpu.BlockScope) }

// SCPlain is Plain with a sequentially consistent device-scope fence between the accesses.
type SCPlain struct{ Plain }

// Between is a sequentially consistent device-scope fence.
func (SCPlain) Between() { gpu.FenceSC() }

// SCPlainBlock is Plain with a sequentially consistent block-scope fence between the
// accesses.
type SCPlainBlock struct{ Plain }

// Between is a sequentially consistent block-scope fence.
func (SCPlainBlock) Between() { gpu.FenceSC(gpu.BlockScope) }

// FencedData has plain data, a relaxed flag, and a device-scope fence between the accesses:
// the usual way to hand over a plain array.
type FencedData struct{ Relaxed }

// Put is a plain store.
func (FencedData) Put(p *uint32, v uint32) { *p = v }

// Get is a plain load.
func (FencedData) Get(p *uint32) uint32 { return *p }

// Between is a device-scope fence.
func (FencedData) Between() { gpu.Fence() }

// AcqRel has plain data, and a flag that is stored with release order and loaded with
// acquire order, both of device scope.
type AcqRel struct{ Plain }

// Signal is a store with release order.
func (AcqRel) Signal(p *uint32, v uint32) { gpu.StoreRelease(p, v) }

// Await is a load with acquire order.
func (AcqRel) Await(p *uint32) uint32 { return gpu.LoadAcquire(p) }

// AcqRelBlock is AcqRel with block scope.
type AcqRelBlock struct{ Plain }

// Signal is a store with release order of block scope.
func (AcqRelBlock) Signal(p *uint32, v uint32) { gpu.StoreRelease(p, v, gpu.BlockScope) }

// Await is a load with acquire order of block scope.
func (AcqRelBlock) Await(p *uint32) uint32 { return gpu.LoadAcquire(p, gpu.BlockScope) }
