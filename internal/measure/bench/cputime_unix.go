//go:build unix

package bench

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time that this process has used so far, in user and
// in system mode. On a shared machine, wall time says little.
func cpuTime() (user, system time.Duration) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}
