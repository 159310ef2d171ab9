// Package choice picks the scheme for an algorithm on a graph: what --scheduler auto does.
//
// Facts are computed once per graph (graph.Shape): degrees, their spread, and the levels of two bounded searches. Rules
// is an ordered list; the first rule whose condition holds, and whose scheme takes the algorithm, decides scheme and
// parameters. Each rule says in words when it holds and what was measured in its favour. Compare compares the choices
// with recorded times: how much slower each is than the best scheme of the record.
//
// To change the rule, edit the list in rules.go, and run
//
//	go test ./internal/service/catalog -run Auto -v
//	go test ./internal/service/catalog -run TestAutoInTheDocs -update
//
// The first prints the choices next to the best recorded schemes, the second writes docs/schemes.md anew.
package choice
