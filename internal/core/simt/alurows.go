package simt

import "math/bits"

// Integer operations that are the same for signed and unsigned kinds.

func andRow(d, a, b, _ *Row) {
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func orRow(d, a, b, _ *Row) {
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xorRow(d, a, b, _ *Row) {
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func andNotRow(d, a, b, _ *Row) {
	for i := range d {
		d[i] = a[i] &^ b[i]
	}
}

func add32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = uint64(uint32(a[i] + b[i]))
	}
}

func add64Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func sub32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = uint64(uint32(a[i] - b[i]))
	}
}

func sub64Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func mul32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = uint64(uint32(a[i]) * uint32(b[i]))
	}
}

func mul64Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func mad32Row(d, a, b, c *Row) {
	for i := range d {
		d[i] = uint64(uint32(a[i])*uint32(b[i]) + uint32(c[i]))
	}
}

func mad64Row(d, a, b, c *Row) {
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
}

func shl32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = uint64(uint32(a[i]) << b[i])
	}
}

func shl64Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func neg32Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = uint64(-uint32(a[i]))
	}
}

func neg64Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = -a[i]
	}
}

func not32Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = uint64(^uint32(a[i]))
	}
}

func not64Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = ^a[i]
	}
}

func brev32Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = uint64(bits.Reverse32(uint32(a[i])))
	}
}

func brev64Row(d, a, _, _ *Row) {
	for i := range d {
		d[i] = bits.Reverse64(a[i])
	}
}

func mulHiU32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = a[i] * b[i] >> 32
	}
}

func mulHiS32Row(d, a, b, _ *Row) {
	for i := range d {
		d[i] = uint64(uint32(int64(int32(a[i])) * int64(int32(b[i])) >> 32))
	}
}

func mulHi64Row(d, a, b, _ *Row) {
	for i := range d {
		d[i], _ = bits.Mul64(a[i], b[i])
	}
}

// mulHiS64Row corrects the unsigned product for the sign bits, which weigh
// -2^64 each instead of 2^64.
func mulHiS64Row(d, a, b, _ *Row) {
	for i := range d {
		x, y := a[i], b[i]
		hi, _ := bits.Mul64(x, y)
		d[i] = hi - y&uint64(int64(x)>>63) - x&uint64(int64(y)>>63)
	}
}
