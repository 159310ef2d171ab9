// Command testtime runs "go test" and says at its end how much processor time
// each package took, and which tests took longest:
//
//	go run ./internal/testing/testtime -timeout 40m ./...
//
// Its arguments are those of go test. It prints what go test prints without -v.
// If the environment variable WEFT_TEST_SECONDS names a file, it writes the
// processor times there, for command check.
package main
