//go:build unix

package slurm

import (
	"os"
	"syscall"
)

// lock takes the file for this process; free is false if another one has it.
func lock(f *os.File) (free bool) {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
