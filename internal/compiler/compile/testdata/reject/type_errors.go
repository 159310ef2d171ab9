package reject

import (
	"fmt"

	"github.com/weft-gpu/weft/gpu"
)

// Type errors hide neither each other nor other errors.

type odd struct{ n missing }

func (odd) get() uint32 { return 1 }

var host = fmt.Sprint(1)

func helper(n uint32) uint32 { return n + undefined }

func generic[T gpu.Num](t gpu.Thread, a []T) {
	a[0] = "text"
}

var Instance = generic[uint32]

var Nothing func(t gpu.Thread) // an entry point that is not a function

func Body(t gpu.Thread, a []uint32) {
	a[0] = b
	a = append(a, 1)
}

func Caller(t gpu.Thread, a []uint32) {
	n := helper(1)
	a[n] = n // no error here: the error is in helper
	a[1] = odd{}.get()
}

func AfterCall(t gpu.Thread, a []uint32) {
	a[0] = helper(1)
	a = append(a, 2)
}

func Alone(t gpu.Thread, a []uint32) {
	m := map[uint32]uint32{}
	m[1] = a[0]
}

func Unused(t gpu.Thread, a []uint32) {
	var n uint32
	defer t.Sync()
}

func Signature(t gpu.Thread, a []nothing) { a = append(a, 1) }

func Parameter(t gpu.Thread, a chan uint32) {}

const (
	one = 1
	two = "2" + 1
)

func Constants(t gpu.Thread, a []uint32) {
	a[0] = one
	a = append(a, 1)
}
