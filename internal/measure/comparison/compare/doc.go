// Package compare compares what two devices did, or a device with a record: answers, times and counters, with the
// error of the first side relative to the second.
package compare
