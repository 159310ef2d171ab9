// Graphs: what their nodes ask weft for when they are launched.
#pragma once
#include "list.h"
#include "runtime.h"
#include <__weft_graphs.h>

// A node is the calls that it makes in the stream of the launch, one after the other, or a function of the host, or a graph.
struct CUgraphNode_st {
	cudaGraphNodeType type;
	CUgraph_st *graph;
	CUgraphNode_st *origin; // of a copy
	weft::List<CUgraphNode_st *> after;
	weft::List<weft::Call *> calls;
	cudaHostNodeParams host;
	CUgraph_st *child;
};
struct CUgraph_st {
	weft::List<CUgraphNode_st *> nodes;
};
struct CUgraphExec_st {
	CUgraph_st *graph; // a copy, so that it stays as it was
};

namespace weft {

// Recorder makes the calls of this thread those of a node, instead of sending them.
struct Recorder {
	explicit Recorder(CUgraphNode_st *node);
	~Recorder();
};
// streamOf returns the argument of a call that is its stream; null if it has none.
uint64_t *streamOf(weft_request &request);
// captured returns the node that takes a call, since it is made by Recorder or in a stream that is captured; null for all others.
CUgraphNode_st *captured(weft_request &request);
CUgraphNode_st *captured(cudaStream_t stream, cudaGraphNodeType type);
bool capturing(cudaStream_t stream); // and recording, by Recorder, too
bool recording(cudaStream_t stream);

// What happens to events is a part of the graph. These return whether it was.
bool captureRecord(cudaEvent_t event, cudaStream_t stream);
bool captureWait(cudaStream_t stream, cudaEvent_t event);

} // namespace weft
