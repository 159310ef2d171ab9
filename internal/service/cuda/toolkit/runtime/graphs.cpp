// Graphs. A launch sends the calls of the nodes in an order that their edges allow, in one stream: edges do not say that more happens at a time.
#include "graphs.h"
#include <cuda_runtime_api.h>
#include <string.h>

namespace weft {

CUgraphNode_st *newNode(CUgraph_st *graph, cudaGraphNodeType type) {
	return graph->nodes.add(new CUgraphNode_st{type, graph, nullptr, {}, {}, {}, nullptr});
}

static CUgraph_st *copyOf(const CUgraph_st *graph);
static void destroy(CUgraph_st *graph);

static void emptied(CUgraphNode_st *node) {
	for (Call *c : node->calls)
		delete c;
	node->calls.clear();
	if (node->child)
		destroy(node->child);
	node->child = nullptr;
}

// become gives a node what another one does.
static void become(CUgraphNode_st *node, const CUgraphNode_st *other) {
	emptied(node);
	for (Call *c : other->calls)
		node->calls.add(c->kept());
	node->host = other->host;
	if (other->child)
		node->child = copyOf(other->child);
}

static CUgraph_st *copyOf(const CUgraph_st *graph) {
	CUgraph_st *copy = new CUgraph_st{};
	for (CUgraphNode_st *node : graph->nodes) {
		CUgraphNode_st *n = newNode(copy, node->type);
		n->origin = node;
		become(n, node);
	}
	for (size_t i = 0; i < graph->nodes.count; i++)
		for (CUgraphNode_st *before : graph->nodes.items[i]->after)
			for (CUgraphNode_st *n : copy->nodes)
				if (n->origin == before)
					copy->nodes.items[i]->after.add(n);
	return copy;
}

static void destroy(CUgraph_st *graph) {
	for (CUgraphNode_st *node : graph->nodes) {
		emptied(node);
		node->after.clear();
		delete node;
	}
	graph->nodes.clear();
	delete graph;
}

static cudaError_t launch(const CUgraph_st *graph, cudaStream_t stream);

static cudaError_t launch(const CUgraphNode_st *node, cudaStream_t stream) {
	for (Call *c : node->calls) {
		cudaError_t e = c->again(stream);
		if (e != cudaSuccess)
			return e;
	}
	if (node->host.fn)
		return cudaLaunchHostFunc(stream, node->host.fn, node->host.userData);
	return node->child ? launch(node->child, stream) : cudaSuccess;
}

static cudaError_t launch(const CUgraph_st *graph, cudaStream_t stream) {
	List<CUgraphNode_st *> done;
	auto isDone = [&](CUgraphNode_st *n) {
		for (CUgraphNode_st *d : done)
			if (d == n)
				return true;
		return false;
	};
	cudaError_t e = cudaSuccess;
	// Most nodes were added after those that they follow, and one round suffices.
	for (size_t before = ~(size_t)0; e == cudaSuccess && done.count < graph->nodes.count && done.count != before;) {
		before = done.count;
		for (CUgraphNode_st *node : graph->nodes) {
			bool ready = !isDone(node);
			for (CUgraphNode_st *a : node->after)
				ready = ready && isDone(a);
			if (!ready)
				continue;
			if ((e = launch(node, stream)) != cudaSuccess)
				break;
			done.add(node);
		}
	}
	if (e == cudaSuccess && done.count < graph->nodes.count)
		e = fail(cudaErrorInvalidValue); // a cycle
	done.clear();
	return e;
}

// Filling is what a node is given: calls of this thread, in order.
template <class F> static cudaError_t fill(CUgraphNode_st *node, F calls) {
	emptied(node);
	Recorder recorder(node);
	return calls();
}

template <class F> static cudaError_t add(cudaGraphNode_t *result, CUgraph_st *graph, const cudaGraphNode_t *after, size_t count, cudaGraphNodeType type, F calls) {
	if (!result || !graph || (count && !after))
		return fail(cudaErrorInvalidValue);
	CUgraphNode_st *node = newNode(graph, type);
	for (size_t i = 0; i < count; i++)
		node->after.add(after[i]);
	cudaError_t e = fill(node, calls);
	if (e != cudaSuccess) {
		graph->nodes.remove(graph->nodes.count - 1);
		node->after.clear();
		emptied(node);
		delete node;
		return e;
	}
	*result = node;
	return cudaSuccess;
}

static cudaError_t kernelOf(const cudaKernelNodeParams *p) {
	if (!p || p->extra)
		return fail(cudaErrorInvalidValue);
	return cudaLaunchKernel(p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, nullptr);
}

// set fills rows with a value of 1, 2 or 4 bytes.
static cudaError_t set(const cudaMemsetParams *p) {
	if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return fail(cudaErrorInvalidValue);
	size_t width = p->width * p->elementSize;
	const unsigned char *bytes = (const unsigned char *)&p->value;
	bool uniform = true;
	for (unsigned i = 1; i < p->elementSize; i++)
		uniform = uniform && bytes[i] == bytes[0];
	if (uniform)
		return cudaMemset2DAsync(p->dst, p->height > 1 ? p->pitch : width, bytes[0], width, p->height, nullptr);
	char *row = (char *)malloc(width);
	for (size_t i = 0; i < width; i += p->elementSize)
		memcpy(row + i, bytes, p->elementSize);
	cudaError_t e = cudaSuccess;
	for (size_t y = 0; y < p->height && e == cudaSuccess; y++) {
		Call c(WEFT_WRITE, (uint64_t)p->dst + y * p->pitch, 0, 0);
		c.own(row, width);
		e = c.run();
	}
	free(row);
	return e;
}

static cudaError_t listed(const List<CUgraphNode_st *> &list, cudaGraphNode_t *nodes, size_t *count) {
	if (nodes) {
		for (size_t i = 0; i < *count; i++)
			nodes[i] = i < list.count ? list.items[i] : nullptr;
		if (list.count < *count)
			*count = list.count;
	} else {
		*count = list.count;
	}
	return cudaSuccess;
}

// partner returns the node of an executable graph that was made of a node.
static CUgraphNode_st *partner(CUgraphExec_st *exec, cudaGraphNode_t node) {
	for (CUgraphNode_st *n : exec->graph->nodes)
		if (n->origin == node)
			return n;
	fail(cudaErrorInvalidValue);
	return nullptr;
}

template <class F> static cudaError_t refill(CUgraphNode_st *node, F calls) { return node ? fill(node, calls) : lastError(); }

} // namespace weft

using namespace weft;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned) {
	if (!graph)
		return fail(cudaErrorInvalidValue);
	*graph = new CUgraph_st{};
	return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
	if (!graph)
		return fail(cudaErrorInvalidValue);
	destroy(graph);
	return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
	if (!clone || !graph)
		return fail(cudaErrorInvalidValue);
	*clone = copyOf(graph);
	return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaKernelNodeParams *params) {
	return add(node, graph, after, count, cudaGraphNodeTypeKernel, [=] { return kernelOf(params); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemcpy3DParms *params) {
	return add(node, graph, after, count, cudaGraphNodeTypeMemcpy, [=] { return cudaMemcpy3DAsync(params, nullptr); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
	return add(node, graph, after, count, cudaGraphNodeTypeMemcpy, [=] { return cudaMemcpyAsync(dst, src, bytes, kind, nullptr); });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const void *symbol, const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
	return add(node, graph, after, count, cudaGraphNodeTypeMemcpy, [=] { return cudaMemcpyToSymbolAsync(symbol, src, bytes, offset, kind, nullptr); });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *dst, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
	return add(node, graph, after, count, cudaGraphNodeTypeMemcpy, [=] { return cudaMemcpyFromSymbolAsync(dst, symbol, bytes, offset, kind, nullptr); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaMemsetParams *params) {
	return add(node, graph, after, count, cudaGraphNodeTypeMemset, [=] { return set(params); });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const struct cudaHostNodeParams *params) {
	cudaError_t e = add(node, graph, after, count, cudaGraphNodeTypeHost, [] { return cudaSuccess; });
	if (e == cudaSuccess)
		(*node)->host = *params;
	return e;
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraph_t child) {
	cudaError_t e = add(node, graph, after, count, cudaGraphNodeTypeGraph, [] { return cudaSuccess; });
	if (e == cudaSuccess)
		(*node)->child = copyOf(child);
	return e;
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count) {
	return add(node, graph, after, count, cudaGraphNodeTypeEmpty, [] { return cudaSuccess; });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event) {
	return add(node, graph, after, count, cudaGraphNodeTypeEventRecord, [=] { return cudaEventRecord(event, nullptr); });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event) {
	return add(node, graph, after, count, cudaGraphNodeTypeWaitEvent, [=] { return cudaStreamWaitEvent(nullptr, event, 0); });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) {
	for (size_t i = 0; i < count; i++)
		to[i]->after.add(from[i]);
	return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) { return listed(graph->nodes, nodes, count); }
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
	List<CUgraphNode_st *> roots;
	for (CUgraphNode_st *n : graph->nodes)
		if (n->after.count == 0)
			roots.add(n);
	cudaError_t e = listed(roots, nodes, count);
	roots.clear();
	return e;
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) {
	List<CUgraphNode_st *> heads, tails;
	for (CUgraphNode_st *n : graph->nodes)
		for (CUgraphNode_st *a : n->after)
			tails.add(a), heads.add(n);
	size_t n = *count;
	listed(tails, from, &n);
	cudaError_t e = listed(heads, to, count);
	heads.clear(), tails.clear();
	return e;
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
	*type = node->type;
	return cudaSuccess;
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) { return listed(node->after, nodes, count); }

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
	return refill(node, [=] { return kernelOf(params); });
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *params) {
	return refill(node, [=] { return set(params); });
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
	return refill(node, [=] { return cudaMemcpyAsync(dst, src, bytes, kind, nullptr); });
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
	return refill(node, [=] { return node->host = *params, cudaSuccess; });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params) {
	return cudaGraphKernelNodeSetParams(partner(exec, node), params);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *params) {
	return cudaGraphMemsetNodeSetParams(partner(exec, node), params);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind) {
	return cudaGraphMemcpyNodeSetParams1D(partner(exec, node), dst, src, bytes, kind);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *params) {
	return cudaGraphHostNodeSetParams(partner(exec, node), params);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long) {
	if (!exec || !graph)
		return fail(cudaErrorInvalidValue);
	*exec = new CUgraphExec_st{copyOf(graph)};
	return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) { return cudaGraphInstantiate(exec, graph, flags); }
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) { return exec ? cudaSuccess : fail(cudaErrorInvalidValue); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) { return exec ? launch(exec->graph, stream) : fail(cudaErrorInvalidValue); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
	if (!exec)
		return fail(cudaErrorInvalidValue);
	destroy(exec->graph);
	delete exec;
	return cudaSuccess;
}
// An update takes a graph with the same nodes in the same order.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *result) {
	*result = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
	if (exec->graph->nodes.count != graph->nodes.count)
		result->result = cudaGraphExecUpdateErrorTopologyChanged;
	for (size_t i = 0; i < graph->nodes.count && result->result == cudaGraphExecUpdateSuccess; i++) {
		CUgraphNode_st *mine = exec->graph->nodes.items[i], *other = graph->nodes.items[i];
		if (mine->type != other->type)
			result->result = cudaGraphExecUpdateErrorNodeTypeChanged, result->errorNode = other;
		else if (mine->after.count != other->after.count)
			result->result = cudaGraphExecUpdateErrorTopologyChanged, result->errorNode = other;
	}
	if (result->result != cudaGraphExecUpdateSuccess)
		return fail(cudaErrorGraphExecUpdateFailure);
	for (size_t i = 0; i < graph->nodes.count; i++)
		become(exec->graph->nodes.items[i], graph->nodes.items[i]);
	return cudaSuccess;
}
}
