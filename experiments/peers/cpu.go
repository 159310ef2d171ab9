package main

import (
	"syscall"
	"time"
)

// cpu returns the CPU time of this process so far, in seconds: unlike wall time, it does not depend on other
// processes.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return (time.Duration(u.Utime.Nano()) + time.Duration(u.Stime.Nano())).Seconds()
}
