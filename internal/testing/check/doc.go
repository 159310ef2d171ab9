// Command check looks quickly at what a change touches: go vet everywhere,
// staticcheck and the tests of the packages with changed files, and the tests of
// packages that import these as far as the time allows, the quickest first.
//
//	go run ./internal/testing/check              # what differs from the branch main
//	go run ./internal/testing/check -base HEAD   # what is not committed
//	go run ./internal/testing/check -heavy       # the tests called TestHeavy... of all that the change can break
//	go run ./internal/testing/check -order       # all packages in the order in which their tests end soonest together
//
// Without -heavy it runs no test called TestHeavy, whatever the change, and the
// others with -short: an answer within a minute is one that is asked for after
// each edit. It names what it left out.
package main
