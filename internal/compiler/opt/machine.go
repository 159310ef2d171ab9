package opt

import "github.com/weft-gpu/weft/internal/compiler/ir"

// machine is a kernel in the process of leaving SSA form: the blocks of the
// Func, a block for each critical edge that leads to phis, and a virtual
// register for each value that needs one. The Func itself is not changed.
type machine struct {
	f      *ir.Func
	blocks []*mblock
	alias  []*ir.Value // by value: a value with the same bits in the same register; nil for none
	need   []bool      // by value: its result is used
	lanes  [][4]*ir.Value
	lane   []int32 // by value: index into lanes of a vector, or -1

	reg  []int32    // by value: its virtual register, or -1
	regs []ir.Kind  // by virtual register
	rows []int      // by virtual register: how many of the hardware's registers it takes; 0 for a predicate and for an operand from the constant bank
	row  []int32    // by virtual register: its row or predicate, after colouring
	tmp  [][4]int32 // by vector: the virtual registers of its elements

	held map[*ir.Value][]int32 // by wait for products: the virtual registers that these read until then

	maxLive  int // in 32-bit registers
	numRegs  int
	numPreds int

	tooLarge *LimitError // set if liveOut or interference gives up
}

// mblock is a basic block of a machine.
type mblock struct {
	b       *ir.Block // nil for the block of an edge
	phis    []*ir.Value
	ins     []*ir.Value
	args    []*ir.Value // values that the phis of phisOf take at the end of this block
	phisOf  *mblock
	cond    *ir.Value
	condNot bool
	pos     ir.Pos
	depth   int
	succs   []int32
	exits   bool // threads exit if cond says so; the others continue at succs[0]

	code []ir.Inst // filled by emit
}

func newMachine(fn *ir.Func) *machine {
	fn.Dominate()
	n := fn.NumValues()
	code := &machine{f: fn, alias: make([]*ir.Value, n), need: make([]bool, n), lane: make([]int32, n), reg: make([]int32, n), held: map[*ir.Value][]int32{}}
	for i := range code.lane {
		code.lane[i], code.reg[i] = -1, -1
	}
	code.aliases()
	code.mark()
	code.build()
	code.pending()
	code.measure()
	return code
}

// res returns the value whose register holds what value computes.
func (m *machine) res(value *ir.Value) *ir.Value {
	for m.alias[value.ID] != nil {
		value = m.alias[value.ID]
	}
	return value
}

// sameBits reports whether the value is a conversion that does not change the bits of
// its operand.
func sameBits(value *ir.Value) bool {
	switch value.Op {
	case ir.OpBitcast:
		return true
	case ir.OpCvt:
		return value.K.Int() && value.ArgK.Int() && value.K.Bits() == value.ArgK.Bits()
	}
	return false
}

// aliases finds values with the same bits as another value: conversions between
// kinds of one width, phis of blocks with one predecessor, and repeated
// extractions of a vector element.
func (m *machine) aliases() {
	for _, block := range m.f.Blocks {
		if len(block.Preds) == 1 {
			for _, v := range block.Phis {
				// With one predecessor there is nothing to choose between, so
				// no copy is needed.
				m.alias[v.ID] = v.Args[0]
			}
		}
		for _, value := range block.Ins {
			switch {
			case sameBits(value):
				m.alias[value.ID] = value.Args[0]
			case value.Results() > 1:
				m.lane[value.ID] = int32(len(m.lanes))
				m.lanes = append(m.lanes, [4]*ir.Value{})
			case value.Op == ir.OpElem:
				// The vector has one register per element; each further
				// extraction of the element is the same register.
				first := &m.lanes[m.lane[value.Args[0].ID]][value.Imm]
				if *first != nil {
					m.alias[value.ID] = *first
				} else {
					*first = value
				}
			}
		}
	}
}

// mustKeep reports whether v must stay even if its result is unused.
func mustKeep(v *ir.Value) bool {
	return v.Op.Effect() && v.Op != ir.OpSumsGet || v.Op == ir.OpLoad && v.Mem.Order != ir.Weak
}

// mark finds the values that are needed.
func (m *machine) mark() {
	var work []*ir.Value
	use := func(v *ir.Value) {
		if v = m.res(v); !m.need[v.ID] {
			m.need[v.ID] = true
			work = append(work, v)
		}
	}
	operands := func(value *ir.Value) {
		for _, arg := range value.Args {
			use(arg)
		}
		if value.Guard != nil {
			guard, _ := m.plainPred(value.Guard, false)
			use(guard)
		}
	}
	for _, block := range m.f.Blocks {
		for _, value := range block.Ins {
			// Instructions with an effect are the roots: what no effect and no
			// branch depends on takes no register. dce does the same to
			// optimised kernels; this is for the unoptimised ones, which
			// Program also accepts.
			if mustKeep(value) {
				operands(value)
			}
		}
		if block.Cond != nil {
			cond, _ := m.plainPred(block.Cond, false)
			use(cond)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		operands(v)
	}
}

// plainPred strips negations from a predicate whose use can negate it.
func (m *machine) plainPred(value *ir.Value, not bool) (*ir.Value, bool) {
	for {
		value = m.res(value)
		if value.Op != ir.OpNot {
			return value, not
		}
		value, not = value.Args[0], !not
	}
}

// inReg reports whether v takes a register when it is used.
func inReg(v *ir.Value) bool { return v.K != ir.Void && !v.Op.Floating() }

func (m *machine) newReg(k ir.Kind) int32 {
	m.regs = append(m.regs, k)
	return int32(len(m.regs) - 1)
}

// build makes the blocks and numbers the virtual registers.
func (m *machine) build() {
	for _, block := range m.f.Blocks {
		mb := &mblock{b: block, pos: block.Pos, depth: block.Depth}
		// Phis of blocks with one predecessor are aliases of their operand.
		if len(block.Preds) > 1 {
			for _, v := range block.Phis {
				if m.need[v.ID] {
					mb.phis = append(mb.phis, v)
					m.reg[v.ID] = m.newReg(v.K)
				}
			}
		}
		mb.ins = make([]*ir.Value, 0, len(block.Ins))
		for _, value := range block.Ins {
			if value.Op.Floating() || value.Op == ir.OpElem || m.alias[value.ID] != nil || !m.need[value.ID] && !mustKeep(value) {
				continue
			}
			if value.Guard != nil {
				if guard, not := m.plainPred(value.Guard, value.GuardNot); guard.Op == ir.OpConst && (guard.Imm != 0) == not {
					continue // never executes
				}
			}
			mb.ins = append(mb.ins, value)
			if lane := m.lane[value.ID]; lane >= 0 {
				m.vectorRegs(value, lane)
			} else if inReg(value) && (m.need[value.ID] || !value.Op.IsAtomic()) {
				// An atomic whose result is unused gets no destination, which
				// makes it a reduction: red instead of atom in PTX, with no
				// value to return to the SM.
				m.reg[value.ID] = m.newReg(value.K)
			}
		}
		m.blocks = append(m.blocks, mb)
	}
	for i, block := range m.f.Blocks {
		mb := m.blocks[i]
		succs := block.Succs
		if block.Cond != nil {
			mb.cond, mb.condNot = m.plainPred(block.Cond, false)
			if mb.cond.Op == ir.OpConst {
				j := 0
				if (mb.cond.Imm != 0) == mb.condNot {
					j = 1
				}
				succs, mb.cond = succs[j:j+1], nil
			}
		}
		for _, succ := range succs {
			m.edge(int32(i), block, succ, len(succs) > 1)
		}
	}
}

// measure determines how many registers of the hardware each virtual register takes.
func (m *machine) measure() {
	m.rows = make([]int, len(m.regs))
	for reg, kind := range m.regs {
		if kind != ir.Pred {
			m.rows[reg] = (kind.Bits() + 31) / 32
		}
	}
	wide := wideValues(m.f)
	for id, reg := range m.reg {
		if reg >= 0 && !wide[id] && m.regs[reg].Int() {
			m.rows[reg] = min(m.rows[reg], 1)
		}
	}
	for _, block := range m.blocks {
		for _, value := range block.ins {
			if reg := m.reg[value.ID]; reg >= 0 && fromConstantBank(m.f, value) {
				m.rows[reg] = 0
			}
		}
	}
}

// vectorRegs assigns a vector a register for each element, used or not.
func (m *machine) vectorRegs(v *ir.Value, l int32) {
	var t [4]int32
	for i := range v.Results() {
		t[i] = m.newReg(v.K)
		if e := m.lanes[l][i]; e != nil {
			m.reg[e.ID] = t[i]
		}
	}
	for int(l) >= len(m.tmp) {
		m.tmp = append(m.tmp, [4]int32{})
	}
	m.tmp[l] = t
}

// edge connects block from to succ. If the edge is critical and succ has phis, it
// inserts a block.
func (m *machine) edge(from int32, block, succ *ir.Block, split bool) {
	mb, to := m.blocks[from], m.blocks[succ.ID]
	if len(to.phis) > 0 {
		// The copies must not happen on the other edge of the branch, so they
		// need a block of their own.
		if split {
			extra := &mblock{pos: block.Pos, depth: min(block.Depth, succ.Depth), succs: []int32{int32(succ.ID)}}
			mb.succs = append(mb.succs, int32(len(m.blocks)))
			m.blocks = append(m.blocks, extra)
			m.phiArgs(extra, block, succ)
			return
		}
		m.phiArgs(mb, block, succ)
	}
	mb.succs = append(mb.succs, int32(succ.ID))
}

func (m *machine) phiArgs(end *mblock, b, succ *ir.Block) {
	i := 0
	for succ.Preds[i] != b {
		i++
	}
	end.phisOf = m.blocks[succ.ID]
	for _, v := range end.phisOf.phis {
		end.args = append(end.args, m.res(v.Args[i]))
	}
}
