package langtest

import "github.com/weft-gpu/weft/gpu"

// Record has 16 bytes. A kernel that uses all of them loads or stores them with
// one access.
type Record struct {
	ID   uint32
	Mass float32
	Step [2]int32
}

// Nest holds records and other structs of 8 and 16 bytes, at aligned and other
// offsets.
type Nest struct {
	First Record
	Key   pairOf
	N     uint32
	Odd   pairOf
	Last  uint32
}

type pairOf struct{ Lo, Hi uint32 }

// Records copies structs and arrays of 8 and 16 bytes, whole or in part.
func Records(t gpu.Thread, in, out []uint32, rs []Record, ns []Nest, ps []pairOf, fs [][2]float64) {
	w, i, n := mine(t, out), t.Global(), t.Stride()
	r := rs[i]
	w.mix(0, r.ID, gpu.Float32bits(r.Mass), uint32(r.Step[0]), uint32(r.Step[1]))
	half := rs[(i+7)%n]
	w.put(1, half.ID+gpu.Float32bits(half.Mass))
	one := rs[(i+9)%n]
	w.put(2, uint32(one.Step[1]))
	s := gpu.Shared[[64]Record](t)
	s[t.Idx()] = Record{in[i], float32(t.Idx()), [2]int32{-1, int32(i)}}
	t.Sync()
	other := s[t.Idx()^5]
	nest := &ns[i]
	nest.First = other
	nest.Odd, nest.Key = nest.Key, nest.Odd
	q := nest.Odd
	w.put(3, q.Hi^other.ID)
	p := &ps[i]
	if in[i]&1 == 0 { // which of the two is known only at run time
		p = &nest.Key
	}
	*p = pairOf{p.Hi, p.Lo + 1}
	f := fs[i]
	f[0], f[1] = f[1], f[0]+1
	fs[i] = f
	sum := uint32(0)
	for _, v := range rs[i&^3 : i&^3+3] {
		sum = sum*31 + v.ID + uint32(v.Step[0])
	}
	w.put(4, sum)
	var few [3]Record
	few[in[i]%3] = r
	w.put(5, few[1].ID+few[2].ID)
	var none Record
	rs2 := s[:]
	if in[i] == 0 {
		none = rs2[1]
	}
	w.put(6, none.ID)
}
