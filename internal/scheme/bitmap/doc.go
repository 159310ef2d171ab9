// Package bitmap is the scheme for searches in which the first iteration that reaches a vertex gives it its value. A whole run is one kernel.
//
// # Two bitmaps
//
// A bitmap has a bit for each vertex that was reached. A push sets bits in it by atomics. A pull reads one bitmap and writes another one, some words for each
// warp, whose lanes take the vertices that these lack: each of them looks for a source among those that were reached. These are all in the frontier, since one that was reached
// before would have sent before. So a pull needs no frontier but for its size, and if a push follows, the frontier is what one bitmap has and the other one has not.
// Nothing is converted when the direction changes (Beamer, Asanovic and Patterson, Direction-Optimizing Breadth-First Search, SC 2012).
//
// # Equal parts
//
// The frontier of a push is a list of pieces of rows of up to [PieceArcs] arcs. A warp takes some of them, finds by prefix sums which arc is whose, and gives
// each lane as many as any other (Merrill, Garland and Grimshaw, Scalable GPU Graph Traversal, PPoPP 2012). Each lane has four arcs under way together: their
// loads and atomics do not wait for each other. In a pull a lane looks at the first four arcs of its own vertex; the warp shares what is left in the same way,
// and if that is much, it goes to a list for all warps.
//
// # Wide frontiers
//
// A push of many arcs lists nothing. It sets bits in the second bitmap, as a pull does, and stores values; what was found is counted by a pass over both bitmaps, where the rows of neighboring vertices
// follow each other in memory, and is listed by another one if a push follows. A thread that found a vertex would have to load its row from anywhere, and to get a place in the list.
//
// # Small frontiers
//
// A barrier of all blocks takes an H200 as long as an iteration of a small frontier. As long as it is small, one block goes on alone, with the frontier in shared memory.
//
// # Several GPUs
//
// Each GPU of a group reaches the vertices of its range, and has the arcs that lead to them ([SearchGroup]). After an iteration, GPUs tell each other what they have found: pairs of a vertex and
// its value, or, after a pull or a wide push, bits, and values at their places. Where all updates of an iteration are the same (Alike), each GPU knows the value, and bits are enough. Bitmaps of all vertices are on each GPU.
//
// # What it runs
//
// Algorithms that have a method Reaches() bool that returns true. With EarlyEnd, any one of the updates that reach a vertex will do, and the thread that sets the bit
// stores the value; otherwise all of them are combined by atomics, and a pull looks at all arcs.
//
// # Strongly connected components
//
// The same searches find the component of one vertex: those that one along the arcs and one against them both reach (Fleischer, Hendrickson and Pinar, On Identifying
// Strongly Connected Components in Parallel, IPDPS 2000 workshops). Most graphs have one large component, and a vertex whose degrees have a large product is in it. [Components] runs both searches at the same time, each by half of
// the blocks: their iterations are short, so that they mostly wait.
//
// The components that are left are found by signatures: the largest vertex that leads to a vertex, and the largest one that it leads to (Alabandi, Sands, Biros and Burtscher, A High-Performance GPU Algorithm for Strongly Connected
// Components, SC 2023). Both are passed on along a list of arcs until none changes, also to the signature of the vertex in the signature. Where both are the same, the component is known; arcs between different signatures leave the list. In most
// graphs a few rounds are enough, and one block alone runs the last ones.
package bitmap
