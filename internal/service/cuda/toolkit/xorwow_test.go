package toolkit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/testing/golden"
)

// bits160 is a state of XORWOW without its counter, or a polynomial over the numbers 0 and 1: bit i is the coefficient of x to the power of i.
type bits160 [5]uint32

// next is a step of Marsaglia's generator ("Xorshift RNGs", 2003), which is a linear function of the bits.
func (v bits160) next() bits160 {
	t := v[0] ^ v[0]>>2
	return bits160{v[1], v[2], v[3], v[4], v[4] ^ v[4]<<4 ^ t ^ t<<1}
}

func (v *bits160) add(w bits160) {
	for i := range v {
		v[i] ^= w[i]
	}
}

func (v bits160) bit(i int) bool { return v[i/32]>>(i%32)&1 != 0 }

// characteristic returns the polynomial of the step, without its power of 160: the shortest recurrence of one bit of the states, which is found by the
// method of Berlekamp and Massey.
func characteristic(t *testing.T) bits160 {
	t.Helper()
	state := bits160{1}
	var seq []bool
	for range 400 {
		seq, state = append(seq, state.bit(128)), state.next()
	}
	current, before := make([]bool, 401), make([]bool, 401)
	current[0], before[0] = true, true
	length, gap := 0, 1
	for n := range seq {
		wrong := seq[n]
		for i := 1; i <= length; i++ {
			wrong = wrong != (current[i] && seq[n-i])
		}
		if !wrong {
			gap++
			continue
		}
		old := append([]bool(nil), current...)
		for i := 0; i+gap <= 400; i++ {
			current[i+gap] = current[i+gap] != before[i]
		}
		if 2*length <= n {
			length, before, gap = n+1-length, old, 1
		} else {
			gap++
		}
	}
	require.Equal(t, 160, length)
	var p bits160
	for i := range 160 {
		if current[160-i] {
			p[i/32] |= 1 << (i % 32)
		}
	}
	return p
}

// times multiplies polynomials modulo p.
func (v bits160) times(w, p bits160) (product bits160) {
	for i := 159; i >= 0; i-- {
		high := product[4]>>31 != 0
		for j := 4; j > 0; j-- {
			product[j] = product[j]<<1 | product[j-1]>>31
		}
		product[0] <<= 1
		if high {
			product.add(p)
		}
		if v.bit(i) {
			product.add(w)
		}
	}
	return product
}

// jump returns the state after as many steps as the polynomial says.
func (v bits160) jump(poly bits160) (after bits160) {
	for i := range 160 {
		if poly.bit(i) {
			after.add(v)
		}
		v = v.next()
	}
	return after
}

// powers returns x to the powers of digit * 16^place * 2^shift: the digits of a number of steps.
func powers(p bits160, shift int) (table [16][15]bits160) {
	x := bits160{2}
	for range shift {
		x = x.times(x, p)
	}
	for place := range table {
		at := bits160{1}
		for digit := range table[place] {
			at = at.times(x, p)
			table[place][digit] = at
		}
		x = at.times(x, p)
	}
	return table
}

// TestXorwow holds the tables of include/__weft_xorwow.h to what they are by definition (-update writes them), and these to steps one by one.
func TestXorwow(t *testing.T) {
	p := characteristic(t)
	one, sequence := powers(p, 0), powers(p, 67)
	start := bits160{123456789, 362436069, 521288629, 88675123, 5783321}
	slow := start
	for range 1000 {
		slow = slow.next()
	}
	assert.Equal(t, slow, start.jump(one[2][2]).jump(one[1][13]).jump(one[0][7])) // 1000 = 3 * 256 + 14 * 16 + 8
	var columns [160]bits160                                                      // of the matrix of 2^67 steps, by squaring that of one
	for i := range columns {
		columns[i] = bits160{}
		columns[i][i/32] = 1 << (i % 32)
		columns[i] = columns[i].next()
	}
	apply := func(v bits160) (w bits160) {
		for i := range columns {
			if v.bit(i) {
				w.add(columns[i])
			}
		}
		return w
	}
	for range 67 {
		var squared [160]bits160
		for i := range columns {
			squared[i] = apply(columns[i])
		}
		columns = squared
	}
	assert.Equal(t, apply(start), start.jump(sequence[0][0]))
	assert.Equal(t, apply(apply(apply(start))), start.jump(sequence[0][2]))

	var b strings.Builder
	fmt.Fprint(&b, "// Polynomials by which XORWOW goes ahead, which the test of this folder writes: the step's own, without its power of 160, and x to the powers of\n// digit * 16^place, and of the same times 2^67, modulo the first.\n#pragma once\n")
	row := func(v bits160) string {
		return fmt.Sprintf("{%#x, %#x, %#x, %#x, %#x}", v[0], v[1], v[2], v[3], v[4])
	}
	fmt.Fprintf(&b, "static __device__ const unsigned __weft_xorwow_step[5] = %s;\n", row(p))
	for i, table := range [][16][15]bits160{one, sequence} {
		fmt.Fprintf(&b, "static __device__ const unsigned __weft_xorwow_%s[16][15][5] = {\n", []string{"ahead", "sequence"}[i])
		for _, place := range table {
			fmt.Fprint(&b, "\t{")
			for digit, v := range place {
				if digit > 0 {
					fmt.Fprint(&b, ", ")
				}
				fmt.Fprint(&b, row(v))
			}
			fmt.Fprintln(&b, "},")
		}
		fmt.Fprintln(&b, "};")
	}
	golden.Check(t, "include/__weft_xorwow.h", b.String())
}
