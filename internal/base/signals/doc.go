// Package signals ends a command when a terminal, a service manager or a broken
// pipe sends a signal.
package signals
