package hw

import "time"

// SetAnswerTime sets how long a child may take to report that it serves.
func SetAnswerTime(d time.Duration) { answerTime = d }

// ChildPID returns the ID of the process that holds the GPU; 0 if it is this process.
func ChildPID(d *Device) int {
	if d.child == nil || d.child.cmd == nil {
		return 0
	}
	return d.child.cmd.Process.Pid
}

// SetCopiers sets how many goroutines copy a large slot, and returns the previous number.
func SetCopiers(n int) int {
	old := copiers
	copiers = n
	return old
}
