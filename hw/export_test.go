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

// Versioned returns the text of a module as the driver gets it.
func Versioned(text string) string { return versioned(text) }

// SetCopiers sets how many goroutines copy a large slot, and returns the previous number.
func SetCopiers(n int) int {
	old := copiers
	copiers = n
	return old
}

// SetPiece sets the largest part of a copy that a call makes, and returns the previous one.
func SetPiece(n int) int {
	old := pieceBytes
	pieceBytes = n
	return old
}

// SetArena sets how much memory a list may take, and returns the previous size.
func SetArena(n int) int {
	old := arenaBytes
	arenaBytes = n
	return old
}

// Cleared returns how many answers the GPU holds cleared.
func Cleared(d *Device) (n int) {
	for _, c := range d.cleared {
		if c.buffer.Len > 0 {
			n++
		}
	}
	return n
}

// Built returns how many variants of a kernel were built.
func Built(d *Device, kernel string) (n int) {
	for key := range d.code {
		if key.kernel.Name == kernel {
			n++
		}
	}
	return n
}
