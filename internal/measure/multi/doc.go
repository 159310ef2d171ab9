// Command multi judges what the slides of Vertex Refinement compare (Khorasani, Gupta and Bhuyan, PACT 2015, slides 5
// and 18 to 23): what GPUs send each other, how much of it is useful, and how long it takes, for the exchanges of scheduler
// multi. It adds runs of experiments/studies/exchanges.yaml to the record of results/multi, and writes the tables of its page.
//
//	weft sweep experiments/studies/exchanges.yaml --graphs FOLDER
//	go run ./internal/measure/multi exchanges.db
package main
