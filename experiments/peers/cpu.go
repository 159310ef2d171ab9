package main

import (
	"syscall"
	"time"
)

// cpu is the processor time that this process has taken so far, in seconds:
// other than the time on the wall, it does not depend on what else runs here.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return (time.Duration(u.Utime.Nano()) + time.Duration(u.Stime.Nano())).Seconds()
}
