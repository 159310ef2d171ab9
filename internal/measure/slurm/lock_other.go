//go:build !unix

package slurm

import "os"

// lock does nothing: Slurm runs on Unix.
func lock(*os.File) (free bool) { return true }
