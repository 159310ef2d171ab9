package compile

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/function"
)

// flatSlice converts slices of arrays, and pointers to scalars and arrays, to
// slices of the innermost elements.
func flatSlice(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Pointer {
		return v
	}
	n := 1
	if v.Kind() == reflect.Slice {
		n = v.Len()
	}
	e := v.Type().Elem()
	for e.Kind() == reflect.Array {
		n, e = n*e.Len(), e.Elem()
	}
	return reflect.NewAt(reflect.ArrayOf(n, e), v.UnsafePointer()).Elem().Slice(0, n)
}

// runDevice launches a kernel with args on the functional device and copies
// slices and pointers back.
func runDevice(t *testing.T, k *device.Kernel, l device.Launch, args []any) {
	t.Helper()
	dev := function.New(function.Options{})
	defer func() { require.NoError(t, dev.Close()) }()
	var passed []any
	var back []func()
	for i, a := range args {
		v := flatSlice(reflect.ValueOf(a))
		if v.Kind() != reflect.Slice {
			passed = append(passed, a)
			continue
		}
		elem, ok := device.KindOfType(v.Type().Elem())
		n := v.Len()
		if !ok { // structs
			elem, n = device.U8, n*int(v.Type().Elem().Size())
		}
		b, err := dev.Alloc(k.Params[i].Name, elem, n)
		require.NoError(t, err)
		require.NoError(t, dev.Write(b, v.Interface()))
		passed = append(passed, b)
		back = append(back, func() { require.NoError(t, dev.Read(b, v.Interface())) })
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	l.Kernel, l.Args = k, passed
	_, err := dev.Launch(ctx, l)
	require.NoError(t, err)
	for _, f := range back {
		f()
	}
}

// TestLanguageOnDevice runs every kernel of langtest as plain Go and on the
// functional device, with and without optimisation.
func TestLanguageOnDevice(t *testing.T) {
	for _, plain := range []bool{true, false} {
		c := langCompiler(t)
		c.NoOptimize = plain
		for name, lc := range langCases {
			t.Run(map[bool]string{true: "plain/", false: "optimised/"}[plain]+name, func(t *testing.T) {
				k, err := c.Kernel(t.Context(), "langtest."+name, nil)
				require.NoError(t, err)
				for seed := uint64(1); seed <= 3; seed++ {
					want, got := langArgs(lc, seed), langArgs(lc, seed)
					runNative(t, lc, want)
					runDevice(t, k, lc.launch(), got)
					require.Equal(t, want, got, "seed %d", seed)
				}
			})
		}
	}
}
