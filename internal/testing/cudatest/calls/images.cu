// Arrays, textures of them and of rows with a pitch, by object and by reference, filtered and not, inside and outside, and surfaces.
#include "../programs/check.h"
#include <cmath>

enum { w = 7, h = 5, d = 3 };

struct Sampled {
	float point[3][64], linear[3][64];
};

// Row y of the answers goes over x from left of the image to right of it, in quarters of a texel.
__global__ void sample(cudaTextureObject_t image, float *to, int steps, float from, float step, float y, float z, int dimensions) {
	int i = threadIdx.x;
	if (i >= steps)
		return;
	float x = from + step * i;
	to[i] = dimensions == 1 ? tex1D<float>(image, x) : dimensions == 2 ? tex2D<float>(image, x, y) : tex3D<float>(image, x, y, z);
}
__global__ void layers(cudaTextureObject_t image, float *to) { to[threadIdx.x] = tex2DLayered<float>(image, threadIdx.x % w + 0.5f, threadIdx.x / w % h + 0.5f, threadIdx.x / (w * h)); }
__global__ void bytes(cudaTextureObject_t image, uchar4 *raw) { raw[threadIdx.x] = tex2D<uchar4>(image, threadIdx.x % w, threadIdx.x / w); }
__global__ void fractions(cudaTextureObject_t image, float4 *to) { to[threadIdx.x] = tex2D<float4>(image, threadIdx.x % w + 1.0f, threadIdx.x / w + 0.5f); }

texture<float, cudaTextureType2D, cudaReadModeElementType> known;
__global__ void byReference(float *to) { to[threadIdx.x] = tex2D(known, threadIdx.x % w + 0.25f, threadIdx.x / w + 0.75f); }

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
	float v;
	surf2Dread(&v, from, threadIdx.x * sizeof(float), threadIdx.y);
	surf2Dwrite(v + 100, to, (w - 1 - threadIdx.x) * sizeof(float), h - 1 - threadIdx.y);
	surf2Dwrite(-1.0f, to, w * sizeof(float), threadIdx.y, cudaBoundaryModeZero); // is nowhere
}
__global__ void beyond(cudaSurfaceObject_t from, float *to) {
	to[0] = surf2Dread<float>(from, -4, 2, cudaBoundaryModeZero);
	to[1] = surf2Dread<float>(from, -4, 2, cudaBoundaryModeClamp);
	to[2] = surf2Dread<float>(from, w * sizeof(float), h, cudaBoundaryModeClamp);
}

static float value(int x, int y, int z = 0) { return x + 10 * y + 100 * z + (x * y % 3) * 0.5f; }

// index returns a texel for one that may be outside, as the address mode says; -1 for the border.
static int index(int i, int n, int mode) {
	if (i >= 0 && i < n)
		return i;
	if (mode == cudaAddressModeBorder)
		return -1;
	if (mode == cudaAddressModeClamp)
		return i < 0 ? 0 : n - 1;
	int period = mode == cudaAddressModeWrap ? n : 2 * n;
	while (i < 0)
		i += period;
	i %= period;
	return i < n ? i : 2 * n - 1 - i;
}
static double texel(int x, int y, int z, int mode) {
	x = index(x, w, mode), y = index(y, h, mode), z = index(z, d, mode);
	return x < 0 || y < 0 || z < 0 ? 0.25 : value(x, y, z);
}
static double want(double x, double y, double z, int dimensions, int mode, bool linear) {
	if (!linear)
		return texel((int)floor(x), dimensions > 1 ? (int)floor(y) : 0, dimensions > 2 ? (int)floor(z) : 0, mode);
	double sum = 0;
	for (int corner = 0; corner < 1 << dimensions; corner++) {
		double p[3] = {x - 0.5, y - 0.5, z - 0.5}, weight = 1;
		int at[3] = {};
		for (int i = 0; i < dimensions; i++) {
			double part = rint((p[i] - floor(p[i])) * 256) / 256;
			at[i] = (int)floor(p[i]) + (corner >> i & 1);
			weight *= corner >> i & 1 ? part : 1 - part;
		}
		if (weight)
			sum += weight * texel(at[0], at[1], at[2], mode);
	}
	return sum;
}

static cudaTextureObject_t textureOf(const cudaResourceDesc &r, cudaTextureAddressMode mode, bool linear, bool normalized, cudaTextureReadMode read = cudaReadModeElementType) {
	cudaTextureDesc t = {};
	cudaTextureObject_t object;
	for (auto &m : t.addressMode)
		m = mode;
	t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint, t.normalizedCoords = normalized, t.readMode = read;
	t.borderColor[0] = 0.25f;
	TRY(cudaCreateTextureObject(&object, &r, &t, nullptr));
	return object;
}

static void everyMode(const cudaResourceDesc &r, int dimensions) {
	float *to;
	TRY(cudaMalloc(&to, 64 * sizeof *to));
	for (int normalized = 0; normalized < 2; normalized++)
		for (int linear = 0; linear < 2; linear++)
			for (int mode = cudaAddressModeWrap; mode <= cudaAddressModeBorder; mode++) {
				if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
					continue;
				cudaTextureObject_t t = textureOf(r, (cudaTextureAddressMode)mode, linear, normalized);
				for (float y : {-0.75f, 1.25f, 4.75f}) {
					const float z = 1.375f, from = -3.125f, step = 0.25f;
					// Powers of two alone are exact when they are divided and multiplied: the others stay clear of an edge between texels.
					sample<<<1, 64>>>(t, to, 50, normalized ? from / w : from, normalized ? step / w : step, normalized ? y / h : y, normalized ? z / d : z, dimensions);
					WAIT();
					auto got = download(to, 50);
					for (int i = 0; i < 50; i++)
						CHECK(fabs(got[i] - want(from + step * i, y, z, dimensions, mode, linear)) < 1e-2);
				}
				TRY(cudaDestroyTextureObject(t));
			}
	TRY(cudaFree(to));
}

int main() {
	std::vector<float> flat, deep;
	for (int z = 0; z < d; z++)
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++) {
				deep.push_back(value(x, y, z));
				if (z == 0)
					flat.push_back(value(x, y));
			}
	cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();

	// One, two and three dimensions.
	cudaArray_t line, image, volume;
	TRY(cudaMallocArray(&line, &one, w));
	TRY(cudaMallocArray(&image, &one, w, h, cudaArraySurfaceLoadStore));
	TRY(cudaMalloc3DArray(&volume, &one, make_cudaExtent(w, h, d)));
	TRY(cudaMemcpyToArray(line, 0, 0, flat.data(), w * sizeof(float), cudaMemcpyHostToDevice));
	TRY(cudaMemcpy2DToArray(image, 0, 0, flat.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr(deep.data(), w * sizeof(float), w, h), copy.dstArray = volume;
	copy.extent = make_cudaExtent(w, h, d), copy.kind = cudaMemcpyHostToDevice;
	TRY(cudaMemcpy3D(&copy));
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = line;
	everyMode(r, 1);
	r.res.array.array = image;
	everyMode(r, 2);
	r.res.array.array = volume;
	everyMode(r, 3);

	cudaChannelFormatDesc desc;
	cudaExtent extent;
	unsigned flags;
	TRY(cudaArrayGetInfo(&desc, &extent, &flags, image));
	CHECK(desc.x == 32 && desc.f == cudaChannelFormatKindFloat && extent.width == w && extent.height == h && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);
	std::vector<float> back(4);
	TRY(cudaMemcpy2DFromArray(back.data(), 2 * sizeof(float), image, 3 * sizeof(float), 2, 2 * sizeof(float), 2, cudaMemcpyDeviceToHost));
	CHECK(back[0] == value(3, 2) && back[1] == value(4, 2) && back[2] == value(3, 3) && back[3] == value(4, 3));

	// Rows with a pitch.
	float *rows;
	size_t pitch;
	TRY(cudaMallocPitch(&rows, &pitch, w * sizeof(float), h));
	TRY(cudaMemcpy2D(rows, pitch, flat.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice));
	cudaResourceDesc p = {};
	p.resType = cudaResourceTypePitch2D;
	p.res.pitch2D.devPtr = rows, p.res.pitch2D.desc = one, p.res.pitch2D.width = w, p.res.pitch2D.height = h, p.res.pitch2D.pitchInBytes = pitch;
	everyMode(p, 2);

	// Layers are never mixed.
	cudaArray_t stack;
	float *to;
	TRY(cudaMalloc(&to, w * h * d * sizeof *to));
	TRY(cudaMalloc3DArray(&stack, &one, make_cudaExtent(w, h, d), cudaArrayLayered));
	copy.dstArray = stack;
	TRY(cudaMemcpy3DAsync(&copy));
	r.res.array.array = stack;
	cudaTextureObject_t t = textureOf(r, cudaAddressModeClamp, true, false);
	layers<<<1, w * h * d>>>(t, to);
	WAIT();
	auto got = download(to, w * h * d);
	for (int i = 0; i < w * h * d; i++)
		CHECK(got[i] == deep[i]);

	// Four bytes as they are, and as fractions of which two are mixed.
	std::vector<uchar4> pixels;
	for (int i = 0; i < w * h; i++)
		pixels.push_back({(unsigned char)i, (unsigned char)(3 * i), (unsigned char)(255 - i), 255});
	cudaChannelFormatDesc four = cudaCreateChannelDesc<uchar4>();
	cudaArray_t colors;
	uchar4 *raw;
	float4 *mixed;
	TRY(cudaMallocArray(&colors, &four, w, h));
	TRY(cudaMemcpyToArray(colors, 0, 0, pixels.data(), sizeof(uchar4) * w * h, cudaMemcpyHostToDevice));
	TRY(cudaMalloc(&raw, w * h * sizeof *raw));
	TRY(cudaMalloc(&mixed, w * h * sizeof *mixed));
	r.res.array.array = colors;
	bytes<<<1, w * h>>>(textureOf(r, cudaAddressModeClamp, false, false), raw);
	fractions<<<1, w * h>>>(textureOf(r, cudaAddressModeClamp, true, false, cudaReadModeNormalizedFloat), mixed);
	WAIT();
	auto c = download(raw, w * h);
	auto f = download(mixed, w * h);
	for (int i = 0; i < w * h; i++) {
		int next = i % w == w - 1 ? i : i + 1;
		CHECK(c[i].x == pixels[i].x && c[i].y == pixels[i].y && c[i].z == pixels[i].z && c[i].w == 255);
		CHECK(fabs(f[i].y - (pixels[i].y + pixels[next].y) / 510.0) < 1e-6 && fabs(f[i].w - 1) < 1e-6);
	}
	cudaTextureDesc linear = {};
	linear.filterMode = cudaFilterModeLinear;
	CHECK(cudaCreateTextureObject(&t, &r, &linear, nullptr) == cudaErrorInvalidFilterSetting);
	cudaGetLastError();

	// References, of an array and of rows.
	known.filterMode = cudaFilterModeLinear;
	for (int round = 0; round < 2; round++) {
		if (round == 0)
			TRY(cudaBindTextureToArray(known, image, one));
		else
			TRY(cudaBindTexture2D(nullptr, known, rows, one, w, h, pitch));
		byReference<<<1, w * h>>>(to);
		WAIT();
		got = download(to, w * h);
		for (int i = 0; i < w * h; i++)
			CHECK(fabs(got[i] - want(i % w + 0.25, i / w + 0.75, 0, 2, cudaAddressModeClamp, true)) < 1e-4);
	}
	TRY(cudaUnbindTexture(known));

	// Surfaces.
	cudaArray_t turned;
	cudaSurfaceObject_t from, into;
	TRY(cudaMallocArray(&turned, &one, w, h, cudaArraySurfaceLoadStore));
	r.res.array.array = image;
	TRY(cudaCreateSurfaceObject(&from, &r));
	r.res.array.array = turned;
	TRY(cudaCreateSurfaceObject(&into, &r));
	turn<<<1, dim3(w, h)>>>(from, into);
	beyond<<<1, 1>>>(from, to);
	WAIT();
	std::vector<float> all(w * h);
	TRY(cudaMemcpyFromArray(all.data(), turned, 0, 0, all.size() * sizeof(float), cudaMemcpyDeviceToHost));
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			CHECK(all[y * w + x] == value(w - 1 - x, h - 1 - y) + 100);
	got = download(to, 3);
	CHECK(got[0] == 0 && got[1] == value(0, 2) && got[2] == value(w - 1, h - 1));
	TRY(cudaDestroySurfaceObject(into));
	TRY(cudaFreeArray(turned));
	TRY(cudaFreeArray(line));
	puts("ok");
}
