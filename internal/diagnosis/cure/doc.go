// Package cure finds what orders the accesses of a data race. It changes the compiled kernels as the rules of PTX suggest
// (the order or the scope of an access, a fence, a barrier, the lock that is taken), runs the program again, and keeps a
// change only if the two lines still meet in memory, nothing races between them any more, and the program ends as before.
//
// # Which changes
//
// Changes of one kind are tried together, and those that are not needed are taken back one by one: what is left names each
// access that must change and no other. The kinds are, in this order:
//
//   - an update by a plain load and a plain store of one element: an atomic;
//   - scopes and orders of the atomics, ordered accesses and fences that there are, with a fence before and after each
//     atomic. Where a thread stores one word and then loads another one, and others do so the other way around, only a
//     sequentially consistent fence keeps the two in order (PTX ISA, section "Memory Consistency Model": the axiom
//     Fence-SC), which no execution of a machine that happens to keep them in order can show: the fence stays;
//   - one lock in place of two;
//   - barriers: before the second access, after the first, in the middle of a line that loads and stores, and, where not
//     all threads come there, before or after the branch that keeps them away;
//   - orders of plain accesses to other buffers, which may be flags;
//   - both accesses as gpu.Load and gpu.Store, which do not race, whatever their order.
//
// # What a check proves
//
// The program has run with the change, on the device on which it raced and under other orders of blocks. That two accesses
// are ordered in these executions does not prove it for all.
package cure
