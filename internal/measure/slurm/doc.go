// Package slurm runs the tasks of a plan (package sweep) on a cluster with Slurm.
//
// The tasks are divided into shares, by the hash of their points. A share is a task of a Slurm job
// array: a process of weft that runs the points of its share and writes the results into files
// of its own, in a folder that all nodes see. The engine, which runs where the user is, submits
// the shares, merges the files into the one store while they appear, and submits the rest of a
// share again whose process ended early.
//
// The folder is all that the engine and its workers share:
//
//	weft-HASH      the program that the workers run
//	job.sh         the script of the arrays
//	todo/7         the points of share 7
//	begun/7        points that a worker of share 7 began, one per line
//	shards/*.db    results that are complete: nobody has the file open
//	shards/*.part  results of a worker that runs, or that was killed
//	log/           what the workers printed
//
// No file of SQLite is ever open on two machines: file systems of clusters do not lock as it
// needs. A worker closes its file every few seconds, gives it its last name, and begins another
// one. What a killed worker left open is read from a copy, after Slurm says that it has ended.
//
// Slurm itself knows which shares are waiting or running (squeue), so an engine that was killed
// goes on where it was, and nothing is lost while slurmctld is away. A result that arrives twice is
// merged once.
package slurm
