//go:build !kernel

package kernels

import "fmt"

// as returns x as a T, or an error that names the type that x has.
func as[T any](x any) (T, error) {
	t, ok := x.(T)
	if !ok {
		return t, fmt.Errorf("the answer is %T, not %T", x, t)
	}
	return t, nil
}
