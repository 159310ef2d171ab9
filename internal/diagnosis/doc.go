// Package diagnosis has no code: its folders watch a launch, whichever executor runs it, and explain it: races (race), who
// waits for whom (waitfor), and advice that is tried before it is given (remedy for hangs, cure for races).
package diagnosis
