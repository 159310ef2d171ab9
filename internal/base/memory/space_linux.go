package memory

import (
	"os"
	"syscall"
)

// addressSpace returns how many bytes the limit on the process's address space
// leaves ("ulimit -v"); ok is false if there is no limit.
func addressSpace() (bytes uint64, ok bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur >= 1<<62 {
		return 0, false
	}
	kib, ok := system{os.DirFS("/")}.table("proc/self/status")["VmSize:"]
	return limit.Cur - min(limit.Cur, kib<<10), ok
}
