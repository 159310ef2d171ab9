package langtest

import "github.com/weft-gpu/weft/gpu"

// Index uses all indices of a thread.
func Index(t gpu.Thread, in, out []uint32) {
	w := mine(t, out)
	w.put(0, t.Idx()|t.Block()<<8|t.BlockDim()<<16|t.GridDim()<<24)
	w.put(1, t.Global()|t.Stride()<<16)
	w.put(2, t.Lane()|t.Warp()<<8)
	if t.SM() < 100000 && t.Clock() < 1<<63 && t.GlobalTimer() < 1<<63 {
		t.Sleep(10)
		w.put(3, in[0])
	}
}

// Dimensions uses the indices of a three-dimensional grid and block. Threads
// own parts of out by their linear index over all dimensions.
func Dimensions(t gpu.Thread, in, out []uint32) {
	block := (t.BlockZ()*t.GridDimY()+t.BlockY())*t.GridDim() + t.Block()
	at := block*t.BlockDim()*t.BlockDimY()*t.BlockDimZ() + t.Rank()
	w := words{out, at * Width}
	w.put(0, t.Idx()|t.IdxY()<<8|t.IdxZ()<<16)
	w.put(1, t.Block()|t.BlockY()<<8|t.BlockZ()<<16)
	w.put(2, t.BlockDim()|t.BlockDimY()<<8|t.BlockDimZ()<<16)
	w.put(3, t.GridDim()|t.GridDimY()<<8|t.GridDimZ()<<16)
	w.put(4, t.Global()|t.GlobalY()<<8|t.GlobalZ()<<16|t.Stride()<<24)
	w.put(5, t.Lane()|t.Warp()<<8|t.Rank()<<16)
	for y := t.GlobalY(); y < 40; y += t.GridDimY() * t.BlockDimY() {
		w.put(6, in[y])
	}
}

type counts struct {
	n    uint32
	sum  int64
	mean float32
	seen [4]bool
}

// NamedBarriers passes words from one warp to the other and back, several
// times.
func NamedBarriers(t gpu.Thread, in, out []uint32) {
	w, i := mine(t, out), t.Idx()
	q := gpu.Shared[[32]uint32](t)
	sum := uint32(0)
	for round := range uint32(5) {
		if t.Warp() == 0 {
			q[i] = in[t.Global()] * (round + 1)
			t.ArriveNamed(1, 64)
			t.SyncNamed(2+round%2, t.BlockDim())
		} else {
			t.SyncNamed(1, 64)
			sum += q[i^33]
			t.ArriveNamed(2+round%2, 64)
		}
	}
	t.SyncNamed(15, 64)
	w.put(0, sum)
}

// Shared uses variables of a block, atomics on them, and barriers.
func Shared(t gpu.Thread, in, out []uint32) {
	w, i := mine(t, out), t.Idx()
	x := in[t.Global()]
	q := gpu.Shared[[128]uint32](t)
	c := gpu.Shared[counts](t)
	if i == 0 {
		*c = counts{mean: 1}
	}
	q[i] = x
	t.Sync()
	gpu.AtomicAdd(&c.n, x&7, gpu.BlockScope)
	gpu.AtomicAdd(&c.sum, int64(x), gpu.BlockScope)
	c.seen[x&3] = true
	t.Sync()
	w.put(0, c.n)
	w.put64(1, uint64(c.sum))
	w.put(3, q[t.BlockDim()-1-i])
	s := uint32(0)
	for _, v := range q[:4] {
		s += v
	}
	for k := range c.seen {
		if c.seen[k] {
			s ^= 1 << k
		}
	}
	w.put(4, s)
	n := t.SyncCount(x&1 == 0)
	if t.SyncAnd(x < 1<<31) {
		n += 1000
	}
	if t.SyncOr(x%97 == 0) {
		n += 5000
	}
	w.put(5, n)
}

type pair struct {
	A uint32
	B int64
}

// Dynamic uses dynamic shared memory: its length, views of several types, and
// atomics.
func Dynamic(t gpu.Thread, in, out []uint32) {
	static := gpu.Shared[[3]uint32](t)
	w, i := mine(t, out), t.Idx()
	q := gpu.DynamicShared[uint32](t)
	p := gpu.DynamicSharedAt[pair](t, 256)
	w.put(0, gpu.Len(q)|gpu.Len(p)<<16)
	w.put(1, gpu.Len(gpu.DynamicSharedAt[[3]uint16](t, in[0]&62))|t.DynamicBytes()<<16|gpu.Len(gpu.DynamicSharedAt[uint64](t, 1<<20))<<8)
	q[i] = in[t.Global()]
	p[i] = pair{in[t.Global()] + 1, -int64(i)}
	if i < 3 {
		static[i] = i
	}
	t.Sync()
	gpu.AtomicAdd(&p[(i+1)%t.BlockDim()].A, i, gpu.BlockScope)
	t.Sync()
	w.put(2, q[t.BlockDim()-1-i]+static[i%3])
	w.put(3, p[i].A^uint32(p[(i+5)%t.BlockDim()].B))
	t.Sync()
	f := gpu.DynamicShared[float32](t) // the same bytes as q
	f[i] = float32(i) / 2
	t.Sync()
	w.put(4, q[i^1])
	half := gpu.DynamicSharedAt[uint16](t, 2+in[0]&2)
	w.put(5, uint32(half[2*i]))
}

// Atomics uses all atomic updates, on 32 and 64 bits and on floats.
func Atomics(t gpu.Thread, in, out []uint32, a []uint32, b []int32, c []uint64, d []int64, f []float32, g []float64) {
	w, i := mine(t, out), t.Global()
	x := in[i]
	r := gpu.AtomicAdd(&a[i], x) + gpu.AtomicMin(&a[i], x>>1) + gpu.AtomicMax(&a[i], 77) + gpu.AtomicAnd(&a[i], ^uint32(4)) +
		gpu.AtomicOr(&a[i], x&0xf0) + gpu.AtomicXor(&a[i], 0x101) + gpu.AtomicExch(&a[i], x*3) + gpu.AtomicCAS(&a[i], x*3, 8) + gpu.AtomicCAS(&a[i], 9, 10)
	w.put(0, r+a[i])
	s := gpu.AtomicAdd(&b[i], -5) + gpu.AtomicMin(&b[i], -int32(x)) + gpu.AtomicMax(&b[i], 3) + gpu.AtomicCAS(&b[i], 3, -1)
	w.put(1, uint32(s+b[i]))
	u := gpu.AtomicAdd(&c[i], uint64(x)<<20) + gpu.AtomicMax(&c[i], 1<<40) + gpu.AtomicXor(&c[i], 7) + gpu.AtomicExch(&c[i], uint64(x))
	w.put64(2, u+c[i])
	v := gpu.AtomicMin(&d[i], -int64(x), gpu.SystemScope) + gpu.AtomicOr(&d[i], 1, gpu.BlockScope)
	w.put64(4, uint64(v+d[i]))
	gpu.AtomicAdd(&f[i], float32(x%64))
	gpu.AtomicCAS(&f[i], 0, 2.5)
	gpu.AtomicAdd(&g[i], 0.5)
	h := gpu.AtomicExch(&g[i], 4)
	w.mix(6, gpu.Float32bits(f[i]), uint32(gpu.Float64bits(h)>>32), uint32(gpu.Float64bits(g[i])>>32))
}

// FloatOrder computes minima and maxima of floats in global and shared memory.
func FloatOrder(t gpu.Thread, in, out []uint32, f []float32, g []float64) {
	w, i := mine(t, out), t.Global()
	x, y := in[i], in[i^1]
	q := gpu.Shared[[4]float32](t)
	if t.Idx() < 4 {
		q[t.Idx()] = 0
	}
	t.Sync()
	a, b := gpu.Float32frombits(x), gpu.Float64frombits(uint64(x)<<32|uint64(y))
	w.put(0, gpu.Float32bits(gpu.AtomicMin(&f[i], a)))
	w.put(1, gpu.Float32bits(gpu.AtomicMax(&f[i], gpu.Float32frombits(y), gpu.BlockScope)))
	w.put64(2, gpu.Float64bits(gpu.AtomicMin(&g[i], b, gpu.SystemScope)))
	w.put64(4, gpu.Float64bits(gpu.AtomicMax(&g[i], -b)))
	gpu.AtomicMin(&q[0], float32(int32(x))/7)
	gpu.AtomicMax(&q[1], float32(int32(y))/7)
	gpu.AtomicMin(&q[2], -a)
	gpu.AtomicMax(&q[3], a)
	t.Sync()
	w.mix(6, gpu.Float32bits(f[i]), uint32(gpu.Float64bits(g[i])>>32), gpu.Float32bits(q[0]), gpu.Float32bits(q[1]), gpu.Float32bits(q[2]), gpu.Float32bits(q[3]))
}

// Ordered uses ordered and hinted accesses, fences and vectors.
func Ordered(t gpu.Thread, in, out []uint32, a []uint32, f []float32, d []uint64) {
	w, i := mine(t, out), t.Global()
	x := in[i]
	gpu.Store(&a[i*4], gpu.Load(&a[i*4])+x)
	gpu.Fence()
	gpu.StoreRelease(&a[i*4+1], gpu.LoadAcquire(&a[i*4+1], gpu.SystemScope)^x, gpu.BlockScope)
	gpu.Fence(gpu.BlockScope)
	gpu.FenceSC()
	gpu.FenceSC(gpu.SystemScope)
	gpu.StoreStreaming(&a[i*4+2], gpu.LoadStreaming(&a[i*4+2])*3)
	v := gpu.Load4(a, i*4)
	w.put(0, v[0]+v[1]+v[2]^v[3])
	v[3] = x
	gpu.Store4(a, i*4, v)
	p := gpu.Load2(f, i*2)
	p[0], p[1] = p[1], p[0]+1
	gpu.Store2(f, i*2, p)
	q := gpu.Load2(d, i*2)
	gpu.Store2(d, i*2, [2]uint64{q[1], q[0] + uint64(x)})
	w.put(1, gpu.LoadCached(&a[i*4+3])+gpu.Float32bits(f[i*2])+uint32(d[i*2]))
}

// Warps uses votes, shuffles and matches of whole warps.
func Warps(t gpu.Thread, in, out []uint32) {
	w, x, lane := mine(t, out), in[t.Global()], t.Lane()
	m := t.Ballot(gpu.FullMask, x&1 == 1)
	w.put(0, m)
	f := uint32(0)
	if t.Any(gpu.FullMask, x%31 == 0) {
		f = 1
	}
	if t.All(gpu.FullMask, x > 0) {
		f |= 2
	}
	t.SyncWarp(gpu.FullMask)
	w.put(1, f|t.ActiveMask()>>lane&1<<8)
	s := x
	for d := uint32(16); d > 0; d >>= 1 {
		s += gpu.ShflXor(t, gpu.FullMask, s, d)
	}
	w.put(2, s)
	w.mix(3, gpu.Shfl(t, gpu.FullMask, x, lane*5), gpu.ShflUp(t, gpu.FullMask, x, 3), gpu.ShflDown(t, gpu.FullMask, x, 9))
	w.mix(4, uint32(gpu.Shfl(t, gpu.FullMask, uint64(x)<<13, 7)>>5), gpu.Float32bits(gpu.ShflDown(t, gpu.FullMask, float32(x), 1)),
		uint32(gpu.ShflXor(t, gpu.FullMask, int32(x), 1)), uint32(gpu.Float64bits(gpu.ShflUp(t, gpu.FullMask, float64(x), 2))>>20))
	w.put(5, gpu.Match(t, gpu.FullMask, x%4)^gpu.Match(t, gpu.FullMask, float32(x%3)))
	if lane < 16 { // half a warp
		w.put(6, t.Ballot(0xffff, x&2 == 2)+gpu.Shfl(t, 0xffff, x, lane^1))
	}
}

// Traps panics in a branch that no input takes.
func Traps(t gpu.Thread, in, out []uint32) {
	w, x := mine(t, out), in[t.Global()]
	w.put(0, checked(x))
}

func checked(x uint32) uint32 {
	if x == 0xdeadbeef {
		panic("a value that the input must not have")
	}
	return x / 3
}
