// Package barrier contains barriers of all blocks of a grid, which hardware does not have, and
// the misuse of the barrier of a block, which it has. A barrier of the grid completes only if all
// blocks are resident at the same time: a block that is not starts when another one ends, and
// none ends before the barrier.
package barrier
