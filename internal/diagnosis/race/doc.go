// Package race finds data races in kernels while they run: accesses of
// different threads to the same memory, at least one of them a write, that
// nothing orders and that are not morally strong, after the memory model of PTX
// (PTX ISA, section "Memory Consistency Model"; Lustig, Sahasrabuddhe and
// Giroux, ASPLOS 2019). It knows neither the functional executor nor the
// simulator, which call it.
//
// # Which order it sees
//
// Causality order is tracked with clocks. It comes from program order; from
// Sync, SyncWarp and named barriers; from release patterns (a release, or a
// fence followed by a strong write) that acquire patterns read from (an
// acquire, or a strong read followed by a fence), also through atomics in
// between, if the scopes of both sides include the other thread; from FenceSC;
// from waits for asynchronous copies and from mbarriers that these arrive at
// (see copies.go);
// and from the boundaries of launches. On a group of GPUs it also comes from the
// order of commands (see Command). It is transitive, so that fences are
// cumulative. Lanes of a warp are threads like others: only SyncWarp and
// barriers order them, on machines with a reconvergence stack, too (see
// RATIONALE.md). Votes and shuffles order nothing.
//
// Two strong accesses (atomics and ordered accesses) of the same width do not
// race if their scopes include both threads. All other pairs that conflict must
// be ordered.
//
// # How
//
// The accesses to a word since the last ordered write are kept as epochs, as in
// FastTrack (Flanagan and Freund, PLDI 2009): one if they are ordered, and a
// short list if not. An epoch is a warp, a clock and a mask of lanes: as in
// Barracuda (Eizenberg et al., PLDI 2017) the lanes of a warp share a clock, and
// what a warp knows of its block is one number from the last barrier on.
// Knowledge of other blocks, which only synchronisation through memory gives, is
// a sparse vector clock that is added up when an access depends on it: a release
// or an acquire only notes from which clocks a new one is made, and a question is
// most often answered by a few of these, since clocks made before an access
// cannot know of it. Scopes are compared as in ScoRD (Kamath et al., ISCA
// 2020) and iGUARD (Kamath and Basu, SOSP 2021). As in HiRace (Jacobson et al.,
// SC 2024) the metadata of earlier launches and blocks need no clearing; here
// because clocks only grow.
//
// Accesses that cannot race with any other of their launch are not tracked:
// those of buffers that a launch only reads, and atomics and ordered accesses
// of buffers that it accesses in no other way.
//
// # What it misses
//
// It judges the execution that happened: two accesses that happened to be
// ordered are not reported, although another schedule may not order them. If
// more than maxList warps have accessed a word without an order between them,
// older accesses are forgotten, and counted (Races.Forgotten). Who waits for one
// asynchronous copy of a lane is taken to know of those that the lane has issued
// before. A fence of the asynchronous proxy that is missing is not noticed. All of
// these can hide a race, and none can invent one.
package race
