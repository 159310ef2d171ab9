package reject

import "github.com/weft-gpu/weft/gpu"

func fib(n uint32) uint32 {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func even(n uint32) bool { return n == 0 || odd(n-1) }
func odd(n uint32) bool  { return n != 0 && even(n-1) }

func Direct(t gpu.Thread, a []uint32) { a[0] = fib(a[1]) }

func Mutual(t gpu.Thread, a []uint32) {
	if even(a[0]) {
		a[1] = 1
	}
}

func Closure(t gpu.Thread, a []uint32) {
	var f func(n uint32) uint32
	f = func(n uint32) uint32 {
		if n == 0 {
			return 1
		}
		return n * f(n-1)
	}
	a[0] = f(a[1])
}
