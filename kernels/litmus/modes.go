package litmus

import "github.com/weft-gpu/weft/gpu"

// Mode is how strong the accesses of a test are. Data is handed over by Put
// and Get, and Signal and Await say that it is there; Between stands between
// two accesses of a thread.
type Mode interface {
	Put(p *uint32, v uint32)
	Get(p *uint32) uint32
	Signal(p *uint32, v uint32)
	Await(p *uint32) uint32
	Between()
}

// Plain uses plain accesses alone.
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

// Fenced is Relaxed with a fence of device scope between.
type Fenced struct{ Relaxed }

// Between is a fence of device scope.
func (Fenced) Between() { gpu.Fence() }

// FencedBlock is RelaxedBlock with a fence of block scope between.
type FencedBlock struct{ RelaxedBlock }

// Between is a fence of block scope.
func (FencedBlock) Between() { gpu.Fence(gpu.BlockScope) }

// SC is Relaxed with a sequentially consistent fence of device scope between.
type SC struct{ Relaxed }

// Between is a sequentially consistent fence of device scope.
func (SC) Between() { gpu.FenceSC() }

// SCBlock is RelaxedBlock with a sequentially consistent fence of block scope between.
type SCBlock struct{ RelaxedBlock }

// Between is a sequentially consistent fence of block scope.
func (SCBlock) Between() { gpu.FenceSC(gpu.BlockScope) }

// SCPlain is Plain with a sequentially consistent fence of device scope between.
type SCPlain struct{ Plain }

// Between is a sequentially consistent fence of device scope.
func (SCPlain) Between() { gpu.FenceSC() }

// SCPlainBlock is Plain with a sequentially consistent fence of block scope between.
type SCPlainBlock struct{ Plain }

// Between is a sequentially consistent fence of block scope.
func (SCPlainBlock) Between() { gpu.FenceSC(gpu.BlockScope) }

// FencedData has plain data, a relaxed signal, and a fence of device scope
// between: how a plain array is handed over.
type FencedData struct{ Relaxed }

// Put is a plain store.
func (FencedData) Put(p *uint32, v uint32) { *p = v }

// Get is a plain load.
func (FencedData) Get(p *uint32) uint32 { return *p }

// Between is a fence of device scope.
func (FencedData) Between() { gpu.Fence() }

// AcqRel has plain data, and signals by release and acquire of device scope.
type AcqRel struct{ Plain }

// Signal is a store with release order.
func (AcqRel) Signal(p *uint32, v uint32) { gpu.StoreRelease(p, v) }

// Await is a load with acquire order.
func (AcqRel) Await(p *uint32) uint32 { return gpu.LoadAcquire(p) }

// AcqRelBlock is AcqRel of block scope.
type AcqRelBlock struct{ Plain }

// Signal is a store with release order of block scope.
func (AcqRelBlock) Signal(p *uint32, v uint32) { gpu.StoreRelease(p, v, gpu.BlockScope) }

// Await is a load with acquire order of block scope.
func (AcqRelBlock) Await(p *uint32) uint32 { return gpu.LoadAcquire(p, gpu.BlockScope) }
