package annotate

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDegreeRow(t *testing.T) {
	count := make([]uint64, 33)
	for n := 1; n <= 32; n++ {
		count[n] = 1
	}
	assert.Equal(t, []string{"1", "1", "2", "4", "8", "16"}, degreeRow(count), "1, 2, 3-4, 5-8, 9-16 and 17-32 lanes")
	assert.Equal(t, []string{"", "5", "", "", "", ""}, degreeRow([]uint64{0, 0, 5}))
}

func TestReadSource(t *testing.T) {
	src := readSource("a.go", []byte("package a\n\n// F does\n// nothing.\nfunc F() {\n}\n\nvar X = 1\n"))
	assert.Equal(t, [][2]int{{3, 6}, {8, 8}}, src.shown([]int{5, 6, 8}))
	assert.Empty(t, src.shown([]int{0, 99}), "no such lines")
	assert.Equal(t, [][2]int{{2, 2}}, readSource("b.go", []byte("func {\nx\n")).shown([]int{2}), "a file that does not parse")
}
