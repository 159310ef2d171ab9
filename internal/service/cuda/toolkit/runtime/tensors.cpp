// Tensor maps, which are of the driver API, and how a program finds functions of that.
#include "runtime.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string.h>

using namespace weft;

extern "C" {

CUresult cuInit(unsigned int flags) { return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }

// weft says what is wrong with a map, and encodes it: for a real GPU its driver does.
CUresult cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
	const cuuint32_t *boxDim, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill) {
	enum { most = 5 };
	if (!tensorMap || (uintptr_t)tensorMap % 64 || tensorRank == 0 || tensorRank > most || !globalDim || (tensorRank > 1 && !globalStrides) || !boxDim || !elementStrides)
		return CUDA_ERROR_INVALID_VALUE;
	uint64_t lists[4][most] = {};
	for (cuuint32_t i = 0; i < tensorRank; i++) {
		lists[0][i] = globalDim[i], lists[2][i] = boxDim[i], lists[3][i] = elementStrides[i];
		if (i > 0)
			lists[1][i] = globalStrides[i - 1];
	}
	Call c(WEFT_TENSOR_MAP, (int)tensorDataType, tensorRank, (uint64_t)globalAddress, (int)interleave, (int)swizzle, (int)l2Promotion, (int)oobFill);
	c.add(lists, sizeof lists);
	cudaError_t last = lastError();
	cudaError_t e = c.run(tensorMap, sizeof *tensorMap);
	lastError() = last; // of the runtime API
	return (CUresult)e;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = cudaGetErrorString((cudaError_t)error); // which has the same numbers
	return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **name) {
	static const struct { CUresult error; const char *name; } names[] = {{CUDA_SUCCESS, "CUDA_SUCCESS"}, {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"}, {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"}};
	for (auto &n : names)
		if (name && n.error == error)
			return *name = n.name, CUDA_SUCCESS;
	return CUDA_ERROR_INVALID_VALUE;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long, enum cudaDriverEntryPointQueryResult *status) {
	static const struct { const char *name; void *function; } functions[] = {
		{"cuTensorMapEncodeTiled", (void *)cuTensorMapEncodeTiled}, {"cuInit", (void *)cuInit}, {"cuGetErrorString", (void *)cuGetErrorString}, {"cuGetErrorName", (void *)cuGetErrorName}};
	if (!symbol || !function)
		return fail(cudaErrorInvalidValue);
	*function = nullptr;
	if (status)
		*status = cudaDriverEntryPointSymbolNotFound;
	for (auto &f : functions)
		if (!strcmp(f.name, symbol)) {
			*function = f.function;
			if (status)
				*status = cudaDriverEntryPointSuccess;
		}
	return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int, unsigned long long flags, enum cudaDriverEntryPointQueryResult *status) {
	return cudaGetDriverEntryPoint(symbol, function, flags, status);
}
}
