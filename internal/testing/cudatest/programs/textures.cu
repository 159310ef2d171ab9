// Textures of linear memory: every format by object and by reference, out of range, bound anew, and one that is bound to nothing.
// bug 1: uninitialised on func
// bug 2: use after free on func
#include "check.h"

texture<float> weights;
static texture<uchar4, cudaTextureType1D, cudaReadModeNormalizedFloat> colours;
texture<int2, 1, cudaReadModeElementType> pairs;
texture<unsigned> nothing;

__global__ void references(const int *index, float *sums, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 c = tex1Dfetch(colours, i & 15);
	int2 p = tex1Dfetch(pairs, index[i]);
	sums[i] = tex1Dfetch(weights, index[i]) + c.x + c.y + c.z + c.w + p.x + p.y;
#if BUG == 1
	sums[i] += tex1Dfetch(nothing, 0); // BUG 1
#endif
}

template <class T> __global__ void object(cudaTextureObject_t texture, T *out, int n) {
	int i = threadIdx.x;
	if (i < n)
		out[i] = tex1Dfetch<T>(texture, i - 1); // BUG 2
}

// Fetches texels -1 to n of n.
template <class T, class Read> std::vector<Read> fetch(const std::vector<T> &texels, cudaTextureReadMode mode) {
	int n = texels.size();
	T *d = upload(texels);
	Read *out;
	TRY(cudaMalloc(&out, (n + 2) * sizeof *out));
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = d;
	resource.res.linear.desc = cudaCreateChannelDesc<T>();
	resource.res.linear.sizeInBytes = n * sizeof(T);
	cudaTextureDesc how = {};
	how.readMode = mode;
	cudaTextureObject_t texture;
	TRY(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
#if BUG == 2
	TRY(cudaFree(d));
#endif
	object<<<1, 32>>>(texture, out, n + 2);
	WAIT();
	TRY(cudaDestroyTextureObject(texture));
	return download(out, n + 2);
}

int main() {
	auto f = fetch<float, float>({1, 2, 3.5f}, cudaReadModeElementType);
	CHECK(f[0] == 0 && f[1] == 1 && f[2] == 2 && f[3] == 3.5f && f[4] == 0);
	auto b = fetch<signed char, signed char>({-5, 7}, cudaReadModeElementType);
	CHECK(b[0] == 0 && b[1] == -5 && b[2] == 7 && b[3] == 0);
	auto u = fetch<uint4, uint4>({{1, 2, 3, 4}, {5, 6, 7, 8}}, cudaReadModeElementType);
	CHECK(u[1].w == 4 && u[2].x == 5 && u[2].z == 7 && u[3].x == 0);
	auto s = fetch<short2, float2>({{-32768, 32767}, {0, 16384}}, cudaReadModeNormalizedFloat);
	CHECK(s[1].x == -1 && s[1].y == 1 && s[2].x == 0 && s[2].y == 16384 / 32767.0f);
	auto c = fetch<unsigned char, float>({0, 255, 51}, cudaReadModeNormalizedFloat);
	CHECK(c[1] == 0 && c[2] == 1 && c[3] == 0.2f);

	const int n = 200;
	std::vector<float> w(64), w2(64);
	std::vector<uchar4> colour(16);
	std::vector<int2> pair(64);
	std::vector<int> index(n);
	for (int i = 0; i < 64; i++)
		w[i] = i * 0.5f, w2[i] = -i, pair[i] = {i, 3 * i};
	for (int i = 0; i < 16; i++)
		colour[i] = {255, 0, 255, (unsigned char)(i % 2 * 255)};
	for (int i = 0; i < n; i++)
		index[i] = i * 29 % 70; // some are out of range
	float *d = upload(w), *d2 = upload(w2), *first, *second;
	uchar4 *dc = upload(colour);
	int2 *dp = upload(pair);
	int *di = upload(index);
	TRY(cudaMalloc(&first, n * sizeof(float)));
	TRY(cudaMalloc(&second, n * sizeof(float)));
	weights.filterMode = cudaFilterModePoint;
	weights.normalized = false;
	size_t offset = 1;
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	TRY(cudaBindTexture(&offset, &weights, d, &desc, 64 * sizeof(float)));
	CHECK(offset == 0 && weights.channelDesc.x == 32 && weights.channelDesc.f == cudaChannelFormatKindFloat);
	TRY(cudaBindTexture(nullptr, colours, dc));
	TRY(cudaBindTexture(0, pairs, dp, 64 * sizeof(int2)));
	references<<<2, 128>>>(di, first, n);
	TRY(cudaBindTexture(nullptr, weights, d2, desc, 64 * sizeof(float))); // the launch before has the old one
	references<<<2, 128>>>(di, second, n);
	WAIT();
	TRY(cudaUnbindTexture(weights));
	auto a = download(first, n), z = download(second, n);
	for (int i = 0; i < n; i++) {
		float x = index[i] < 64 ? index[i] : 0, base = 2 + i % 2 + 4 * x;
		CHECK(a[i] == base + 0.5f * x && z[i] == base - x);
	}
	cudaTextureObject_t none;
	cudaResourceDesc wrong = {};
	wrong.resType = cudaResourceTypeLinear;
	wrong.res.linear.devPtr = d;
	wrong.res.linear.desc = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
	wrong.res.linear.sizeInBytes = 48;
	cudaTextureDesc how = {};
	CHECK(cudaCreateTextureObject(&none, &wrong, &how, nullptr) == cudaErrorInvalidChannelDescriptor);
	puts("ok");
}
