package compile

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// interp executes ir.Func before register allocation, one thread at a time
// between barriers and collectives. It is the tests' independent implementation
// of memory and control flow, with ir.Eval for arithmetic.
type interp struct {
	f       *ir.Func
	leaves  []uint64
	global  map[uint64][]byte // by allocation
	shared  []byte
	shape   device.Shape
	dynamic int // bytes of shared memory
	steps   int
	named   [ir.Barriers]uint64 // number of threads that have arrived
}

type ithread struct {
	m             *interp
	ctaid, tid    int
	val           []uint64
	vec           map[*ir.Value][]uint64
	local         []byte
	at            *ir.Block
	ip            int
	done, waiting bool
	parked        bool // at a named barrier that has counted it
}

// bytesOf returns the memory of a slice or of a pointer's target.
func bytesOf(v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Slice:
		if v.Len() == 0 {
			return nil
		}
		return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
	case reflect.Pointer:
		return unsafe.Slice((*byte)(v.UnsafePointer()), int(v.Type().Elem().Size()))
	}
	panic("bytesOf " + v.Type().String())
}

// flattenArg appends the leaves of an argument.
func (m *interp) flattenArg(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice, reflect.Pointer:
		id := uint64(len(m.global) + 1)
		m.global[id] = bytesOf(v)
		m.leaves = append(m.leaves, id<<40)
		if v.Kind() == reflect.Slice {
			m.leaves = append(m.leaves, uint64(v.Len()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			m.flattenArg(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			m.flattenArg(v.Index(i))
		}
	default:
		mem := reflect.New(v.Type())
		mem.Elem().Set(v)
		b := make([]byte, 8)
		copy(b, bytesOf(mem))
		x := binary.LittleEndian.Uint64(b)
		if v.CanInt() {
			x = uint64(v.Int())
			if m.f.Leaves[len(m.leaves)].Kind.Bits() == 32 {
				x = uint64(uint32(x))
			}
		}
		m.leaves = append(m.leaves, x)
	}
}

func layoutVars(vars []ir.Var) int {
	off := 0
	for i := range vars {
		off = (off + 15) &^ 15
		vars[i].Off = off
		off += vars[i].Size
	}
	for i := range vars {
		if vars[i].Dynamic { // placed after the others
			vars[i].Off = (off + 15) &^ 15
			off = vars[i].Off
		}
	}
	return off
}

// interpret launches f. An error is a fault of the kernel.
func interpret(f *ir.Func, l device.Launch, args []any) (err error) {
	m := &interp{f: f, global: map[uint64][]byte{}, shape: l.Shape(), dynamic: l.DynamicShared}
	m.flattenAll(args)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	shared, local := layoutVars(f.Shared), layoutVars(f.Local)
	for b := range m.shape.Blocks() {
		m.shared = make([]byte, shared+l.DynamicShared)
		for i := range m.shared {
			m.shared[i] = 0xcd
		}
		ts := make([]*ithread, m.shape.Threads())
		for i := range ts {
			ts[i] = &ithread{m: m, ctaid: b, tid: i, val: make([]uint64, f.NumValues()),
				vec: map[*ir.Value][]uint64{}, local: make([]byte, local), at: f.Blocks[0]}
			for j := range ts[i].local {
				ts[i].local[j] = 0xcd
			}
		}
		for m.round(ts) {
		}
	}
	return nil
}

// round runs every thread to its next collective and executes the collective.
func (m *interp) round(ts []*ithread) bool {
	live := false
	for _, t := range ts {
		for !t.done && !t.waiting {
			t.step()
			if m.steps++; m.steps > 5_000_000 {
				panic("too many steps")
			}
		}
		live = live || !t.done
	}
	if !live {
		return false
	}
	// Warp collectives first: those of threads that wait at the same op.
	for w := 0; w < len(ts); w += 32 {
		warp := ts[w:min(w+32, len(ts))]
		for _, t := range warp {
			if t.waiting && t.ins().Op.Action() == ir.ActNamed {
				if !t.parked {
					m.namedBarrier(ts, warp, t.ins())
					return true
				}
			} else if t.waiting && !t.ins().Op.IsBlockBarrier() {
				m.collective(warp, t.ins())
				return true
			}
		}
	}
	m.barrier(ts)
	return true
}

func (t *ithread) ins() *ir.Value { return t.at.Ins[t.ip] }

func (t *ithread) get(v *ir.Value) uint64 {
	switch v.Op {
	case ir.OpConst:
		return v.Bits()
	case ir.OpParam:
		return t.m.leaves[v.Imm]
	case ir.OpShared:
		return ir.SharedWindow | uint64(t.m.f.Shared[v.Imm].Off)
	case ir.OpLocal:
		return ir.LocalWindow | uint64(t.m.f.Local[v.Imm].Off)
	}
	return t.val[v.ID]
}

// mem returns the bytes at an address.
func (t *ithread) mem(v *ir.Value) []byte {
	a := t.get(v.Args[0]) + uint64(v.Imm)
	space, b := ir.Global, t.m.global[a>>40]
	off := a & (1<<40 - 1)
	switch {
	case a&ir.SharedWindow != 0:
		space, b = ir.Shared, t.m.shared
	case a&ir.LocalWindow != 0:
		space, b = ir.Local, t.local
	}
	if v.Mem.Space != ir.Generic && v.Mem.Space != space {
		panic(fmt.Sprintf("%v access to %v", v.Mem.Space, space))
	}
	if n := uint64(v.Mem.Bytes()); off+n > uint64(len(b)) {
		panic(fmt.Sprintf("offset %d of %d: %v", off, len(b), t.m.f.Pos[v.Pos]))
	}
	return b[off:]
}

func loadMem(b []byte, k ir.Kind) uint64 {
	switch k {
	case ir.U8:
		return uint64(b[0])
	case ir.S8:
		return uint64(uint32(int8(b[0])))
	case ir.U16:
		return uint64(binary.LittleEndian.Uint16(b))
	case ir.S16:
		return uint64(uint32(int16(binary.LittleEndian.Uint16(b))))
	}
	if k.Bits() == 32 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func storeMem(b []byte, k ir.Kind, x uint64) {
	for i := range k.Bytes() {
		b[i] = byte(x >> (8 * i))
	}
}

// step executes one instruction or the end of a block.
func (t *ithread) step() {
	if t.ip == len(t.at.Ins) {
		t.jump()
		return
	}
	v := t.ins()
	if v.Op.Collective() {
		t.waiting = true
		return
	}
	t.ip++
	if v.Guard != nil && (t.get(v.Guard) != 0) == v.GuardNot {
		return
	}
	arg := func(i int) uint64 {
		if i < len(v.Args) {
			return t.get(v.Args[i])
		}
		return 0
	}
	switch {
	case v.Op == ir.OpSpecial:
		t.val[v.ID] = uint64(t.special(ir.Special(v.Imm)))
	case v.Op == ir.OpReadSpecial, v.Op == ir.OpSleep, v.Op == ir.OpFence:
	case v.Op == ir.OpTrap:
		panic("trap: " + t.m.f.Traps[v.Imm])
	case v.Op == ir.OpLoad:
		b := t.mem(v)
		for i := range int(v.Mem.Vec) {
			x := loadMem(b[i*v.Mem.Kind.Bytes():], v.Mem.Kind)
			t.vec[v] = append(t.vec[v][:i:i], x)
			t.val[v.ID] = x
		}
	case v.Op == ir.OpElem:
		t.val[v.ID] = t.vec[v.Args[0]][v.Imm]
	case v.Op == ir.OpStore:
		b := t.mem(v)
		for i := range int(v.Mem.Vec) {
			storeMem(b[i*v.Mem.Kind.Bytes():], v.Mem.Kind, arg(1+i))
		}
	case v.Op.IsAtomic():
		b := t.mem(v)
		old := loadMem(b, v.Mem.Kind)
		t.val[v.ID] = old
		op, ok := map[ir.Op]ir.Op{ir.OpAtomAdd: ir.OpAdd, ir.OpAtomMin: ir.OpMin, ir.OpAtomMax: ir.OpMax, ir.OpAtomAnd: ir.OpAnd, ir.OpAtomOr: ir.OpOr, ir.OpAtomXor: ir.OpXor}[v.Op]
		x := arg(1)
		switch {
		case ok:
			x = eval(op, v.K, ir.Void, 0, old, x, 0)
		case v.Op == ir.OpAtomCAS && old != x:
			x = old
		case v.Op == ir.OpAtomCAS:
			x = arg(2)
		}
		storeMem(b, v.Mem.Kind, x)
	default:
		t.val[v.ID] = eval(v.Op, v.K, v.ArgK, v.Imm, arg(0), arg(1), arg(2))
	}
}

func eval(op ir.Op, k, argK ir.Kind, imm int64, x, y, z uint64) uint64 {
	r, err := ir.Eval(op, k, argK, imm, x, y, z)
	if err != nil {
		panic(fmt.Sprintf("%v: %v", op, err))
	}
	return r
}

// jump ends a block and assigns the phis of the next one.
func (t *ithread) jump() {
	b := t.at
	if len(b.Succs) == 0 {
		t.done = true
		return
	}
	next := b.Succs[0]
	if b.Cond != nil && t.get(b.Cond) == 0 {
		next = b.Succs[1]
	}
	for i, p := range next.Preds {
		if p != b {
			continue
		}
		vals := make([]uint64, len(next.Phis))
		for j, phi := range next.Phis {
			vals[j] = t.get(phi.Args[i])
		}
		for j, phi := range next.Phis {
			t.val[phi.ID] = vals[j]
		}
	}
	t.at, t.ip = next, 0
}
