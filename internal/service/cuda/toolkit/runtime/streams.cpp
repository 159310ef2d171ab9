// Streams and events.
#include "graphs.h"
#include "runtime.h"
#include <cuda_runtime_api.h>

using namespace weft;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
	if (!stream)
		return fail(cudaErrorInvalidValue);
	Call c(WEFT_STREAM, flags);
	cudaError_t e = c.run();
	if (e == cudaSuccess)
		*stream = (cudaStream_t)c.value(0);
	return e;
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int) { return cudaStreamCreateWithFlags(stream, flags); }
cudaError_t cudaStreamGetPriority(cudaStream_t, int *priority) {
	*priority = 0;
	return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned *flags) {
	*flags = 0;
	return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return Call(WEFT_STREAM_END, (uint64_t)stream).run(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
	if (captureWait(stream, event))
		return cudaSuccess;
	return capturing(stream) ? fail(cudaErrorStreamCaptureIsolation) : Call(WEFT_STREAM_WAIT, (uint64_t)stream, (uint64_t)event).run();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
	return capturing(stream) ? fail(cudaErrorStreamCaptureUnsupported) : Call(WEFT_SYNCHRONIZE, 1, (uint64_t)stream).run();
}
// What was asked for is done at once, so that a stream is never busy.
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
// Attributes are hints of speed, and a stream has those of before.
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *value) { return value ? cudaSuccess : fail(cudaErrorInvalidValue); }
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue *value) {
	*value = {};
	return cudaSuccess;
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache(void) { return cudaSuccess; }
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data) {
	if (CUgraphNode_st *node = captured(stream, cudaGraphNodeTypeHost)) {
		node->host = {fn, data};
		return cudaSuccess;
	}
	cudaError_t e = cudaStreamSynchronize(stream);
	if (e == cudaSuccess)
		fn(data);
	return e;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned) {
	if (capturing(stream))
		return fail(cudaErrorStreamCaptureUnsupported);
	cudaError_t e = cudaStreamSynchronize(stream);
	callback(stream, e, data);
	return e;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
	if (!event)
		return fail(cudaErrorInvalidValue);
	Call c(WEFT_EVENT, flags);
	cudaError_t e = c.run();
	if (e == cudaSuccess)
		*event = (cudaEvent_t)c.value(0);
	return e;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return Call(WEFT_EVENT_END, (uint64_t)event).run(); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
	return captureRecord(event, stream) ? cudaSuccess : Call(WEFT_EVENT_RECORD, (uint64_t)event, (uint64_t)stream).run();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) { return cudaEventRecord(event, stream); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return Call(WEFT_SYNCHRONIZE, 2, (uint64_t)event).run(); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
	Call c(WEFT_EVENT_TIME, (uint64_t)start, (uint64_t)end);
	cudaError_t e = c.run();
	if (e == cudaSuccess)
		*ms = (float)((double)(int64_t)c.value(0) * 1e-9);
	return e;
}
}
