// Package format formats numbers, durations and tables for users.
package format
