// Package oriented is the scheme that counts triangles by arcs that go from the end of the smaller degree to the other one.
//
// # The problem
//
// Counted at each of its three vertices, a triangle is found three times, and the rows of hubs are searched for each of their neighbors.
// An edge between two hubs keeps one thread, or one block, busy for as long as all others together.
//
// # The orientation
//
// [Orient] keeps each edge once, from the end of the smaller degree to the other one; of equal degrees, from the smaller number. No vertex keeps
// more arcs than the square root of twice the edges, whatever its degree: all that its arcs go to have at least as many. A triangle is
// then found once, at the arc between the two ends that have the third one in both rows (Schank and Wagner, Finding, Counting and Listing All Triangles in Large
// Graphs, WEA 2005, "forward"; Latapy, Main-memory triangle computations for very large (sparse (power-law)) graphs, Theoretical Computer Science 2008).
//
// Rows stay where they are, with a gap behind them: no sum over all vertices is needed, and targets still ascend. [OrientWide] does the same for
// vertices of many arcs, a block for each.
//
// # Counting
//
// [Count] gives each warp 32 consecutive places of arcs, whatever vertices they are of, so that warps have about the same work. The targets of
// the shorter row are looked up in the longer one by binary search (Hu, Liu and Huang, TriCore: Parallel Triangle Counting on GPUs, SC 2018): by one lane
// if they are few, else by all lanes, arc by arc. What is found is added to all three vertices; a sum for both ends, and one for each third vertex.
//
// # What it runs
//
// Algorithms whose answer is the number of triangles that each vertex is part of. A type says so by a method Triangles() bool that returns true, and
// also has what other schemes need.
package oriented
