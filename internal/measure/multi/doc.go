// Command multi repeats what the slides of Vertex Refinement compare (Khorasani, Gupta and Bhuyan, PACT 2015, slides 5
// and 18 to 23): what GPUs send each other, how much of it is useful, and how long it takes, for the exchanges of scheduler
// multi. It writes the record and the tables of results/multi.
//
//	go run ./internal/measure/multi --graphs FOLDER
//
// FOLDER has soc-Slashdot0902.txt.gz and web-NotreDame.txt.gz of the SNAP collection.
package main
