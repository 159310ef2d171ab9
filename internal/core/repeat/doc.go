// Package repeat decides whether a program that is executed step by step can still end. It knows no machine: a
// simulator or an executor tells it what its warps have executed, and in which state they are.
//
// A warp repeats itself if it returns to a loop head in a state in which it has been there before, and nothing that it
// reads has changed in between (Loop). Only the registers count that decide what the warp does (Flow): one that feeds
// no branch, no address and no value that leaves the warp may count for ever. If every warp repeats itself, or waits
// for one that does, the program hangs in whatever order its warps run.
//
// A machine repeats itself if its whole state recurs, memory included (Machine). Then the program goes on for ever in
// the order in which this machine runs it.
package repeat
