// Textures, by object and by reference; __weft_image.h has those that are not linear memory. A texture is 16 bytes of the device: where its texels are, how many, and their
// format; protocol.h has the bits. An object is the address of these bytes, and clang makes a variable with them of each reference.
#pragma once

#define cudaTextureType1D 1
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2
#define cudaTextureType2D 2
#define cudaTextureType3D 3

// What a texel has: channels of one type.
template <class T> struct __weft_texel;
#define __WEFT_TEXEL(type, channel, count) template <> struct __weft_texel<type> { typedef channel of; enum { channels = count }; };
#define __WEFT_TEXELS(channel, name) __WEFT_TEXEL(channel, channel, 1) __WEFT_TEXEL(name##2, channel, 2) __WEFT_TEXEL(name##4, channel, 4)
__WEFT_TEXELS(signed char, char) __WEFT_TEXELS(unsigned char, uchar) __WEFT_TEXELS(short, short) __WEFT_TEXELS(unsigned short, ushort)
__WEFT_TEXELS(int, int) __WEFT_TEXELS(unsigned, uint) __WEFT_TEXELS(float, float) __WEFT_TEXEL(char, char, 1)
#undef __WEFT_TEXELS
#undef __WEFT_TEXEL

template <class T> static inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
	typedef typename __weft_texel<T>::of C;
	const int bits = 8 * sizeof(C), n = __weft_texel<T>::channels;
	return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0,
		C(0.5) > C(0) ? cudaChannelFormatKindFloat : C(-1) < C(0) ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned);
}

#ifdef __CUDA__
template <class T, int dim = 1, enum cudaTextureReadMode mode = cudaReadModeElementType> struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
	texture(int normalized = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint, enum cudaTextureAddressMode address = cudaAddressModeClamp) {
		*(textureReference *)this = textureReference{normalized, filter, {address, address, address}, cudaCreateChannelDesc<T>()};
	}
};

// The parts of a texture, and the logarithms of which its format consists.
struct __weft_parts {
	const char *texels;
	unsigned count, format;
};
static __device__ __inline__ __weft_parts __weft_texture(cudaTextureObject_t object) {
	uint4 v = __ldg((const uint4 *)object);
	return {(const char *)(v.x | (unsigned long long)v.y << 32), v.z, v.w};
}
constexpr __device__ unsigned __weft_log(unsigned n) { return n == 4 ? 2 : n - 1; }

// A channel of 8 or 16 bits as a float: a fraction, or a float of 16 bits.
static __device__ __inline__ float __weft_fraction(const char *at, unsigned format) {
	if (format & 1) {
		unsigned short v = __ldg((const unsigned short *)at);
		if (format & 32) {
			float f;
			asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(v));
			return f;
		}
		return format & 16 ? fmaxf((short)v / 32767.0f, -1.0f) : v / 65535.0f;
	}
	unsigned char v = __ldg((const unsigned char *)at);
	return format & 16 ? fmaxf((signed char)v / 127.0f, -1.0f) : v / 255.0f;
}

// A texel. Its type is that of the texture, or floats if the texture has fractions.
template <class T> static __device__ __inline__ T __weft_load(const char *at, unsigned texture, const char *function) {
	typedef typename __weft_texel<T>::of C;
	const unsigned n = __weft_texel<T>::channels, format = 128 | __weft_log(sizeof(C)) | __weft_log(n) << 2;
	if ((texture & (128 | 15)) == format)
		return __ldg((const T *)at);
	union {
		C of[n];
		T all;
	} v = {};
	if (C(0.5) > C(0) && (texture & 12) == (format & 12)) {
		for (unsigned c = 0; c < n; c++)
			v.of[c] = __weft_fraction(at + (c << (texture & 3)), texture);
		return v.all;
	}
	__assert_fail("the type of the fetch is that of the texture", __FILE__, __LINE__, function);
	return v.all;
}

// The texel i, and 0 outside of the texture.
template <class T> static __device__ __inline__ T __weft_fetch(cudaTextureObject_t object, int i) {
	__weft_parts t = __weft_texture(object);
	if ((unsigned)i >= t.count) {
		if (!t.format)
			__assert_fail("the texture is bound to memory", __FILE__, __LINE__, "tex1Dfetch");
		return T();
	}
	return __weft_load<T>(t.texels + ((unsigned long long)i << ((t.format & 3) + (t.format >> 2 & 3))), t.format, "tex1Dfetch");
}

// The object of a reference: clang passes the address of its variable, which has no type in C++.
template <class R> static __device__ __inline__ cudaTextureObject_t __weft_object(R reference) {
	cudaTextureObject_t object;
	asm("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
	return object;
}
// What a fetch of a normalised texture returns: as many floats as the texel has channels.
template <int n> struct __weft_floats;
template <> struct __weft_floats<1> { typedef float type; };
template <> struct __weft_floats<2> { typedef float2 type; };
template <> struct __weft_floats<4> { typedef float4 type; };
template <class T, enum cudaTextureReadMode mode> struct __weft_read { typedef T type; };
template <class T> struct __weft_read<T, cudaReadModeNormalizedFloat> { typedef typename __weft_floats<__weft_texel<T>::channels>::type type; };

template <class T> static __device__ __inline__ T tex1Dfetch(cudaTextureObject_t object, int x) { return __weft_fetch<T>(object, x); }
template <class T> static __device__ __inline__ void tex1Dfetch(T *p, cudaTextureObject_t object, int x) { *p = __weft_fetch<T>(object, x); }
template <class T, enum cudaTextureReadMode mode> static __device__ __inline__ typename __weft_read<T, mode>::type tex1Dfetch(texture<T, 1, mode> reference, int x) {
	return __weft_fetch<typename __weft_read<T, mode>::type>(__weft_object(reference), x);
}

// References are bound by the host.
template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dim, mode> &reference, const void *p, const cudaChannelFormatDesc &desc, size_t size = UINT_MAX) {
	return __weftBindTexture(offset, &reference, p, &desc, size, mode);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dim, mode> &reference, const void *p, size_t size = UINT_MAX) {
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
	return __weftBindTexture(offset, &reference, p, &desc, size, mode);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dim, mode> *reference, const void *p, const cudaChannelFormatDesc *desc, size_t size = UINT_MAX) {
	return __weftBindTexture(offset, reference, p, desc, size, mode);
}
template <class T, int dim, enum cudaTextureReadMode mode> static inline cudaError_t cudaBindTextureToArray(const texture<T, dim, mode> &reference, cudaArray_const_t array, const cudaChannelFormatDesc &) {
	return __weftBindImage(&reference, array, nullptr, nullptr, 0, 0, 0, mode);
}
template <class T, int dim, enum cudaTextureReadMode mode> static inline cudaError_t cudaBindTextureToArray(const texture<T, dim, mode> &reference, cudaArray_const_t array) {
	return __weftBindImage(&reference, array, nullptr, nullptr, 0, 0, 0, mode);
}
template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &reference, const void *p, const cudaChannelFormatDesc &desc, size_t width, size_t height, size_t pitch) {
	if (offset)
		*offset = 0;
	return __weftBindImage(&reference, nullptr, p, &desc, width, height, pitch, mode);
}
template <class T, int dim, enum cudaTextureReadMode mode> static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &reference, const void *p, size_t width, size_t height, size_t pitch) {
	return cudaBindTexture2D(offset, reference, p, cudaCreateChannelDesc<T>(), width, height, pitch);
}
template <class T, int dim, enum cudaTextureReadMode mode> static inline cudaError_t cudaUnbindTexture(const texture<T, dim, mode> &reference) { return cudaUnbindTexture((const textureReference *)&reference); }
template <class T, int dim, enum cudaTextureReadMode mode> static inline cudaError_t cudaUnbindTexture(const texture<T, dim, mode> *reference) { return cudaUnbindTexture((const textureReference *)reference); }
#endif
