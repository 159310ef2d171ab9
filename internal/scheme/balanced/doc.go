// Package balanced is the bulk-synchronous baseline of Atos (Chen et al., ICPP 2022, section 3.3): a frontier is
// processed to its end before the next one, and its work is divided among all threads of the
// device before it begins. There are two ways, by the parameter balance:
//
//   - search, load-balancing search (Davidson et al., IPDPS 2014; Baxter, moderngpu): [Gather] writes
//     the prefix sums of the degrees of the frontier, and [Expand] gives each thread as many arcs as
//     any other; a thread finds the vertex of an arc by binary search.
//   - buckets (Merrill, Garland and Grimshaw, PPoPP 2012): [scheduler.Split] sorts the frontier
//     into three lists by degree, and [Bucket] is launched for each: a thread, a warp or a block
//     for each vertex.
//
// With the search, what a vertex sends is taken as in the other bulk-synchronous schemes: Gather takes
// that of all vertices of the frontier before any is sent. With buckets a vertex takes it when its turn
// comes, in the launch that sends it, as in the first kernel of algorithm 3 (PageRank), and may find what the
// same iteration has added.
//
// With collect=true the second kernel of that algorithm, [Collect], looks at all vertices for those
// whose residual is large enough, instead of adding each when an update makes it so.
package balanced
