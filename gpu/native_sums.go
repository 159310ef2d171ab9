package gpu

import (
	"fmt"
	"unsafe"

	"github.com/weft-gpu/weft/internal/mma"
)

// wordsOf returns the words of an array of a thread's sums.
func wordsOf[W, A any](of *A) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(of)), unsafe.Sizeof(*of)/unsafe.Sizeof(*new(W)))
}

func (s *FloatSums[A]) words() []float32 { return wordsOf[float32](&s.of) }

func (s *IntSums[A]) words() []int32 { return wordsOf[int32](&s.of) }

func (s *HalfSums[A]) words() []uint32 { return wordsOf[uint32](&s.of) }

func (s *FloatSums[A]) bits() []uint32 { return wordsOf[uint32](&s.of) }

func (s *IntSums[A]) bits() []uint32 { return wordsOf[uint32](&s.of) }

// groupTile is what a lane passes to a product of a warpgroup.
type groupTile struct {
	sums []uint32
	a, b *SharedMatrix // a is nil if the lane passes registers of it
}

// groupProducts are the numbers of products of warpgroups by function.
var groupProducts = func() map[string]int {
	m := map[string]int{}
	for i, g := range mma.GroupProducts {
		if g.Func != "" {
			m[g.Func] = i
		}
	}
	return m
}()

// groupProduct adds a product of a warpgroup to the sums of a warp, at once: a thread that waits for it does not have to.
func groupProduct(t Thread, name string, sums []uint32, registers *[4]uint32, a, b *SharedMatrix) {
	product := groupProducts[name]
	g := &mma.GroupProducts[product]
	for i, m := range []*SharedMatrix{a, b} {
		if m == nil {
			continue
		}
		if why := g.Misuse(m.form(i == 0)); why != "" {
			panic(misuse(name + " " + why))
		}
		if why := m.layout().Misuse(); why != "" {
			panic(misuse(fmt.Sprintf("%s of a matrix: %s", name, why)))
		}
		rows := mma.GroupRows
		if i == 1 {
			rows = g.Columns(len(sums))
		}
		switch {
		case m.Offset%16 != 0 || m.Swizzle != 0 && m.Offset >= m.Swizzle:
			panic(misuse(fmt.Sprintf("%s of a matrix: Offset is %d; want a multiple of 16, less than Swizzle if that is not 0", name, m.Offset)))
		case m.layout().Crosses(uint64(m.Offset), rows):
			panic(misuse(fmt.Sprintf("%s of a transposed matrix: %d rows or columns do not fit in the %d bytes of its swizzle behind Offset, which is %d", name, rows, m.Swizzle, m.Offset)))
		}
	}
	kind, words := warpGroupMMA+warpKind(product), []uint64(nil)
	if registers != nil {
		kind += warpKind(len(mma.GroupProducts))
		for _, x := range registers {
			words = append(words, uint64(x))
		}
	}
	t.x.groupProduct(kind, words, sums, a, b)
}

func (m *SharedMatrix) layout() mma.Layout {
	return mma.Layout{Leading: uint64(m.Leading), Stride: uint64(m.Stride), Swizzle: uint64(m.Swizzle), Transposed: m.Transposed}
}

// form returns how a product takes the matrix, as its first factor or its second.
func (m *SharedMatrix) form(first bool) (f mma.Form) {
	if m.Negated {
		f |= mma.NegatedB
	}
	if m.Transposed {
		f |= mma.TransposedB
	}
	if first {
		f >>= 1 // to those of A, each of which is before that of B
	}
	return f
}

// groupProduct executes a product of a warpgroup, of which each warp computes its rows.
func (th *thread) groupProduct(kind warpKind, registers []uint64, sums []uint32, a, b *SharedMatrix) {
	if th.tile == nil {
		th.tile = new(tile)
	}
	th.tile.group = groupTile{sums, a, b}
	th.together(kind, registers)
	th.tile.group = groupTile{}
}

// addProduct adds the product of a warpgroup to the sums of a warp, all lanes of which have come, and returns why it cannot.
func (b *block) addProduct(w uint32, g *mma.GroupProduct, lanes []thread, registers *[4]mma.Row) (why string) {
	tile := &lanes[0].tile.group
	sums, list := make([]mma.Row, len(tile.sums)), make([]*mma.Row, len(tile.sums))
	for i := range sums {
		list[i] = &sums[i]
		for lane := range lanes {
			sums[i][lane] = uint64(lanes[lane].tile.group.sums[i])
		}
	}
	factor := func(m *SharedMatrix, first int) *mma.Factor {
		return &mma.Factor{Layout: m.layout(), At: uint64(m.Offset), First: first, Word: func(at uint64) uint32 { return m.Data[at/4] }}
	}
	for i := range lanes {
		if other := &lanes[i].tile.group; !other.b.same(tile.b) || tile.a != nil && !other.a.same(tile.a) {
			return fmt.Sprintf("of other matrices in lane %d than in lane 0: all threads of a warpgroup name the same", i)
		}
	}
	form := tile.b.form(false)
	if tile.a != nil {
		form |= tile.a.form(true)
		registers = g.Rows(factor(tile.a, int(w%mma.GroupWarps)*16))
	}
	g.Multiply(list, registers, factor(tile.b, 0), form)
	for i := range sums {
		for lane := range lanes {
			lanes[lane].tile.group.sums[i] = uint32(sums[i][lane])
		}
	}
	return ""
}

// same reports whether m and n are the same place.
func (m *SharedMatrix) same(n *SharedMatrix) bool {
	return unsafe.SliceData(m.Data) == unsafe.SliceData(n.Data) && m.Offset == n.Offset && m.layout() == n.layout() && m.Negated == n.Negated
}

// product returns the product of a warpgroup that k is: those with registers of A follow those without.
func (k warpKind) product() *mma.GroupProduct {
	return &mma.GroupProducts[int(k-warpGroupMMA)%len(mma.GroupProducts)]
}
