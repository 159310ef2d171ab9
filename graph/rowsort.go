package graph

import "slices"

// rowSorter sorts rows, stably. It keeps its memory from one row to the next.
type rowSorter struct {
	count       []uint64
	col, weight []uint32
}

// counts returns n zeros.
func (r *rowSorter) counts(n int) []uint64 {
	r.count = slices.Grow(r.count[:0], n)[:n]
	clear(r.count)
	return r.count
}

// insertionLimit is the length of rows up to which insertion is fastest.
const insertionLimit = 40

// sort sorts targets, and their weights with them if these are not nil.
func (r *rowSorter) sort(col, weight []uint32) {
	var differ uint32 // bits in which targets differ
	sorted := true
	for i := 1; i < len(col); i++ {
		sorted = sorted && col[i-1] <= col[i]
		differ |= col[i-1] ^ col[i]
	}
	switch {
	case sorted:
	case len(col) > insertionLimit:
		r.radix(col, weight, differ)
	case weight == nil:
		for i := 1; i < len(col); i++ {
			v, j := col[i], i
			for ; j > 0 && col[j-1] > v; j-- {
				col[j] = col[j-1]
			}
			col[j] = v
		}
	default:
		for i := 1; i < len(col); i++ {
			v, w, j := col[i], weight[i], i
			for ; j > 0 && col[j-1] > v; j-- {
				col[j], weight[j] = col[j-1], weight[j-1]
			}
			col[j], weight[j] = v, w
		}
	}
}

// radix sorts by one byte after the other, beginning with the lowest. It leaves out bytes in which
// all targets are equal.
func (r *rowSorter) radix(col, weight []uint32, differ uint32) {
	n := len(col)
	r.col = slices.Grow(r.col[:0], n)[:n]
	from, to := col, r.col
	var fromWeight, toWeight []uint32
	if weight != nil {
		r.weight = slices.Grow(r.weight[:0], n)[:n]
		fromWeight, toWeight = weight, r.weight
	}
	for shift := 0; shift < 32; shift += 8 {
		if differ>>shift&0xff == 0 {
			continue
		}
		var next [256]int
		for _, v := range from {
			next[uint8(v>>shift)]++
		}
		sum := 0
		for i, c := range next {
			next[i] = sum
			sum += c
		}
		for i, v := range from {
			at := next[uint8(v>>shift)]
			next[uint8(v>>shift)]++
			to[at] = v
			if weight != nil {
				toWeight[at] = fromWeight[i]
			}
		}
		from, to = to, from
		fromWeight, toWeight = toWeight, fromWeight
	}
	if &from[0] != &col[0] {
		copy(col, from)
		copy(weight, fromWeight)
	}
}
