// Package vwc is the virtual-warp-centric scheme (Hong, Kim, Oguntebi and Olukotun, PPoPP
// 2011), which Warp Segmentation is compared with (Khorasani, Gupta and Bhuyan, PACT 2015,
// slides 5, 9, 10 and 16).
//
// A warp is divided into virtual warps of 2, 4, 8, 16 or 32 lanes, and each virtual warp
// gathers the updates of one vertex: its lanes read neighboring arcs and then combine what
// they have in as many steps as the width is doubled from 1. All vertices get the same number
// of lanes, whatever their degree. In a vertex of small degree most lanes of a wide virtual
// warp idle; a vertex of large degree keeps a narrow one busy long after the others of its
// warp are done. No width suits a graph that has both, so the slides find about 40% of
// the lanes at work (the counter smsp__thread_inst_executed_per_inst_executed.ratio, as a
// part of 32).
//
// An iteration is one launch of [Pull] over all vertices. Values are double-buffered: it
// reads those of the previous iteration, as in the slides' example (slide 6).
package vwc
