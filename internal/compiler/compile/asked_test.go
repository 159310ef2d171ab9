package compile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAskedErrors: who asks for one kernel gets its errors and those of what it uses; of the others their number.
func TestAskedErrors(t *testing.T) {
	const lowering = `package k

import "github.com/weft-gpu/weft/gpu"

func AFirst(t gpu.Thread, x []float32) {
	m := map[int]int{}
	_ = m
}

func Good(t gpu.Thread, x []float32) { x[0] = 1 }

func Helped(t gpu.Thread, x []float32) { helper(x) }

func Generic[T any](t gpu.Thread, x []T) { pair[T]{}.swap(x) }

type pair[T any] struct{}

func (pair[T]) swap(x []T) { go func() {}() }

func helper(x []float32) {
	defer println("a")
}
`
	const typed = lowering + "\nfunc Typed(t gpu.Thread, x []float32) { x[0] = wrong }\n"
	for _, c := range []struct{ name, source, kernel, says string }{
		{"a kernel without errors compiles", lowering, "k.Good", ""},
		{"lowering, of the kernel", lowering, "k.AFirst", "k/k.go:6:18: maps are not supported in device code; use a slice indexed by the key\nand 1 error in other functions of the package"},
		{"lowering, of what it calls", lowering, "k.Helped", "k/k.go:21:2: defer is not supported in device code; write the call where the function returns\n\tk/k.go:12:48: inlined from here\nand 1 error in other functions of the package"},
		{"types, of the kernel", typed, "k.Typed", "k/k.go:24:48: undefined: wrong\nand 2 errors in other functions of the package"},
		{"types elsewhere, a lowering error here", typed, "k.AFirst", "k/k.go:6:18: maps are not supported in device code; use a slice indexed by the key\nand 2 errors in other functions of the package"},
		{"types elsewhere, none here", typed, "k.Good", "k/k.go:24:48: undefined: wrong\nGood itself has no error, but a package with an error of this kind does not compile at all"},
		{"of an instance", typed, "k.Generic[uint32]", "k/k.go:24:48: undefined: wrong\nGeneric itself has no error, but a package with an error of this kind does not compile at all"},
		{"a variable that is no kernel", lowering + "\nvar Odd = pick()\n\nfunc pick() func(gpu.Thread) { return nil }\n", "k.Helped",
			"k/k.go:21:2: defer is not supported in device code; write the call where the function returns\n\tk/k.go:12:48: inlined from here\nand 2 errors in other functions of the package"},
		{"a method that the kernel calls", lowering + "\nvar Mine = Generic[uint32]\n", "k.Mine",
			"k/k.go:18:30: go statements are not supported in device code; the threads of the launch run in parallel\n\tk/k.go:14:58: inlined from here\nand 2 errors in other functions of the package"},
		{"imports concern every kernel", "package k\n\nimport \"fmt\"\n" + lowering[len("package k\n"):] + "\nvar Print = fmt.Println\n", "k.Good", "k/k.go:3:8: package \"fmt\" cannot be used in device code; "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := with(t, "k", map[string]string{"k.go": c.source}).Kernel(t.Context(), c.kernel, nil)
			switch {
			case c.says == "":
				require.NoError(t, err)
			case c.says[len(c.says)-1] == ' ':
				require.ErrorContains(t, err, c.says)
				require.NotContains(t, err.Error(), "maps")
			default:
				require.EqualError(t, err, c.says)
			}
		})
	}
}
