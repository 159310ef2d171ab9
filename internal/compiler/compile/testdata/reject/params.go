package reject

import "github.com/weft-gpu/weft/gpu"

type list struct {
	next *list
	v    uint32
}

type row struct{ cells []uint32 }

func Pointers(t gpu.Thread, l *list)                     {}
func Rows(t gpu.Thread, rows [][]uint32)                 {}
func Structs(t gpu.Thread, rows []row)                   {}
func Nested(t gpu.Thread, s struct{ f func() })          {}
func Strings(t gpu.Thread, names []string)               {}
func Threads(t, u gpu.Thread)                            {}
func Raw(t gpu.Thread, p uintptr)                        {}
func Large(t gpu.Thread, table [1000]uint32, a []uint32) {}
func Interfaces(t gpu.Thread, s struct{ x any })         {}
