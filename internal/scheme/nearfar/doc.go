// Package nearfar is the scheme for searches whose vertices may be visited several times, such as shortest paths. A whole run is one kernel on each of 1 to 8 GPUs.
//
// # Near and far
//
// The near list has the vertices that are visited in an iteration, with their values. Those that it improves are marked, a bit each; then a pass over these bits sends the vertices of this phase to the next near list, and keeps a bit of those that are far. When the near
// list is empty, the least phase of a vertex that is far begins (Davidson, Baxter, Garland and Owens, Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths, IPDPS 2014).
//
// # Several GPUs
//
// A GPU has the arcs that lead to the vertices of its range, and alone changes their values ([Search]). The near list is in the inbox of each GPU, where the GPU that has a vertex stores it with its value. So no update crosses a link, and a GPU has no values of others.
//
// # Equal parts
//
// A warp takes up to 32 vertices, finds by prefix sums which arc is whose, and gives each lane as many as any other (Merrill, Garland and Grimshaw, Scalable GPU Graph Traversal, PPoPP 2012). Each lane has four arcs under way together. Rows of more than [PieceArcs] arcs are cut, and all warps share
// the parts when the near list is done.
//
// # Small near lists
//
// As long as the near list is small, one block of each GPU goes on alone: these need no barrier of all blocks, and keep what they improve in a list in shared memory.
//
// # What it runs
//
// Algorithms with the Combine of Min or Max whose vertices send their values as they are. If they run in phases, these must save work alone (Unordered).
package nearfar
