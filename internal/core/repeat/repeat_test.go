package repeat

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/compiler/ir"
)

// toy is a machine with a few words of state, a part of which is memory.
type toy struct {
	m      *Machine
	memory map[uint64]uint64
	state  []uint64
	mark   [2]uint64
	kept   int
}

func (t *toy) write(addr, v uint64) {
	if old := t.memory[addr]; old != v {
		t.m.Memory.Changed(addr, old, v)
		t.memory[addr] = v
	}
}

func (t *toy) now() [2]uint64 { return [2]uint64{t.m.Memory.Sum(), t.state[0]} }
func (t *toy) Mark()          { t.mark = t.now() }
func (t *toy) Marked() bool   { return t.now() == t.mark }
func (t *toy) Core(r *Record) { r.Word(t.state[0]) }
func (t *toy) Encode(r *Record) {
	for _, x := range t.state {
		r.Word(x)
	}
}
func (t *toy) Kept()                   { t.kept++ }
func (t *toy) Read(addr uint64) uint64 { return t.memory[addr] }

// TestMachine runs machines whose states recur from some step on, with all periods and beginnings up to some size, and
// checks that a repetition is found, not before it has happened and not much later.
func TestMachine(t *testing.T) {
	for begin := 0; begin < 40; begin += 3 {
		for period := 1; period < 60; period++ {
			m := new(Machine)
			m.Restart()
			s := &toy{m: m, memory: map[uint64]uint64{}, state: make([]uint64, 3)}
			found := 0
			for step := 1; found == 0; step++ {
				at := step
				if step > begin {
					at = begin + (step-begin)%period
				}
				s.state[0], s.state[1], s.state[2] = uint64(at%2), uint64(at%3), uint64(at/3)
				s.write(8, uint64(at%5))
				s.write(16, uint64(at/5))
				if m.Visit(s, uint64(step)*1000) {
					found = step
				}
				require.Less(t, step, 8*(begin+period)+20, "begins at %d, period %d", begin, period)
			}
			assert.Greater(t, found, begin+period-1)
			assert.Zero(t, m.Period()%uint64(period), "begins at %d, period %d: %d", begin, period, m.Period())
			assert.Positive(t, s.kept)
		}
	}
}

// TestMachineCounts checks that a state that never recurs is not reported, even if its mark, its core and most of it do.
func TestMachineCounts(t *testing.T) {
	m := new(Machine)
	m.Restart()
	s := &toy{m: m, memory: map[uint64]uint64{}, state: make([]uint64, 50)}
	for step := range uint64(20_000) {
		s.state[0] = step % 2
		s.state[49] = step / 2
		s.write(8, step%2)
		require.False(t, m.Visit(s, step*10_000))
	}
	assert.Zero(t, s.kept)

	// A memory in which a word is not restored, with the same sum by a lie of the machine.
	liar := &toy{m: new(Machine), memory: map[uint64]uint64{}, state: make([]uint64, 1)}
	liar.m.Restart()
	for step := range uint64(200) {
		liar.m.Memory.Changed(8, step, step+1)
		liar.m.Memory.Changed(8, step+1, step)
		liar.memory[8] = step + 1
		require.False(t, liar.m.Visit(liar, step*10_000))
	}
	assert.Positive(t, liar.kept)
}

// TestEffort checks that whole states are looked at seldom.
func TestEffort(t *testing.T) {
	m := new(Machine)
	m.Restart()
	s := &counting{toy: toy{m: m, memory: map[uint64]uint64{}, state: make([]uint64, 1000)}}
	effort := uint64(0)
	for step := range uint64(50_000) {
		effort += 100
		s.state[999] = step
		m.Visit(s, effort)
	}
	assert.Less(t, float64(s.words), 0.05*float64(effort))
	assert.Greater(t, s.words, 10_000)
}

type counting struct {
	toy
	words int
}

func (c *counting) Encode(r *Record) {
	c.toy.Encode(r)
	c.words += len(c.state)
}

func TestMemory(t *testing.T) {
	var m Memory
	words := map[uint64]uint64{}
	write := func(addr, v uint64) {
		m.Changed(addr, words[addr], v)
		words[addr] = v
	}
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[uint64]bool{m.Sum(): true}
	for range 2000 {
		write(8*r.Uint64N(64), r.Uint64())
		assert.False(t, seen[m.Sum()])
		seen[m.Sum()] = true
	}
	assert.EqualValues(t, 2000, m.Changes())
	before, sum := map[uint64]uint64{}, m.Sum()
	for a, v := range words {
		before[a] = v
	}
	read := func(addr uint64) uint64 { return words[addr] }
	m.Mark()
	for a := range before {
		write(a, ^before[a])
	}
	assert.NotEqual(t, sum, m.Sum())
	assert.False(t, m.Restored(read))
	for a, v := range before {
		write(a, v)
	}
	assert.Equal(t, sum, m.Sum())
	assert.True(t, m.Restored(read))
	m.Unmark()
	assert.True(t, m.Restored(read))
}

func TestRecord(t *testing.T) {
	var r Record
	state := func(x uint64) {
		r.Bool(true)
		r.Int(7)
		r.Bytes([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
		r.Word(x)
	}
	digest := func(x uint64) Digest {
		r.Hash()
		state(x)
		return r.Digest()
	}
	assert.Equal(t, digest(5), digest(5))
	seen := map[Digest]bool{}
	for x := range uint64(1000) {
		assert.False(t, seen[digest(x)])
		seen[digest(x)] = true
	}
	assert.Equal(t, 5, r.Words())
	r.Keep()
	state(5)
	r.Compare()
	state(5)
	assert.True(t, r.Same())
	assert.False(t, r.Differs())
	r.Word(1)
	assert.False(t, r.Same(), "longer")
	r.Compare()
	state(6)
	assert.False(t, r.Same())
	assert.True(t, r.Differs())
	r.Compare()
	assert.False(t, r.Same(), "shorter")
}

// rows is the state of a warp in which hashes are values.
type rows []uint64

func (rows) Position() uint64                { return 1 }
func (rows) AppendPlaces(to []int32) []int32 { return append(to, 0) }
func (r rows) Row(i int) (uint64, bool) {
	return r[i] + 1, r[i] != ^uint64(0)
}

// program is a loop: r0 counts, r1 is loaded and ends the loop, r2 holds the address, r3 is computed from r0, and r4 is
// slept for.
func program() *ir.Program {
	in := func(op ir.Op, k ir.Kind, dst int32, src ...ir.Operand) ir.Inst {
		i := ir.Inst{Op: op, K: k, ArgK: k, Guard: ir.NoGuard, NSrc: uint8(len(src)), Root: -1}
		if dst >= 0 {
			i.NDst, i.Dst[0] = 1, dst
		}
		copy(i.Src[:], src)
		return i
	}
	cmp := in(ir.OpEq, ir.Pred, 0, 1, -1)
	cmp.ArgK = ir.U32
	bra := in(ir.OpBra, ir.Void, -1)
	bra.Guard, bra.Target = 0, 0
	return &ir.Program{NumRegs: 5, NumPreds: 1, Uniforms: []ir.Uniform{{K: ir.U32, Leaf: -1}}, Code: []ir.Inst{
		in(ir.OpAdd, ir.U32, 0, 0, -1),
		in(ir.OpAdd, ir.U32, 3, 0, 3),
		in(ir.OpLoad, ir.U32, 1, 2),
		in(ir.OpSleep, ir.Void, -1, 4),
		cmp,
		bra,
		in(ir.OpStore, ir.U32, -1, 2, 3), // after the loop
		in(ir.OpExit, ir.Void, -1),
	}}
}

func TestRelevant(t *testing.T) {
	f := NewFlow(program())
	rel := make([]bool, 6)
	assert.False(t, f.relevant([]uint64{0b111111}, rel))
	assert.Equal(t, []bool{false, true, true, false, false, true}, rel, "the load, its address and the condition")
	f.relevant([]uint64{0b1111111}, rel)
	assert.Equal(t, []bool{true, true, true, true, false, true}, rel, "with the store, what feeds its value too")
	p := program()
	p.Code[0].Op, p.Code[0].NSrc = ir.OpReadSpecial, 0
	f = NewFlow(p)
	assert.False(t, f.relevant([]uint64{0b111111}, rel), "a clock that nobody uses")
	assert.True(t, f.relevant([]uint64{0b1111111}, rel), "a clock in what is stored")
	p = program()
	p.Code[1].Op = ir.OpDiv
	f = NewFlow(p)
	f.relevant([]uint64{0b111111}, rel)
	assert.Equal(t, []bool{true, true, true, true, false, true}, rel, "a division may end the kernel")
}

func TestLoop(t *testing.T) {
	f := NewFlow(program())
	around := func(l *Loop, state func(round int) rows, instructions int) int {
		l.Reset()
		for round := 1; round < 1000; round++ {
			for pc := range instructions {
				l.Executed(f, int32(pc))
			}
			if same, _ := l.Visit(f, state(round)); same {
				return round
			}
		}
		return 0
	}
	l := new(Loop)
	for period := 1; period < 50; period++ {
		got := around(l, func(round int) rows {
			return rows{uint64(round), uint64(round), uint64(round % period), uint64(round), 0, 0}
		}, 6)
		assert.LessOrEqual(t, got, 4*period+2, "counters that decide nothing, and what is loaded before it is read, do not count")
		assert.Greater(t, got, period)
		assert.True(t, l.Searching())
	}
	assert.Zero(t, around(l, func(round int) rows { return rows{0, 0, uint64(round), 0, 0, 0} }, 6), "the address changes")
	assert.Zero(t, around(l, func(round int) rows { return rows{uint64(round), 0, 0, uint64(round), 0, 0} }, 7), "what is stored changes")
	assert.Zero(t, around(l, func(int) rows { return rows{0, 0, ^uint64(0), 0, 0, 0} }, 6), "a value is not known")
	assert.Equal(t, 3, around(l, func(int) rows { return rows{0, 0, 0, ^uint64(0), 0, 0} }, 6), "a value that decides nothing is not known")
}

// TestLiveRows checks that a register that is written before it is read does not count at a loop head, and does at another
// place.
func TestLiveRows(t *testing.T) {
	f := NewFlow(program())
	for pc, want := range map[int32][]int{0: {0, 2, 3}, 4: {0, 1, 2, 3}, 5: {0, 2, 3, 5}, 6: {2, 3}, 8: nil} {
		live := make(ir.Rows, 1)
		f.mergeLive(live, []int32{pc})
		var got []int
		for i := range live.All() {
			got = append(got, i)
		}
		assert.Equal(t, want, got, "at %d", pc)
	}
}
