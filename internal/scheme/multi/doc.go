// Package multi is a scheme for several GPUs, and the ways of exchanging values that Vertex
// Refinement is compared with (Khorasani, Gupta and Bhuyan, Scalable SIMD-Efficient Graph
// Processing on GPUs, PACT 2015, slides 18 to 23).
//
// The vertices are divided into as many ranges as there are GPUs, with about equal numbers of
// arcs. A GPU owns the vertices of a range and has their arcs ([Part]). It has a value for each
// vertex of the graph: those of its own range, and replicas of all others (slide 19). In an
// iteration it computes the values of its range, and then the replicas that others hold of them
// must become current. What is sent for this is the parameter exchange:
//
//   - all: each GPU sends the values of its range to all others (slide 20; Medusa, Zhong and He,
//     TPDS 2014).
//   - ms: each GPU sends the values of its boundary vertices, those that some other GPU has an
//     arc from, to all others (maximal subset, slide 21; Totem, Gharaibeh et al., PACT 2012).
//     The set is fixed, so that only values are sent.
//   - vr-offline: the boundary vertices are marked before the run (offline vertex refinement,
//     slide 22). The kernel puts the marked ones into an outbox as it computes them, with their
//     numbers. It sends what ms sends, by the means of vr-online.
//   - vr-online: of the marked vertices, the kernel puts those into the outbox whose value it
//     has just changed (online vertex refinement, slide 23: [Outbox.Put]); of an algorithm that
//     tolerates older values, those that have changed by more than that ([PullRefine]).
//
// The work is the same in all of these. Slides 4 and 5 say why the
// difference matters: a GPU reads its own memory many times faster than a PCIe link delivers,
// and 9 to 18% of what all and ms send is useful, a value that has changed and that the receiver
// reads.
//
// [Pull] and [PullSend] are the kernels of an iteration. How a warp gathers the updates of its
// 32 vertices is their [Base]: Warp Segmentation, a vertex for each lane, or one after another.
// What a lane does with its sum is the same for all of them, and so is the outbox. Values are
// double-buffered and an iteration waits for what the one before it sent, so it reads the same
// values as on one GPU; sums of floats differ in their rounding, since where a range begins
// decides in which order a warp adds. The original updates values in place.
//
// [Push] is the other direction, which the slides do not have. The arcs of a GPU are those
// that begin at its vertices. An update for a vertex of another GPU is combined in the replica
// ([scheduler.Algorithm]), and sent to its owner, and only there, which combines it into the value
// ([Merge]). Algorithms in phases are pushed: [NextPhase] and [EnterPhase] run on each GPU when no vertex is active on any, and
// [CollectSingle] sends updates that do not combine, one by one.
//
// In both the host runs the iterations. [PushAll] does without: a launch on each GPU is the whole run, and
// the GPUs store into each other's inboxes and wait for each other. So does [PullAll], in which they store
// values in each other's replicas. None of these is in the slides.
//
// Values travel from GPU to GPU, by copies or by a kernel that stores them there (Store), or by way
// of the memory of the host, which then is the hub of all inboxes. The host learns the size of an outbox at the end of the launch that filled it.
// There are two sets of outboxes: one is sent while the next launch fills the other.
package multi
