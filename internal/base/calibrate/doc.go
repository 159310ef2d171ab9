// Package calibrate measures how fast this machine currently is, with a fixed
// loop that never changes. Divide a rate by the rate of the loop to compare it
// with one from another machine or from a time with a different load.
package calibrate
