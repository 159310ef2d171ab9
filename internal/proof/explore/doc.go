// Package explore runs a program under many schedules of a simulated machine, until one of them makes it fail, and
// reduces that schedule to what the failure needs.
//
// The schedules follow the idea of PCT (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010): most bugs need the order of few events only, so a schedule
// that changes few, chosen at random, finds them more often than one that is random everywhere. Here the other warps
// run at the same time, as the machine runs them; a change point makes one warp wait before an access to memory until
// all others have ended or wait for it. Change points are drawn from those accesses whose order matters: to an address
// that several warps access and at least one writes. In addition, blocks are placed in a random order, any warp may
// issue, and messages are delayed, each in some of the schedules.
package explore
