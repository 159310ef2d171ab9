// Package report prints the results of runs for users.
package report
