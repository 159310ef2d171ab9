// A texture object of linear memory.
#include "check.h"

__global__ void gather(cudaTextureObject_t texture, const int *index, float *out) {
	int i = threadIdx.x;
	out[i] = tex1Dfetch<float>(texture, index[i]);
}

int main() {
	std::vector<float> x(64);
	std::vector<int> index(64);
	for (int i = 0; i < 64; i++)
		x[i] = i * 0.5f, index[i] = (i * 29) % 64;
	float *d = upload(x), *out;
	int *di = upload(index);
	TRY(cudaMalloc(&out, 64 * sizeof(float)));
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = d;
	resource.res.linear.desc = cudaCreateChannelDesc<float>();
	resource.res.linear.sizeInBytes = 256;
	cudaTextureDesc how = {};
	how.readMode = cudaReadModeElementType;
	cudaTextureObject_t texture;
	TRY(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
	gather<<<1, 64>>>(texture, di, out);
	WAIT();
	auto got = download(out, 64);
	for (int i = 0; i < 64; i++)
		CHECK(got[i] == index[i] * 0.5f);
	TRY(cudaDestroyTextureObject(texture));
	puts("ok");
}
