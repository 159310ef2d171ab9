package readptx

import (
	"strconv"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

func itoa(n int) string { return strconv.Itoa(n) }

// plainSpecials are the special registers that the IR has.
var plainSpecials = map[string]ir.Special{
	"%tid.x": ir.TID, "%tid.y": ir.TIDY, "%tid.z": ir.TIDZ,
	"%ntid.x": ir.NTID, "%ntid.y": ir.NTIDY, "%ntid.z": ir.NTIDZ,
	"%ctaid.x": ir.CTAID, "%ctaid.y": ir.CTAIDY, "%ctaid.z": ir.CTAIDZ,
	"%nctaid.x": ir.NCTAID, "%nctaid.y": ir.NCTAIDY, "%nctaid.z": ir.NCTAIDZ,
	"%laneid": ir.LaneID, "%smid": ir.SMID, "%dynamic_smem_size": ir.DynamicBytes,
	"%cluster_ctarank": ir.ClusterRank, "%cluster_nctarank": ir.ClusterSize, "%cluster_ctaid.x": ir.ClusterRankX, "%cluster_ctaid.y": ir.ClusterRankY, "%cluster_ctaid.z": ir.ClusterRankZ,
	"%cluster_nctaid.x": ir.ClusterSizeX, "%cluster_nctaid.y": ir.ClusterSizeY, "%cluster_nctaid.z": ir.ClusterSizeZ,
	"%clock64": ir.Clock64, "%globaltimer": ir.GlobalTimer,
}

// madeSpecials are the special registers that take a few instructions.
var madeSpecials = map[string]func(b *builder) *ir.Value{
	"%tid.w": zero32, "%ctaid.w": zero32, "%ntid.w": one32, "%nctaid.w": one32,
	"%warpid": func(b *builder) *ir.Value {
		return b.ins(ir.OpShr, ir.U32, b.linearThread(), b.u32(5))
	},
	"%nwarpid": func(b *builder) *ir.Value {
		return b.ins(ir.OpShr, ir.U32, b.ins(ir.OpAdd, ir.U32, b.threads(), b.u32(31)), b.u32(5))
	},
	"%gridid":      func(b *builder) *ir.Value { return b.number(ir.U64, 1) },
	"%lanemask_eq": func(b *builder) *ir.Value { return b.laneBit() },
	"%lanemask_lt": func(b *builder) *ir.Value { return b.ins(ir.OpSub, ir.U32, b.laneBit(), b.u32(1)) },
	"%lanemask_le": func(b *builder) *ir.Value {
		return b.ins(ir.OpSub, ir.U32, b.ins(ir.OpShl, ir.U32, b.u32(2), b.lane()), b.u32(1))
	},
	"%lanemask_gt":    func(b *builder) *ir.Value { return b.ins(ir.OpShl, ir.U32, b.u32(0xFFFFFFFE), b.lane()) },
	"%lanemask_ge":    func(b *builder) *ir.Value { return b.ins(ir.OpShl, ir.U32, b.u32(0xFFFFFFFF), b.lane()) },
	"%clock":          func(b *builder) *ir.Value { return b.low(b.specialValue(ir.Clock64)) },
	"%clock_hi":       func(b *builder) *ir.Value { return b.high(b.specialValue(ir.Clock64)) },
	"%globaltimer_lo": func(b *builder) *ir.Value { return b.low(b.specialValue(ir.GlobalTimer)) },
	"%globaltimer_hi": func(b *builder) *ir.Value { return b.high(b.specialValue(ir.GlobalTimer)) },
	// The driver's address of what blocks of a cooperative launch share: its high and its low half, for the barrier of the grid
	// that nvcc emits.
	"%envreg1": func(b *builder) *ir.Value { return b.high(b.gridWorkspace()) },
	"%envreg2": func(b *builder) *ir.Value { return b.low(b.gridWorkspace()) },
	"%is_explicit_cluster": func(b *builder) *ir.Value {
		return b.of(ir.OpNe, ir.Pred, ir.U32, b.specialValue(ir.ClusterSize), b.u32(1))
	},
	"%clusterid.x":  func(b *builder) *ir.Value { return b.clusters(ir.CTAID, ir.ClusterSizeX) },
	"%clusterid.y":  func(b *builder) *ir.Value { return b.clusters(ir.CTAIDY, ir.ClusterSizeY) },
	"%clusterid.z":  func(b *builder) *ir.Value { return b.clusters(ir.CTAIDZ, ir.ClusterSizeZ) },
	"%nclusterid.x": func(b *builder) *ir.Value { return b.clusters(ir.NCTAID, ir.ClusterSizeX) },
	"%nclusterid.y": func(b *builder) *ir.Value { return b.clusters(ir.NCTAIDY, ir.ClusterSizeY) },
	"%nclusterid.z": func(b *builder) *ir.Value { return b.clusters(ir.NCTAIDZ, ir.ClusterSizeZ) },
}

// clusters returns a number of blocks along a dimension, or the number of one, in clusters of a size.
func (b *builder) clusters(blocks, size ir.Special) *ir.Value {
	return b.ins(ir.OpDiv, ir.U32, b.specialValue(blocks), b.specialValue(size))
}

// gridWorkspace returns the address of a variable that stands for it: a size, and the word in which the blocks arrive, which
// is of use again after each barrier. It is none of the module's own.
func (b *builder) gridWorkspace() *ir.Value {
	const name = "__weft_grid"
	if b.m.vars[name] == nil {
		b.m.vars[name] = &variable{name: name, space: ".global", typ: types[".b32"], align: 16, array: true, count: 4, vector: 1}
	}
	return b.global(b.m.vars[name])
}

func zero32(b *builder) *ir.Value { return b.u32(0) }
func one32(b *builder) *ir.Value  { return b.u32(1) }

// special returns the value of a special register; nil if the name is none.
func (b *builder) special(name string, t typ) *ir.Value {
	if len(name) == 0 || name[0] != '%' {
		return nil
	}
	var v *ir.Value
	if s, ok := plainSpecials[name]; ok {
		v = b.specialValue(s)
	} else if make := madeSpecials[name]; make != nil {
		v = make(b)
	} else {
		return nil
	}
	switch have := v.K.Bits(); {
	case t.letter == 'p' && have == 1:
	case have == 64 && t.bits == 32:
		v = b.low(v)
	case have == 32 && t.bits == 64: // as mov.u64 %rd1, %tid.x of old versions
		v = b.widen(v, false)
	case have == 32 && t.bits == 16:
		v = b.cut(v, 16)
	case have != int(t.bits):
		b.fail("%s has %d bits, and the instruction wants %d", name, have, t.bits)
	}
	return b.cast(v, t.reg())
}

func (b *builder) specialValue(s ir.Special) *ir.Value {
	op := ir.OpSpecial
	if ir.Specials[s].Changes {
		op = ir.OpReadSpecial
	}
	v := b.ins(op, ir.Specials[s].Kind)
	v.Imm = int64(s)
	return v
}

func (b *builder) lane() *ir.Value { return b.specialValue(ir.LaneID) }

// laneBit returns 1 << lane.
func (b *builder) laneBit() *ir.Value { return b.ins(ir.OpShl, ir.U32, b.u32(1), b.lane()) }

// threads returns the number of threads of the block.
func (b *builder) threads() *ir.Value {
	xy := b.ins(ir.OpMul, ir.U32, b.specialValue(ir.NTID), b.specialValue(ir.NTIDY))
	return b.ins(ir.OpMul, ir.U32, xy, b.specialValue(ir.NTIDZ))
}

// linearThread returns the number of the thread in its block, with x fastest.
func (b *builder) linearThread() *ir.Value {
	yz := b.ins(ir.OpMad, ir.U32, b.specialValue(ir.TIDZ), b.specialValue(ir.NTIDY), b.specialValue(ir.TIDY))
	return b.ins(ir.OpMad, ir.U32, yz, b.specialValue(ir.NTID), b.specialValue(ir.TID))
}
