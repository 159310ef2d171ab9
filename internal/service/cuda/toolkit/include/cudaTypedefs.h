// The types of functions of the driver API that cudaGetDriverEntryPoint finds.
#pragma once
#include <cuda.h>
typedef CUresult (*PFN_cuInit_v2000)(unsigned int flags);
typedef CUresult (*PFN_cuTensorMapEncodeTiled_v12000)(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
	const cuuint64_t *globalStrides, const cuuint32_t *boxDim, const cuuint32_t *elementStrides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
	CUtensorMapFloatOOBfill oobFill);
typedef CUresult (*PFN_cuGetErrorString_v6000)(CUresult error, const char **text);
typedef CUresult (*PFN_cuGetErrorName_v6000)(CUresult error, const char **name);
#define PFN_cuInit PFN_cuInit_v2000
#define PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000
#define PFN_cuGetErrorString PFN_cuGetErrorString_v6000
#define PFN_cuGetErrorName PFN_cuGetErrorName_v6000
