//go:build !unix

package bench

import "time"

var processStart = time.Now()

// cpuTime returns wall time, because the system does not report the CPU time of
// a process.
func cpuTime() (user, system time.Duration) { return time.Since(processStart), 0 }
