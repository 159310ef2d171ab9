// Textures and surfaces of rows: of arrays, and of memory with a pitch. The object is the address of a description, which begins as that of linear
// memory does; a reference that is bound to one has its address there. A fetch reads the description and one to eight texels, and computes what the
// CUDA C++ Programming Guide says of filters and of addresses outside.
#pragma once
#include <driver_types.h>

struct __weft_image {
	const char *texels;
	unsigned count, format; // no texels of linear memory
	unsigned width, height, depth, pitch;
	unsigned long long slice; // bytes
	unsigned mode;            // 2 bits for what is outside of each dimension (cudaTextureAddressMode), linear, normalised
	unsigned unused;
	float border[4];
};
enum { WEFT_IMAGE_LINEAR = 64, WEFT_IMAGE_NORMALIZED = 128, WEFT_IMAGE_REFERENCE = 256 /* of the format */ };

#ifdef __CUDA__
static __device__ __inline__ __weft_image __weft_image_of(cudaTextureObject_t object, const char *function) {
	union {
		uint4 words[4];
		__weft_image all;
	} image;
	image.words[0] = __ldg((const uint4 *)object);
	if (image.all.format & WEFT_IMAGE_REFERENCE)
		object = (cudaTextureObject_t)image.all.texels, image.words[0] = __ldg((const uint4 *)object);
	if (!image.all.format || image.all.count)
		__assert_fail("the texture or surface is bound to an array or to rows", __FILE__, __LINE__, function);
	for (int i = 1; i < 4; i++)
		image.words[i] = __ldg((const uint4 *)object + i);
	return image.all;
}

// The index of a texel for one that may be outside; -1 for the border.
static __device__ __inline__ int __weft_inside(int i, int n, unsigned mode) {
	if (i >= 0 && i < n)
		return i;
	switch (mode & 3) {
	case cudaAddressModeBorder: return -1;
	case cudaAddressModeWrap: return ((i % n) + n) % n;
	case cudaAddressModeMirror: {
		int twice = ((i % (2 * n)) + 2 * n) % (2 * n);
		return twice < n ? twice : 2 * n - 1 - twice;
	}
	default: return i < 0 ? 0 : n - 1;
	}
}

template <class T> static __device__ __inline__ T __weft_sample(const __weft_image &m, int x, int y, int z, const char *function) {
	x = __weft_inside(x, m.width, m.mode);
	y = __weft_inside(y, m.height, m.mode >> 2);
	z = __weft_inside(z, m.depth, m.mode >> 4);
	if (x < 0 || y < 0 || z < 0) {
		typedef typename __weft_texel<T>::of C;
		union {
			C of[__weft_texel<T>::channels];
			T all;
		} v;
		for (int c = 0; c < __weft_texel<T>::channels; c++)
			v.of[c] = C(0.5) > C(0) ? C(m.border[c]) : C(__float_as_int(m.border[c]));
		return v.all;
	}
	return __weft_load<T>(m.texels + z * m.slice + (unsigned long long)y * m.pitch + ((unsigned long long)x << ((m.format & 3) + (m.format >> 2 & 3))), m.format, function);
}

// A coordinate in texels, and, for a linear filter, the first of two texels and the weight of the second one in 256ths.
struct __weft_axis {
	int at, next;
	float weight;
};
static __device__ __inline__ __weft_axis __weft_along(float x, unsigned n, const __weft_image &m) {
	if (m.mode & WEFT_IMAGE_NORMALIZED)
		x *= n;
	if (!(m.mode & WEFT_IMAGE_LINEAR))
		return {(int)floorf(x), (int)floorf(x), 0};
	x -= 0.5f;
	float below = floorf(x), weight = rintf((x - below) * 256) / 256;
	return {(int)below, (int)below + 1, weight};
}

// Numbers of single precision, or their vectors, are mixed; others are never filtered.
template <class T> static __device__ __inline__ T __weft_mix(T a, T b, float weight) {
	typedef typename __weft_texel<T>::of C;
	union {
		C of[__weft_texel<T>::channels];
		T all;
	} u = {}, v = {};
	u.all = a, v.all = b;
	for (int c = 0; c < __weft_texel<T>::channels; c++)
		u.of[c] = C((1 - weight) * u.of[c] + weight * v.of[c]);
	return u.all;
}
template <class T> static __device__ __inline__ T __weft_filtered(cudaTextureObject_t object, float x, float y, float z, int dimensions, int layer, const char *function) {
	__weft_image m = __weft_image_of(object, function);
	__weft_axis i = __weft_along(x, m.width, m), j = {}, k = {layer, layer, 0};
	if (dimensions > 1)
		j = __weft_along(y, m.height, m);
	if (dimensions > 2)
		k = __weft_along(z, m.depth, m);
	if (dimensions < 3)
		k.at = layer < 0 ? 0 : layer < (int)m.depth ? layer : (int)m.depth - 1;
	T slices[2];
	for (int b = 0; b < 2; b++) {
		if (b && k.weight == 0)
			break;
		int plane = b ? k.next : k.at;
		T first = __weft_sample<T>(m, i.at, j.at, plane, function);
		if (i.weight)
			first = __weft_mix(first, __weft_sample<T>(m, i.next, j.at, plane, function), i.weight);
		if (j.weight) {
			T second = __weft_sample<T>(m, i.at, j.next, plane, function);
			if (i.weight)
				second = __weft_mix(second, __weft_sample<T>(m, i.next, j.next, plane, function), i.weight);
			first = __weft_mix(first, second, j.weight);
		}
		slices[b] = first;
	}
	return k.weight ? __weft_mix(slices[0], slices[1], k.weight) : slices[0];
}

#define __WEFT_COMMA ,
#define __WEFT_TEX(name, parameters, ...) \
	template <class T> static __device__ __inline__ T name(cudaTextureObject_t object, parameters) { return __weft_filtered<T>(object, __VA_ARGS__, #name); } \
	template <class T> static __device__ __inline__ void name(T *p, cudaTextureObject_t object, parameters) { *p = __weft_filtered<T>(object, __VA_ARGS__, #name); } \
	template <class T, int dim, enum cudaTextureReadMode mode> static __device__ __inline__ typename __weft_read<T, mode>::type name(texture<T, dim, mode> reference, parameters) { \
		return __weft_filtered<typename __weft_read<T, mode>::type>(__weft_object(reference), __VA_ARGS__, #name); \
	}
__WEFT_TEX(tex1D, float x, x, 0, 0, 1, 0)
__WEFT_TEX(tex2D, float x __WEFT_COMMA float y, x, y, 0, 2, 0)
__WEFT_TEX(tex3D, float x __WEFT_COMMA float y __WEFT_COMMA float z, x, y, z, 3, 0)
__WEFT_TEX(tex1DLayered, float x __WEFT_COMMA int layer, x, 0, 0, 1, layer)
__WEFT_TEX(tex2DLayered, float x __WEFT_COMMA float y __WEFT_COMMA int layer, x, y, 0, 2, layer)
__WEFT_TEX(tex1DLod, float x __WEFT_COMMA float, x, 0, 0, 1, 0)
__WEFT_TEX(tex2DLod, float x __WEFT_COMMA float y __WEFT_COMMA float, x, y, 0, 2, 0)
__WEFT_TEX(tex3DLod, float x __WEFT_COMMA float y __WEFT_COMMA float z __WEFT_COMMA float, x, y, z, 3, 0)
#undef __WEFT_TEX

// Surfaces: x is in bytes.
template <class T> static __device__ __inline__ T *__weft_place(cudaSurfaceObject_t object, int x, int y, int z, enum cudaSurfaceBoundaryMode mode, const char *function) {
	__weft_image m = __weft_image_of(object, function);
	int row = (int)m.width << ((m.format & 3) + (m.format >> 2 & 3));
	if (x < 0 || x + (int)sizeof(T) > row || y < 0 || y >= (int)m.height || z < 0 || z >= (int)m.depth) {
		if (mode == cudaBoundaryModeTrap)
			__assert_fail("the place is in the surface", __FILE__, __LINE__, function);
		if (mode == cudaBoundaryModeZero)
			return nullptr;
		x = x < 0 ? 0 : x + (int)sizeof(T) > row ? row - (int)sizeof(T) : x;
		y = y < 0 ? 0 : y >= (int)m.height ? (int)m.height - 1 : y;
		z = z < 0 ? 0 : z >= (int)m.depth ? (int)m.depth - 1 : z;
	}
	return (T *)(m.texels + z * m.slice + (unsigned long long)y * m.pitch + x);
}
#undef __WEFT_COMMA
template <class T> static __device__ __inline__ T surf3Dread(cudaSurfaceObject_t object, int x, int y, int z, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
	T *p = __weft_place<T>(object, x, y, z, mode, "a read of a surface");
	return p ? *p : T();
}
template <class T> static __device__ __inline__ void surf3Dwrite(T value, cudaSurfaceObject_t object, int x, int y, int z, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
	T *p = __weft_place<T>(object, x, y, z, mode, "a write to a surface");
	if (p)
		*p = value;
}
template <class T> static __device__ __inline__ void surf3Dread(T *to, cudaSurfaceObject_t object, int x, int y, int z, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *to = surf3Dread<T>(object, x, y, z, mode); }
#define __WEFT_SURF(name, parameters, ...) \
	template <class T> static __device__ __inline__ T name##read(cudaSurfaceObject_t object, parameters, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { return surf3Dread<T>(object, __VA_ARGS__, mode); } \
	template <class T> static __device__ __inline__ void name##read(T *to, cudaSurfaceObject_t object, parameters, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *to = surf3Dread<T>(object, __VA_ARGS__, mode); } \
	template <class T> static __device__ __inline__ void name##write(T value, cudaSurfaceObject_t object, parameters, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { surf3Dwrite(value, object, __VA_ARGS__, mode); }
#define __WEFT_COMMA ,
__WEFT_SURF(surf1D, int x, x, 0, 0)
__WEFT_SURF(surf2D, int x __WEFT_COMMA int y, x, y, 0)
__WEFT_SURF(surf1DLayered, int x __WEFT_COMMA int layer, x, 0, layer)
__WEFT_SURF(surf2DLayered, int x __WEFT_COMMA int y __WEFT_COMMA int layer, x, y, layer)
#undef __WEFT_COMMA
#undef __WEFT_SURF
#endif
