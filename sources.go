// Package weft embeds the device sources, so that kernels are compiled at
// start-up with no Go toolchain and no generated file.
package weft

import "embed"

// Module is the import path of the project; the embedded folders are mounted below it.
const Module = "github.com/weft-gpu/weft"

// Sources holds the Go files of gpu, scheduler and kernels.
//
//go:embed gpu/*.go scheduler/*.go scheduler/*/*.go kernels/*.go kernels/litmus/*.go kernels/micro/*.go
var Sources embed.FS
