package compile

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/weft-gpu/weft/internal/base/floats"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// icall is a call of a gpu function.
type icall struct {
	*lowerer
	name     string // "gpu.AtomicAdd", "Thread.Sync"
	fn       *ssa.Function
	in       *ssa.Call
	at       token.Pos
	args     [][]leaf // without the receiver
	receiver []leaf   // of a method
	result   []leafType
}

// intrinsics maps the functions and methods of package gpu to their lowering:
// those that are a single op or special value, from their rows in the op table,
// and the ones listed here.
var intrinsics map[string]func(c *icall) []leaf

func init() {
	intrinsics = map[string]func(c *icall) []leaf{
		"Thread.Global":  globalAlong(ir.CTAID, ir.NTID, ir.TID),
		"Thread.GlobalY": globalAlong(ir.CTAIDY, ir.NTIDY, ir.TIDY),
		"Thread.GlobalZ": globalAlong(ir.CTAIDZ, ir.NTIDZ, ir.TIDZ),
		"Thread.Rank":    func(c *icall) []leaf { return c.one(c.rank()) },
		"Thread.Stride":  stride,
		"Thread.Warp":    warp,

		"Thread.SyncNamed":   named(ir.OpBarSync),
		"Thread.ArriveNamed": named(ir.OpBarArrive),

		"Thread.LaunchRegisters": launchRegisters,
		"Thread.GiveRegisters":   setRegisters(ir.OpRegistersGive),
		"Thread.TakeRegisters":   setRegisters(ir.OpRegistersTake),

		"Thread.Cluster": func(c *icall) []leaf {
			return c.one(c.pure(ir.OpDiv, ir.U32, ir.Void, c.special(ir.CTAID), c.special(ir.ClusterSizeX)))
		},
		"Thread.SyncCluster":   func(c *icall) []leaf { return append(arriveCluster(c), c.atCluster(ir.OpClusterWait)...) },
		"Thread.ArriveCluster": arriveCluster,
		"Thread.WaitCluster":   func(c *icall) []leaf { return c.atCluster(ir.OpClusterWait) },
		"MapShared":            mapShared,
		"CopyAsync":            copyAsync,
		"CopyBulk":             copyBulk,
		"SendBulk":             sendBulk,
		"StoreAsync2":          func(c *icall) []leaf { return c.sendValues(ir.OpSendStore) },
		"StoreAsync4":          func(c *icall) []leaf { return c.sendValues(ir.OpSendStore) },
		"MulticastBulk":        multicastBulk,
		"MulticastTensor1":     multicastTensor(ir.OpTensorMulticast1),
		"MulticastTensor2":     multicastTensor(ir.OpTensorMulticast2),
		"MulticastTensor3":     multicastTensor(ir.OpTensorMulticast3),
		"CopyTensor1":          copyTensor(ir.OpTensorCopy1),
		"CopyTensor2":          copyTensor(ir.OpTensorCopy2),
		"CopyTensor3":          copyTensor(ir.OpTensorCopy3),
		"StoreTensor1":         storeTensor(ir.OpTensorStore1),
		"StoreTensor2":         storeTensor(ir.OpTensorStore2),
		"StoreTensor3":         storeTensor(ir.OpTensorStore3),
		"Thread.WaitCopies":    waitGroups(ir.OpCopyWait),
		"Thread.WaitBulk":      waitGroups(ir.OpBulkWait),
		"Thread.WaitBulkRead":  waitGroups(ir.OpBulkWaitRead),
		"Thread.WaitAllCopies": waitAllCopies,

		"Shared":          shared,
		"DynamicShared":   dynamicShared,
		"DynamicSharedAt": dynamicShared,
		"Len":             length,

		"Load":           orderedLoad(ir.Relaxed),
		"LoadAcquire":    orderedLoad(ir.Acquire),
		"Store":          orderedStore(ir.Relaxed),
		"StoreRelease":   orderedStore(ir.Release),
		"Fence":          fence(ir.AcqRel),
		"FenceSC":        fence(ir.SeqCst),
		"LoadStreaming":  hintedLoad(ir.CacheStreaming),
		"LoadCached":     hintedLoad(ir.CacheAll),
		"StoreStreaming": hintedStore(ir.CacheStreaming),
		"Load2":          vectorLoad(2),
		"Load4":          vectorLoad(4),
		"Store2":         vectorStore(2),
		"Store4":         vectorStore(4),

		"signed32":   first,
		"unsigned32": first,
		"signed64":   first,
		"unsigned64": first,

		"TrailingZeros":   trailingZeros,
		"RotateLeft":      rotateLeft,
		"Saturate":        saturate,
		"Float32bits":     bitcast,
		"Float32frombits": bitcast,
		"Float64bits":     bitcast,
		"Float64frombits": bitcast,

		"ToF16":   convertTo(ir.NumberSingle, ir.NumberHalf, floats.NearestEven),
		"FromF16": convertTo(ir.NumberHalf, ir.NumberSingle, floats.NearestEven),
		"ToBF16":  convertTo(ir.NumberSingle, ir.NumberBFloat, floats.NearestEven),
		"ToTF32":  convertTo(ir.NumberSingle, ir.NumberTF32, floats.NearestAway),

		"PackF16":  packAs(ir.NumberHalf),
		"PackBF16": packAs(ir.NumberBFloat),
	}
	maps.Copy(intrinsics, sumsIntrinsics())
	for m := range ir.MMA(ir.NumMMAs) {
		if name := m.Variant().Func; name != "" {
			intrinsics[name] = func(c *icall) []leaf { return c.multiply(m) }
		}
	}
	for op := range ir.NumOps {
		if name := ir.Ops[op].Func; name != "" {
			intrinsics[name] = func(c *icall) []leaf { return c.op(op) }
		}
	}
	for i := range ir.NumSpecials {
		if name := ir.Specials[i].Func; name != "" {
			intrinsics[name] = func(c *icall) []leaf { return c.one(c.special(i)) }
		}
	}
}

// intrinsic lowers a call of a gpu function.
func (lo *lowerer) intrinsic(fn *ssa.Function, in *ssa.Call, args [][]leaf) []leaf {
	name, shown, receiver := fn.Name(), "", []leaf(nil)
	if o := fn.Origin(); o != nil {
		name = o.Name()
	}
	shown = "gpu." + name
	if recv := fn.Signature.Recv(); recv != nil {
		name = recvName(recv.Type()) + "." + name
		shown, receiver, args = name, args[0], args[1:]
	}
	lower, ok := intrinsics[name]
	if !ok {
		lo.fail(in.Pos(), "%s cannot be called in device code", shown)
	}
	for fr := lo.frame; fr != nil && lo.c.ofGPU(fr.fn); fr = fr.parent {
		shown = "gpu." + fr.fn.Name() // the function that the kernel called
		if o := fr.fn.Origin(); o != nil {
			shown = "gpu." + o.Name()
		}
	}
	for _, a := range args {
		if len(a) == 1 && a[0] == (poison{}) {
			panic(silent{})
		}
	}
	return lower(&icall{lo, shown, fn, in, in.Pos(), args, receiver, lo.layoutAt(fn.Signature.Results(), in.Pos()).leaves})
}

// arg returns argument i in a register.
func (c *icall) arg(i int) *ir.Value { return c.reg(c.args[i][0], c.at) }

// kind returns the register kind of argument i.
func (c *icall) kind(i int) ir.Kind {
	return c.leafOf(c.param(i), c.at, c.name).k
}

// param returns the type of parameter i.
func (c *icall) param(i int) types.Type { return c.fn.Signature.Params().At(i).Type() }

func (c *icall) one(v *ir.Value) []leaf { return []leaf{v} }

// pointer returns an address argument that other threads may know.
func (c *icall) pointer(i int) *ir.Value {
	if _, ok := c.args[i][0].(localAddr); ok {
		c.rejectLocal()
	}
	a := c.arg(i)
	if r := c.root(a); r != nil && r.Op == ir.OpLocal {
		c.rejectLocal()
	}
	return a
}

func (c *icall) rejectLocal() {
	c.fail(c.at, "%s on "+localMsg, c.name)
}

// scope returns the scope, an optional last argument that must be constant.
func (c *icall) scope(i int) ir.Scope {
	if len(c.args) <= i {
		return ir.ScopeDevice
	}
	n, ok := c.isConst(c.args[i][1])
	if !ok {
		c.fail(c.at, "the scope of %s must be a constant: gpu.BlockScope, gpu.DeviceScope or gpu.SystemScope", c.name)
	}
	if n.Imm == 0 {
		return ir.ScopeDevice
	}
	if n.Imm > 1 {
		c.fail(c.at, "%s takes one scope", c.name)
	}
	a, ok := c.args[i][0].(localAddr)
	if ok {
		if s, ok := c.isConst(c.read(a.l.slots[a.first], c.at)); ok {
			if s.Imm >= int64(ir.ScopeBlock) && s.Imm <= int64(ir.ScopeSystem) {
				return ir.Scope(s.Imm)
			}
		}
	}
	c.fail(c.at, "the scope of %s must be a constant: gpu.BlockScope, gpu.DeviceScope or gpu.SystemScope", c.name)
	return 0
}

func (c *icall) special(s ir.Special) *ir.Value {
	if s >= ir.TIDY && s <= ir.NCTAIDZ {
		c.facts.dimensions = true
	}
	op := ir.OpSpecial
	if ir.Specials[s].Changes {
		op = ir.OpReadSpecial
	}
	v := c.emit(op, ir.Specials[s].Kind)
	v.Imm = int64(s)
	return v
}

// globalAlong returns the thread's index in the grid along a dimension.
func globalAlong(block, dim, thread ir.Special) func(*icall) []leaf {
	return func(c *icall) []leaf {
		return c.one(c.pure(ir.OpMad, ir.U32, ir.Void, c.special(block), c.special(dim), c.special(thread)))
	}
}

// rank returns the thread's linear index in its block.
func (c *icall) rank() *ir.Value {
	row := c.pure(ir.OpMad, ir.U32, ir.Void, c.special(ir.TIDZ), c.special(ir.NTIDY), c.special(ir.TIDY))
	return c.pure(ir.OpMad, ir.U32, ir.Void, row, c.special(ir.NTID), c.special(ir.TID))
}

func stride(c *icall) []leaf {
	return c.one(c.pure(ir.OpMul, ir.U32, ir.Void, c.special(ir.NCTAID), c.special(ir.NTID)))
}

// warp returns the warp's index in the block. In a kernel that uses only one
// dimension it is computed from the x index alone, which costs less.
func warp(c *icall) []leaf {
	// If an index along y or z turns up later, this was computed wrongly: the kernel is lowered again, with what is then known.
	c.flatWarp = c.flatWarp || !c.facts.dimensions
	n := c.special(ir.TID)
	if c.facts.dimensions {
		n = c.rank()
	}
	return c.one(c.pure(ir.OpShr, ir.U32, ir.Void, n, c.constant(ir.U32, 5)))
}

// op lowers a call to an op on the arguments, without the thread. If the op
// takes only bits, a float is passed as an integer, as the plain-Go executor
// does.
func (c *icall) op(op ir.Op) []leaf {
	switch {
	case op.IsAtomic():
		return c.atomic(op)
	case op.IsLoadMatrix():
		return c.loadMatrices(op)
	case op.IsStoreMatrix():
		return c.storeMatrices(op)
	case op.Action() == ir.ActBulk:
		return c.storeBulk(op)
	case op.SendsValue():
		return c.sendValues(op)
	}
	info, k, argK := &ir.Ops[op], ir.Void, ir.Void
	if len(c.result) > 0 {
		k = c.result[0].k
	}
	var args []*ir.Value
	if op.Aligned() {
		args = append(args, c.allLanes())
	}
	for i, a := range c.args {
		if len(a) == 0 {
			continue // the thread
		}
		x := c.arg(i)
		if info.Args[len(args)] == ir.Other {
			if argK = c.kind(i); !info.ArgK.Has(argK) {
				x, argK = c.asBits(x, argK)
			}
		}
		args = append(args, x)
	}
	if op.Pure() {
		return c.one(c.pure(op, k, argK, args...))
	}
	v := c.emit(op, k, args...)
	v.ArgK = argK
	if k == ir.Void {
		return nil
	}
	return c.one(v)
}

// asBits returns a number as an unsigned integer of the same width.
func (c *icall) asBits(x *ir.Value, k ir.Kind) (*ir.Value, ir.Kind) {
	u := bitsKind(k)
	if k.Float() {
		x = c.pure(ir.OpBitcast, u, k, x)
	}
	return x, u
}

func bitsKind(k ir.Kind) ir.Kind {
	if k.Bits() == 32 {
		return ir.U32
	}
	return ir.U64
}

func length(c *icall) []leaf {
	return c.one(c.pure(ir.OpCvt, ir.U32, ir.S64, c.reg(c.args[0][1], c.at)))
}

// named lowers a call on a named barrier and checks its constant arguments.
func named(op ir.Op) func(*icall) []leaf {
	return func(c *icall) []leaf {
		id, threads := c.arg(0), c.arg(1)
		if n := id.Bits(); id.Op == ir.OpConst && (n == 0 || n >= ir.Barriers) {
			c.fail(c.at, "%s of barrier %d; a block has barriers 1 to %d", c.name, n, ir.Barriers-1)
		}
		if n := threads.Bits(); threads.Op == ir.OpConst && (n == 0 || n%32 != 0 || n > 1024) {
			c.fail(c.at, "%s of %d threads; the number must be a multiple of 32, up to 1024", c.name, n)
		}
		// The number of threads of a barrier is a multiple of the warp size (PTX ISA, bar), so that all lanes of a warp take
		// part.
		c.emit(op, ir.Void, c.allLanes(), id, threads)
		return nil
	}
}

func trailingZeros(c *icall) []leaf {
	k := c.kind(0)
	return c.one(c.pure(ir.OpClz, ir.U32, k, c.pure(ir.OpBrev, k, ir.Void, c.arg(0))))
}

func rotateLeft(c *icall) []leaf {
	k := c.kind(0)
	x, n := c.arg(0), c.arg(1)
	last := c.constant(ir.U32, uint64(k.Bits()-1))
	left := c.pure(ir.OpAnd, ir.U32, ir.Void, n, last)
	right := c.pure(ir.OpAnd, ir.U32, ir.Void, c.pure(ir.OpNeg, ir.U32, ir.Void, n), last)
	return c.one(c.pure(ir.OpOr, k, ir.Void, c.pure(ir.OpShl, k, ir.Void, x, left), c.pure(ir.OpShr, k, ir.Void, x, right)))
}

// first returns the first argument: an address is the same for all types.
func first(c *icall) []leaf { return c.args[0] }

func bitcast(c *icall) []leaf {
	return c.one(c.pure(ir.OpBitcast, c.result[0].k, c.kind(0), c.arg(0)))
}

// saturate lowers a conversion of a float to an integer, which saturates.
func saturate(c *icall) []leaf {
	from := c.leafOf(c.param(0), c.at, c.name)
	return c.one(c.convert(c.reg(c.args[0][0], c.at), from, c.result[0]))
}
