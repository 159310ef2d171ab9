// Streams that are captured: what is asked of them becomes nodes of a graph.
#include "graphs.h"
#include <cuda_runtime_api.h>

namespace weft {

CUgraphNode_st *newNode(CUgraph_st *graph, cudaGraphNodeType type);

// Captured is a stream that is captured, and what its next node comes after.
struct Captured {
	cudaStream_t stream;
	CUgraph_st *graph;
	bool origin; // it was captured first
	List<CUgraphNode_st *> last;
};
// Mark is an event that was recorded in such a stream.
struct Mark {
	cudaEvent_t event;
	CUgraph_st *graph;
	List<CUgraphNode_st *> last;
};
static List<Captured> streams;
static List<Mark> marks;
static thread_local CUgraphNode_st *recorded;

Recorder::Recorder(CUgraphNode_st *node) { recorded = node; }
Recorder::~Recorder() { recorded = nullptr; }

static Captured *find(cudaStream_t stream) {
	for (Captured &c : streams)
		if (c.stream == stream)
			return &c;
	return nullptr;
}
static Mark *find(cudaEvent_t event) {
	for (Mark &m : marks)
		if (m.event == event)
			return &m;
	return nullptr;
}

bool capturing(cudaStream_t stream) { return find(stream); }
bool recording(cudaStream_t stream) { return recorded || find(stream); }

CUgraphNode_st *captured(cudaStream_t stream, cudaGraphNodeType type) {
	Captured *c = find(stream);
	if (!c)
		return nullptr;
	CUgraphNode_st *node = newNode(c->graph, type);
	node->after = c->last;
	c->last = {};
	c->last.add(node);
	return node;
}

uint64_t *streamOf(weft_request &r) {
	switch (r.call) {
	case WEFT_STREAM_WAIT: return &r.a[0];
	case WEFT_WRITE:
	case WEFT_EVENT_RECORD: return &r.a[1];
	case WEFT_READ: return &r.a[2];
	case WEFT_COPY: return &r.a[3];
	case WEFT_SET: return &r.a[5];
	case WEFT_LAUNCH: return &r.a[8];
	default: return nullptr;
	}
}

CUgraphNode_st *captured(weft_request &r) {
	if (!recorded && streams.count == 0)
		return nullptr;
	uint64_t *stream = streamOf(r);
	if (!stream || recorded)
		return stream ? recorded : nullptr;
	return captured((cudaStream_t)*stream, r.call == WEFT_LAUNCH ? cudaGraphNodeTypeKernel : r.call == WEFT_SET ? cudaGraphNodeTypeMemset : cudaGraphNodeTypeMemcpy);
}

bool captureRecord(cudaEvent_t event, cudaStream_t stream) {
	Captured *c = recorded ? nullptr : find(stream);
	Mark *m = find(event);
	if (!c) {
		if (m)
			marks.remove((size_t)(m - marks.items));
		return false;
	}
	if (!m)
		m = &marks.add({event, nullptr, {}});
	m->graph = c->graph;
	m->last = {};
	for (CUgraphNode_st *node : c->last)
		m->last.add(node);
	return true;
}

// A stream that waits for an event of a captured one is captured from then on.
bool captureWait(cudaStream_t stream, cudaEvent_t event) {
	Mark *m = recorded ? nullptr : find(event);
	if (!m)
		return false;
	Captured *c = find(stream);
	if (!c)
		c = &streams.add({stream, m->graph, false, {}});
	for (CUgraphNode_st *node : m->last) {
		bool known = false;
		for (CUgraphNode_st *other : c->last)
			known |= other == node;
		if (!known)
			c->last.add(node);
	}
	return true;
}

} // namespace weft

using namespace weft;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode) {
	if (!stream || stream == cudaStreamLegacy)
		return fail(cudaErrorStreamCaptureUnsupported);
	if (find(stream))
		return fail(cudaErrorIllegalState);
	streams.add({stream, new CUgraph_st{}, true, {}});
	return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
	Captured *c = find(stream);
	if (!c)
		return fail(cudaErrorIllegalState);
	if (!c->origin)
		return fail(cudaErrorStreamCaptureUnmatched);
	CUgraph_st *done = c->graph;
	List<CUgraphNode_st *> joined = c->last;
	// Each other stream must have come back to this one.
	cudaError_t e = cudaSuccess;
	for (Captured &other : streams)
		for (CUgraphNode_st *node : other.last) {
			bool back = other.graph != done;
			for (CUgraphNode_st *last : joined)
				back |= last == node;
			for (CUgraphNode_st *next : done->nodes)
				for (CUgraphNode_st *before : next->after)
					back |= before == node;
			if (!back)
				e = cudaErrorStreamCaptureUnjoined;
		}
	for (size_t i = streams.count; i-- > 0;)
		if (streams.items[i].graph == done)
			streams.remove(i);
	for (size_t i = marks.count; i-- > 0;)
		if (marks.items[i].graph == done)
			marks.remove(i);
	*graph = e == cudaSuccess ? done : nullptr;
	return fail(e);
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **dependencies, size_t *count) {
	Captured *c = find(stream);
	*status = c ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
	if (!c)
		return cudaSuccess;
	if (id)
		*id = (unsigned long long)c->graph;
	if (graph)
		*graph = c->graph;
	if (dependencies)
		*dependencies = c->last.items;
	if (count)
		*count = c->last.count;
	return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) { return cudaStreamGetCaptureInfo_v2(stream, status, nullptr, nullptr, nullptr, nullptr); }
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
	static thread_local cudaStreamCaptureMode current;
	cudaStreamCaptureMode before = current;
	current = *mode, *mode = before;
	return cudaSuccess;
}
}
