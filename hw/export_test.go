package hw

import "time"

// SetAnswerTime sets how long a child may take to say that it is one.
func SetAnswerTime(d time.Duration) { answerTime = d }

// ChildPID is the process that holds the GPU; 0 where it is this one.
func ChildPID(d *Device) int {
	if d.child == nil || d.child.cmd == nil {
		return 0
	}
	return d.child.cmd.Process.Pid
}

// SetCopiers sets how many goroutines copy a large slot, and returns how many did.
func SetCopiers(n int) int {
	old := copiers
	copiers = n
	return old
}
