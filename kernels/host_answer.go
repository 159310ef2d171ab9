//go:build !kernel

package kernels

import "fmt"

// as gives x its type, or returns an error with the type that it has.
func as[T any](x any) (T, error) {
	t, ok := x.(T)
	if !ok {
		return t, fmt.Errorf("the answer is %T, not %T", x, t)
	}
	return t, nil
}
