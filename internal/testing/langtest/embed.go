//go:build !kernel

package langtest

import "embed"

// Sources holds the kernels.
//
//go:embed *.go
var Sources embed.FS
