package mma

import "fmt"

// Fragment is a matrix of the instructions wmma, which is loaded as a factor or a sum, or stored as a result (PTX ISA, "Warp Level Matrix
// Multiply-Accumulate Operation using wmma Instructions"). PTX does not say which lane has which elements, only that all wmma instructions
// of a shape agree. Here they lie as mma.sync has them, which multiplies them: 16 rows by 8 columns at a time, as NVIDIA's compiler does.
// Of 8 rows by 32 columns it multiplies the transposed matrices.
type Fragment struct {
	Use     byte // 'a', 'b', 'c' or 'd', as in the instruction
	M, N, K int
	Type    Type
}

// wmmaShapes are the shapes of factors of a type, and the types of their sums.
var wmmaShapes = []struct {
	shapes  [][3]int
	factors []Type
	sums    []Type
}{
	{[][3]int{{16, 16, 16}, {32, 8, 16}, {8, 32, 16}}, []Type{F16, BF16, S8, U8}, []Type{F16, F32, S32}},
	{[][3]int{{16, 16, 8}}, []Type{TF32}, []Type{F32}},
	{[][3]int{{8, 8, 4}}, []Type{F64}, []Type{F64}},
}

// Fragments are all that there are.
var Fragments = func() (list []Fragment) {
	for _, of := range wmmaShapes {
		for _, s := range of.shapes {
			for _, use := range "abcd" {
				types := of.factors
				if use >= 'c' {
					types = of.sums
				}
				for _, t := range types {
					list = append(list, Fragment{byte(use), s[0], s[1], s[2], t})
				}
			}
		}
	}
	return list
}()

// FragmentByName returns the number in Fragments of that with a use, a shape as "m16n16k16", and a type as "f16".
func FragmentByName(use byte, shape, of string) (id int, ok bool) {
	for i := range Fragments {
		if f := &Fragments[i]; f.Use == use && f.shape() == shape && f.Type.String() == of {
			return i, true
		}
	}
	return 0, false
}

func (f *Fragment) shape() string { return fmt.Sprintf("m%dn%dk%d", f.M, f.N, f.K) }

// String returns "load.a.m16n16k16.f16".
func (f *Fragment) String() string {
	return fmt.Sprintf("%s.%c.%s.%v", map[bool]string{false: "load", true: "store"}[f.Stores()], f.Use, f.shape(), f.Type)
}

// PTX returns the instruction without the layout and the state space: "wmma.load.a.sync.aligned.m16n16k16.f16".
func (f *Fragment) PTX() string {
	return fmt.Sprintf("wmma.%s.%c.sync.aligned.%s.%v", map[bool]string{false: "load", true: "store"}[f.Stores()], f.Use, f.shape(), f.Type)
}

// Stores reports whether the fragment is a result.
func (f *Fragment) Stores() bool { return f.Use == 'd' }

// Capability returns the compute capability that the instruction needs, times 10.
func (f *Fragment) Capability() int {
	if f.K == 8 {
		return TF32.Wmma()
	}
	return f.Type.Wmma()
}

// Wmma returns the compute capability that wmma instructions on elements of the type need, times 10 (PTX ISA, "Target ISA Notes").
func (t Type) Wmma() int {
	switch t {
	case F16, F32:
		return 70
	case S8, U8, S32:
		return 72
	}
	return 80
}

// sum reports whether the fragment is a sum or a result.
func (f *Fragment) sum() bool { return f.Use >= 'c' }

// Swapped reports whether the product is computed of the transposed matrices: then a is multiplied as B, and b as A.
func (f *Fragment) Swapped() bool { return f.N == 32 }

// step returns the instruction mma.sync that multiplies, or for sums one with such sums.
func (f *Fragment) step() *Variant {
	if f.sum() {
		return stepOf(map[Type]Type{F16: F16, F32: F16, S32: S8, F64: F64}[f.Type], f.Type)
	}
	return stepOf(f.Type, map[Type]Type{F16: F32, BF16: F32, TF32: F32, S8: S32, U8: S32, F64: F64}[f.Type])
}

// stepOf returns the instruction mma.sync that multiplies fragments.
func stepOf(a, c Type) *Variant {
	k := map[Type]int{TF32: 8, F64: 4}[a]
	if k == 0 {
		k = 16
	}
	for i := range Variants {
		if v := &Variants[i]; v.A == a && v.B == a && v.C == c && v.K == k && !v.Saturate {
			return v
		}
	}
	return nil
}

// Piece is 8 rows or columns of a fragment, where it lies among them: Outer counts rows of a, columns of b and rows of c, or columns of c
// if the matrices are transposed; Inner counts along the other dimension. Lane l has elements with Outer + l/4, which follow each other
// along Inner from Inner + l%4 * Fragment.PerLane() on.
type Piece struct{ Outer, Inner int }

// PerLane returns how many elements of a piece a lane has, in as many registers as PieceRegisters says.
func (f *Fragment) PerLane() int {
	if f.sum() {
		return 2
	}
	return f.Type.packed()
}

// PieceRegisters returns how many registers a piece takes.
func (f *Fragment) PieceRegisters() int { return f.PerLane() / f.Type.packed() }

// Pieces returns the pieces in the order of their registers.
func (f *Fragment) Pieces() (list []Piece) {
	v := f.step()
	rows, columns := f.M, f.N
	if f.Swapped() {
		rows, columns = columns, rows
	}
	na, nb, nc := v.Registers()
	switch {
	case f.sum():
		for row := 0; row < rows; row += v.M {
			for column := 0; column < columns; column += v.N {
				for r := 0; r < nc; r += f.PieceRegisters() {
					x, y := v.ElementC(0, r, 0)
					list = append(list, Piece{row + x, column + y})
				}
			}
		}
	case f.Use == 'a' != f.Swapped():
		for row := 0; row < rows; row += v.M {
			for r := range na {
				x, k := v.ElementA(0, r, 0)
				list = append(list, Piece{row + x, k})
			}
		}
	default:
		for column := 0; column < columns; column += v.N {
			for r := range nb {
				k, _ := v.ElementB(0, r, 0)
				list = append(list, Piece{column, k})
			}
		}
	}
	return list
}

// Along reports whether elements that follow each other along Inner do so in memory, in a matrix that is stored by rows or by columns.
func (f *Fragment) Along(byRows bool) bool {
	if f.Use == 'b' || f.sum() && f.Swapped() {
		return !byRows
	}
	return byRows
}

// Leading returns the rows or columns' distance in elements if the instruction does not say it.
func (f *Fragment) Leading(byRows bool) int {
	rows, columns := f.M, f.N
	switch f.Use {
	case 'a':
		columns = f.K
	case 'b':
		rows = f.K
	}
	if byRows {
		return columns
	}
	return rows
}

// Registers returns how many registers the instruction has. Those of factors in f16 have each element twice in the shape of 16 by 16, and
// more often in the small factor of others: the first ones have all that there are.
func (f *Fragment) Registers() int {
	if f.Type == F16 && !f.sum() {
		return 8
	}
	return len(f.Pieces()) * f.PieceRegisters()
}

// Bytes returns how many bytes the registers have: the start of the matrix must be aligned to them (PTX ISA, "Matrix Storage").
func (f *Fragment) Bytes() int { return f.Registers() * f.Type.RegisterBits() / 8 }

// Aligned returns to how many bytes each row or column must be aligned. PTX wants that of the whole fragment again; the CUDA C++
// Programming Guide wants 16 bytes, which is less for large fragments and more for small ones. The weaker of both counts.
func (f *Fragment) Aligned() int { return min(f.Bytes(), 16) }

// Product is the multiplication of fragments: steps of mma.sync.
type Product struct {
	Step    *Variant
	Swapped bool // a is B of the steps
	Parts   []ProductPart
}

// ProductPart is a step: where its registers begin in those of the fragments that are A, B, and C and the result.
type ProductPart struct{ A, B, C int }

// ProductOf returns the steps that multiply factors of a type in a shape as "m16n16k16", with sums of a type; nil if there are none.
func ProductOf(shape string, factors, sums Type) *Product {
	for i := range Fragments {
		f := &Fragments[i]
		if f.Use != 'a' || f.shape() != shape || f.Type != factors {
			continue
		}
		p := &Product{Step: stepOf(factors, sums), Swapped: f.Swapped()}
		if p.Step == nil {
			return nil
		}
		rows, columns := f.M, f.N
		if p.Swapped {
			rows, columns = columns, rows
		}
		a, b, c := p.Step.Registers()
		for row := range rows / p.Step.M {
			for column := range columns / p.Step.N {
				p.Parts = append(p.Parts, ProductPart{row * a, column * b, len(p.Parts) * c})
			}
		}
		return p
	}
	return nil
}
