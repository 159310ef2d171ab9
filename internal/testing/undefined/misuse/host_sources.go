//go:build !kernel

package misuse

import (
	"embed"

	"github.com/weft-gpu/weft/gpu"
)

//go:embed *.go
var files embed.FS

// Sources is the device code of this package, for the compiler.
var Sources = gpu.Package{Path: "github.com/weft-gpu/weft/internal/testing/undefined/misuse", Files: files}

// Kernels are the kernels of this package by name.
var Kernels = map[string]func(t gpu.Thread, out, blank []uint32, zero uint32){
	"ShuffleMissing": ShuffleMissing, "ShuffleExited": ShuffleExited, "ShuffleOutside": ShuffleOutside, "ShuffleBeyond": ShuffleBeyond,
	"MaskWithoutSelf": MaskWithoutSelf, "MaskElsewhere": MaskElsewhere, "MasksDiffer": MasksDiffer, "MaskMissing": MaskMissing,
	"SyncAround": SyncAround, "SyncAroundEnd": SyncAroundEnd, "SyncAroundWarp": SyncAroundWarp, "SyncArms": SyncArms, "SyncArmsWarp": SyncArmsWarp,
	"SyncTwice": SyncTwice, "SyncRounds": SyncRounds, "SyncKinds": SyncKinds, "SyncReturned": SyncReturned, "CountAround": CountAround, "AndArms": AndArms, "OrAround": OrAround,
	"NamedPart": NamedPart, "SharedUnwritten": SharedUnwritten, "SharedUnwrittenPlain": SharedUnwrittenPlain, "GlobalUnwritten": GlobalUnwritten,
	"DivideByZero": DivideByZero, "DivideOverflow": DivideOverflow, "OutOfRange": OutOfRange, "Misaligned": Misaligned,
	"ShiftFar": ShiftFar, "FloatTooLarge": FloatTooLarge,
}
