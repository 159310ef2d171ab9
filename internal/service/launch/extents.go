package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// Extents parses the blocks of a grid, or the threads of a block, along x, y and z: 64, 64x32 or
// 64x32x2.
func Extents(text string) (dim [3]int, err error) {
	dim = [3]int{1, 1, 1}
	parts := strings.Split(text, "x")
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || i > 2 {
			return dim, fmt.Errorf("%q is not one to three whole numbers of at least 1 with x between them", text)
		}
		dim[i] = n
	}
	return dim, nil
}
