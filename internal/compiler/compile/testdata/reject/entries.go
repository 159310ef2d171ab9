package reject

//kernel reject.Generic
//kernel reject.Result
//kernel reject.Helper
//kernel reject.Pointer
//kernel reject.Second
//kernel reject.Nothing
//kernel reject.Visit
//kernel reject.Shape
//kernel reject.hidden
//kernel reject.Missing
//kernel Missing
//kernel elsewhere.Kernel
//kernel reject.Generic[uint32
//kernel reject.Generic[string]
//kernel reject.Generic[reject.Nowhere]
//kernel reject.Plain[uint32]

import "github.com/weft-gpu/weft/gpu"

func Generic[T gpu.Num](t gpu.Thread, a []T) {}

func Result(t gpu.Thread, a []uint32) uint32 { return a[0] }

func Helper(a []uint32) {}

func Pointer(t *gpu.Thread, a []uint32) {}

func Second(a []uint32, t gpu.Thread) {}

func Nothing() {}

func Visit(t gpu.Thread, f func(uint32)) {}

func Shape(t gpu.Thread, s interface{ area() uint32 }) {}

func Plain[T gpu.Num](a []T) {}

func hidden(t gpu.Thread, a []uint32) {}

func Fine(t gpu.Thread, a []uint32) {}
