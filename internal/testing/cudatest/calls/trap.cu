// A read outside of a surface, which ends the kernel.
#include "../programs/check.h"

__global__ void outside(cudaSurfaceObject_t image, float *to) {
	*to = surf2Dread<float>(image, 16, 0);
}

int main() {
	cudaArray_t image;
	cudaSurfaceObject_t object;
	cudaResourceDesc r = {};
	float *to;
	cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
	TRY(cudaMalloc(&to, 4));
	TRY(cudaMallocArray(&image, &one, 4, 4, cudaArraySurfaceLoadStore));
	r.resType = cudaResourceTypeArray, r.res.array.array = image;
	TRY(cudaCreateSurfaceObject(&object, &r));
	outside<<<1, 1>>>(object, to);
	CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
	puts("ok");
}
