// Graphs: of captured streams, of nodes that are added, copies and changes of both, and what is an error.
#include "../programs/check.h"

enum { n = 256 };

__global__ void add(int *p, int value) { p[threadIdx.x] += value; }
__global__ void times(int *p, int value) { p[threadIdx.x] *= value; }
__device__ int shown[n];
__global__ void show(const int *p) { shown[threadIdx.x] = p[threadIdx.x]; }

static int called;
static void count(void *by) { called += *(int *)by; }
static int one = 1, ten = 10;

static int first(const int *p) { return download(p, n)[0]; }

// A copy to the device, two kernels in two streams, a function and a copy back are captured; what the host has is read at each launch.
static void captured() {
	cudaStream_t a, b;
	cudaEvent_t fork, join;
	cudaStreamCaptureStatus status;
	int *p;
	std::vector<int> in(n, 3), out(n);
	TRY(cudaMalloc(&p, n * sizeof *p));
	TRY(cudaStreamCreate(&a));
	TRY(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	TRY(cudaEventCreate(&fork));
	TRY(cudaEventCreate(&join));
	TRY(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	TRY(cudaStreamIsCapturing(a, &status));
	CHECK(status == cudaStreamCaptureStatusActive);
	TRY(cudaMemcpyAsync(p, in.data(), n * sizeof *p, cudaMemcpyHostToDevice, a));
	TRY(cudaEventRecord(fork, a));
	TRY(cudaStreamWaitEvent(b, fork, 0));
	int value = 2;
	add<<<1, n, 0, b>>>(p, value);
	value = 100; // the node has the value of before
	TRY(cudaEventRecord(join, b));
	TRY(cudaStreamWaitEvent(a, join, 0));
	times<<<1, n, 0, a>>>(p, 10);
	TRY(cudaLaunchHostFunc(a, count, &one));
	TRY(cudaMemcpyAsync(out.data(), p, n * sizeof *p, cudaMemcpyDeviceToHost, a));
	CHECK(cudaStreamSynchronize(a) == cudaErrorStreamCaptureUnsupported);
	CHECK(cudaGetLastError() == cudaErrorStreamCaptureUnsupported);
	cudaGraph_t graph;
	TRY(cudaStreamEndCapture(a, &graph));
	TRY(cudaStreamIsCapturing(b, &status));
	CHECK(status == cudaStreamCaptureStatusNone);
	CHECK(called == 0 && out[0] == 0);

	size_t nodes = 0, edges = 0, roots = 0;
	TRY(cudaGraphGetNodes(graph, nullptr, &nodes));
	TRY(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
	TRY(cudaGraphGetRootNodes(graph, nullptr, &roots));
	CHECK(nodes == 5 && edges == 5 && roots == 1);
	std::vector<cudaGraphNode_t> list(nodes);
	TRY(cudaGraphGetNodes(graph, list.data(), &nodes));
	cudaGraphNodeType types[] = {cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeKernel, cudaGraphNodeTypeKernel, cudaGraphNodeTypeHost, cudaGraphNodeTypeMemcpy};
	for (int i = 0; i < 5; i++) {
		cudaGraphNodeType type;
		TRY(cudaGraphNodeGetType(list[i], &type));
		CHECK(type == types[i]);
	}

	cudaGraphExec_t exec;
	TRY(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
	for (int round = 1; round <= 3; round++) {
		in.assign(n, round);
		TRY(cudaGraphLaunch(exec, b));
		TRY(cudaStreamSynchronize(b));
		CHECK(out[0] == (round + 2) * 10 && out[n - 1] == (round + 2) * 10 && called == round);
	}

	// An update by the same capture with another value.
	TRY(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
	TRY(cudaMemcpyAsync(p, in.data(), n * sizeof *p, cudaMemcpyHostToDevice, a));
	add<<<1, n, 0, a>>>(p, 7);
	times<<<1, n, 0, a>>>(p, 2);
	TRY(cudaLaunchHostFunc(a, count, &ten));
	TRY(cudaMemcpyAsync(out.data(), p, n * sizeof *p, cudaMemcpyDeviceToHost, a));
	cudaGraph_t other;
	TRY(cudaStreamEndCapture(a, &other));
	cudaGraphExecUpdateResultInfo info;
	CHECK(cudaGraphExecUpdate(exec, other, &info) == cudaErrorGraphExecUpdateFailure && info.result == cudaGraphExecUpdateErrorTopologyChanged);
	cudaGetLastError();
	TRY(cudaGraphInstantiate(&exec, graph, 0));
	TRY(cudaGraphExecDestroy(exec));
	TRY(cudaGraphInstantiateWithFlags(&exec, other));
	TRY(cudaGraphExecUpdate(exec, other, &info));
	TRY(cudaGraphDestroy(other));
	TRY(cudaGraphLaunch(exec, a));
	TRY(cudaStreamSynchronize(a));
	CHECK(out[0] == (3 + 7) * 2 && called == 13);
	TRY(cudaGraphExecDestroy(exec));
	TRY(cudaGraphDestroy(graph));
	called = 0;

	// A stream that does not come back, and one of which no capture has begun.
	TRY(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
	TRY(cudaEventRecord(fork, a));
	TRY(cudaStreamWaitEvent(b, fork, 0));
	add<<<1, n, 0, b>>>(p, 1);
	CHECK(cudaStreamEndCapture(b, &graph) == cudaErrorStreamCaptureUnmatched);
	CHECK(cudaStreamEndCapture(a, &graph) == cudaErrorStreamCaptureUnjoined && !graph);
	CHECK(cudaStreamEndCapture(a, &graph) == cudaErrorIllegalState);
	CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
	cudaGetLastError();
	TRY(cudaDeviceSynchronize());
}

static cudaKernelNodeParams kernel(void (*f)(int *, int), void **args) {
	cudaKernelNodeParams k = {};
	k.func = (void *)f, k.gridDim = dim3(1), k.blockDim = dim3(n), k.kernelParams = args;
	return k;
}

// Nodes one by one, of which two are added before those that they follow.
static void added() {
	int *p, *q;
	TRY(cudaMalloc(&p, n * sizeof *p));
	TRY(cudaMalloc(&q, 3 * 512));
	std::vector<int> back(n), table(n);
	std::vector<short> rows(3 * 256);
	cudaGraph_t graph, child;
	cudaGraphNode_t set, plus, by, out, host, symbol, inner, empty, pattern, event, wait;
	TRY(cudaGraphCreate(&graph, 0));
	TRY(cudaGraphCreate(&child, 0));
	int two = 2, five = 5, three = 3;
	void *plusArgs[] = {&p, &two}, *byArgs[] = {&p, &five}, *showArgs[] = {&p};
	cudaKernelNodeParams k = kernel(times, byArgs);
	TRY(cudaGraphAddKernelNode(&by, graph, nullptr, 0, &k));
	k = kernel(add, plusArgs);
	TRY(cudaGraphAddKernelNode(&plus, graph, nullptr, 0, &k));
	cudaMemsetParams m = {p, 0, 1, 1, n * sizeof *p, 1};
	TRY(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &m));
	TRY(cudaGraphAddDependencies(graph, &plus, &by, 1));
	TRY(cudaGraphAddDependencies(graph, &set, &plus, 1));
	TRY(cudaGraphAddMemcpyNode1D(&out, graph, &by, 1, back.data(), p, n * sizeof *p, cudaMemcpyDeviceToHost));
	cudaHostNodeParams h = {count, &ten};
	TRY(cudaGraphAddHostNode(&host, graph, &out, 1, &h));
	k.func = (void *)show, k.kernelParams = showArgs;
	TRY(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &k));
	TRY(cudaGraphAddMemcpyNodeFromSymbol(&symbol, child, &inner, 1, table.data(), shown, sizeof shown, 0, cudaMemcpyDeviceToHost));
	TRY(cudaGraphAddChildGraphNode(&inner, graph, &by, 1, child));
	TRY(cudaGraphDestroy(child));
	TRY(cudaGraphAddEmptyNode(&empty, graph, &inner, 1));
	cudaMemsetParams wide = {q, 512, 0x1234, 2, 200, 3};
	TRY(cudaGraphAddMemsetNode(&pattern, graph, &empty, 1, &wide));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr(q, 512, 512, 3), copy.dstPtr = make_cudaPitchedPtr(rows.data(), 512, 512, 3);
	copy.extent = make_cudaExtent(400, 3, 1), copy.kind = cudaMemcpyDeviceToHost;
	TRY(cudaGraphAddMemcpyNode(&wait, graph, &pattern, 1, &copy));
	cudaEvent_t passed;
	TRY(cudaEventCreate(&passed));
	TRY(cudaGraphAddEventRecordNode(&event, graph, &wait, 1, passed));
	TRY(cudaGraphAddEventWaitNode(&wait, graph, &event, 1, passed));

	size_t before = 1;
	cudaGraphNode_t it;
	TRY(cudaGraphNodeGetDependencies(by, &it, &before));
	CHECK(before == 1 && it == plus);

	cudaGraph_t clone;
	cudaGraphExec_t exec, ofClone;
	TRY(cudaGraphClone(&clone, graph));
	TRY(cudaGraphInstantiate(&exec, graph));
	TRY(cudaGraphInstantiate(&ofClone, clone));
	TRY(cudaGraphDestroy(clone));
	TRY(cudaGraphUpload(exec, 0));
	TRY(cudaGraphLaunch(exec, 0));
	TRY(cudaDeviceSynchronize());
	CHECK(back[0] == (0x01010101 + 2) * 5 && back[n - 1] == back[0] && called == 10);
	CHECK(table[5] == back[0]);
	CHECK(rows[0] == 0x1234 && rows[199] == 0x1234 && rows[200] == 0 && rows[2 * 256 + 199] == 0x1234);
	TRY(cudaEventQuery(passed));

	// The executable graph changes, and neither the graph nor the other one.
	void *changed[] = {&p, &three};
	k = kernel(times, changed);
	m.value = 0;
	h.userData = &one;
	TRY(cudaGraphExecKernelNodeSetParams(exec, by, &k));
	TRY(cudaGraphExecMemsetNodeSetParams(exec, set, &m));
	TRY(cudaGraphExecHostNodeSetParams(exec, host, &h));
	TRY(cudaGraphExecMemcpyNodeSetParams1D(exec, out, back.data(), p, 4, cudaMemcpyDeviceToHost));
	back[1] = -1;
	TRY(cudaGraphLaunch(exec, 0));
	TRY(cudaDeviceSynchronize());
	CHECK(back[0] == 6 && back[1] == -1 && first(p) == 6 && called == 11);
	TRY(cudaGraphLaunch(ofClone, 0));
	TRY(cudaDeviceSynchronize());
	CHECK(back[1] == (0x01010101 + 2) * 5 && called == 21);

	// A cycle never ends, and is not begun.
	TRY(cudaGraphAddDependencies(graph, &by, &set, 1));
	TRY(cudaGraphExecDestroy(exec));
	TRY(cudaGraphInstantiate(&exec, graph));
	CHECK(cudaGraphLaunch(exec, 0) == cudaErrorInvalidValue);
	cudaGetLastError();
	TRY(cudaGraphExecDestroy(exec));
	TRY(cudaGraphExecDestroy(ofClone));
	TRY(cudaGraphDestroy(graph));
}

int main() {
	captured();
	added();
	puts("ok");
}
