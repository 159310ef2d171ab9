// Command verdicts judges the claims of specifications by their results:
//
//	go run ./internal/measure/papers/verdicts FOLDER OUT experiments/papers/*.yaml
//
// FOLDER has the results of each study, NAME.db, as "make papers" leaves them. It writes
// OUT/numbers/NAME.csv, the numbers that the verdicts rest on, and OUT/verdicts.md. Of points that have no result in FOLDER, the numbers
// that were written before stay.
package main
