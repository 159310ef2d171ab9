package hangs

import (
	"fmt"
	"regexp"
	"strconv"
)

// Grid is a number of blocks: a number, or an expression over what fits on a machine.
type Grid struct {
	number int    // the number, if base is ""
	base   string // fit or eq1
	times  int
	plus   int
}

// The bases of a Grid: the number of blocks that are resident at the same time, and what
// equation 1 of SIMD-X takes for that.
const (
	fit = "fit"
	eq1 = "eq1"
)

var gridForm = regexp.MustCompile(`^(?:(\d{1,4})\*)?(fit|eq1)([+-]\d{1,6})?$`)

// maxBlocks is the largest grid of a scenario.
const maxBlocks = 1 << 20

// ParseGrid parses a number such as 61, or fit, eq1, fit+1 or 2*fit.
func ParseGrid(text string) (Grid, error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= maxBlocks {
		return Grid{number: n}, nil
	}
	m := gridForm.FindStringSubmatch(text)
	if m == nil {
		return Grid{}, fmt.Errorf("%q is no grid: write a number from 1 to %d, fit for as many blocks as are resident, eq1 for what equation 1 of SIMD-X says, or such as fit+1 or 2*fit", text, maxBlocks)
	}
	g := Grid{base: m[2], times: 1}
	if m[1] != "" {
		g.times, _ = strconv.Atoi(m[1])
	}
	if m[3] != "" {
		g.plus, _ = strconv.Atoi(m[3])
	}
	return g, nil
}

// Of returns the number of blocks on a machine. A number must be a multiple of multiple; the
// value of an expression is rounded down.
func (g Grid) Of(resident, formula, multiple int) (int, error) {
	if g.base == "" {
		if g.number%multiple != 0 {
			return 0, fmt.Errorf("%d blocks: the number must be a multiple of %d", g.number, multiple)
		}
		return g.number, nil
	}
	n := resident
	if g.base == eq1 {
		n = formula
	}
	n = n*g.times + g.plus
	n -= n % multiple
	if n < 1 || n > maxBlocks {
		return 0, fmt.Errorf("the grid has %d blocks; it may have 1 to %d", n, maxBlocks)
	}
	return n, nil
}
