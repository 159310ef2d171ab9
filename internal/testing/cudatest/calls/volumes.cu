// Memory of three dimensions: a box of it is copied, filled and copied back.
#include "../programs/check.h"

enum { w = 10, h = 4, d = 3 };

__global__ void twice(cudaPitchedPtr p) {
	char *slice = (char *)p.ptr + blockIdx.x * p.pitch * h;
	float *row = (float *)(slice + threadIdx.y * p.pitch);
	row[threadIdx.x] *= 2;
}

int main() {
	cudaPitchedPtr p;
	cudaExtent all = make_cudaExtent(w * sizeof(float), h, d);
	TRY(cudaMalloc3D(&p, all));
	CHECK(p.pitch == 512 && p.xsize == w * sizeof(float) && p.ysize == h);
	std::vector<float> v(w * h * d);
	for (size_t i = 0; i < v.size(); i++)
		v[i] = i;
	cudaMemcpy3DParms c = {};
	c.srcPtr = make_cudaPitchedPtr(v.data(), w * sizeof(float), w, h), c.dstPtr = p;
	c.extent = all, c.kind = cudaMemcpyHostToDevice;
	TRY(cudaMemcpy3D(&c));
	twice<<<d, dim3(w, h)>>>(p);
	// The lower rows of the last slice become zero.
	cudaPitchedPtr last = p;
	last.ptr = (char *)p.ptr + 2 * p.pitch * h + 2 * p.pitch;
	TRY(cudaMemset3D(last, 0, make_cudaExtent(w * sizeof(float), 2, 1)));
	// A box of 4 x 2 x 2 from the middle.
	std::vector<float> box(4 * 2 * 2);
	cudaMemcpy3DParms out = {};
	out.srcPtr = p, out.srcPos = make_cudaPos(3 * sizeof(float), 1, 1);
	out.dstPtr = make_cudaPitchedPtr(box.data(), 4 * sizeof(float), 4, 2);
	out.extent = make_cudaExtent(4 * sizeof(float), 2, 2), out.kind = cudaMemcpyDeviceToHost;
	TRY(cudaMemcpy3DAsync(&out, 0));
	TRY(cudaDeviceSynchronize());
	for (int z = 0; z < 2; z++)
		for (int y = 0; y < 2; y++)
			for (int x = 0; x < 4; x++)
				CHECK(box[(z * 2 + y) * 4 + x] == (z == 1 && y == 1 ? 0 : 2 * (((z + 1) * h + y + 1) * w + x + 3)));
	puts("ok");
}
