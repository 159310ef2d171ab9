// Textures of linear memory, by object and by reference. A texture is 16 bytes of the device: where its texels are, how many, and their
// format; protocol.h has the bits. An object is the address of these bytes, and clang makes a variable with them of each reference.
#pragma once

struct textureReference {
	int normalized;
	enum cudaTextureFilterMode filterMode;
	enum cudaTextureAddressMode addressMode[3];
	struct cudaChannelFormatDesc channelDesc;
	int sRGB;
	unsigned int maxAnisotropy;
	enum cudaTextureFilterMode mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
#define cudaTextureType1D 1
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

// The texel i, and 0 outside of the texture.
template <class T> static __device__ __inline__ T __weft_fetch(cudaTextureObject_t object, int i) {
	typedef typename __weft_texel<T>::of C;
	const unsigned n = __weft_texel<T>::channels, format = 128 | __weft_log(sizeof(C)) | __weft_log(n) << 2;
	__weft_parts t = __weft_texture(object);
	if ((unsigned)i >= t.count) {
		if (!t.format)
			__assert_fail("the texture is bound to memory", __FILE__, __LINE__, "tex1Dfetch");
		return T();
	}
	if ((t.format & (128 | 15)) == format)
		return __ldg((const T *)t.texels + i);
	union {
		C of[n];
		T all;
	} v = {};
	if (C(0.5) > C(0) && (t.format & 12) == (format & 12)) {
		const char *at = t.texels + ((unsigned long long)i << ((t.format & 3) + (t.format >> 2 & 3)));
		for (unsigned c = 0; c < n; c++)
			v.of[c] = __weft_fraction(at + (c << (t.format & 3)), t.format);
		return v.all;
	}
	__assert_fail("the type of tex1Dfetch is that of the texture", __FILE__, __LINE__, "tex1Dfetch");
	return v.all;
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

// Textures that are not linear: the instruction, which weft refuses with the line of its call.
#define __WEFT_REFUSED(name, instruction, parameters, coordinates, ...) \
	template <class T> static __device__ __inline__ T name(cudaTextureObject_t object, parameters) { \
		float a, b, c, d; \
		asm volatile(instruction ".v4.f32.f32 {%0, %1, %2, %3}, [%4, {" coordinates "}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(object), __VA_ARGS__); \
		return T(); \
	} \
	template <class T, int dim, enum cudaTextureReadMode mode> static __device__ __inline__ typename __weft_read<T, mode>::type name(texture<T, dim, mode> reference, parameters) { \
		return name<typename __weft_read<T, mode>::type>(__weft_object(reference), __WEFT_PASS_##name); \
	}
#define __WEFT_COMMA ,
#define __WEFT_PASS_tex1D x
#define __WEFT_PASS_tex2D x, y
#define __WEFT_PASS_tex3D x, y, z
__WEFT_REFUSED(tex1D, "tex.1d", float x, "%5", "f"(x))
__WEFT_REFUSED(tex2D, "tex.2d", float x __WEFT_COMMA float y, "%5, %6", "f"(x), "f"(y))
__WEFT_REFUSED(tex3D, "tex.3d", float x __WEFT_COMMA float y __WEFT_COMMA float z, "%5, %6, %7, %7", "f"(x), "f"(y), "f"(z))
#undef __WEFT_REFUSED
#undef __WEFT_COMMA
#undef __WEFT_PASS_tex1D
#undef __WEFT_PASS_tex2D
#undef __WEFT_PASS_tex3D

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
template <class T, int dim, enum cudaTextureReadMode mode> static inline cudaError_t cudaUnbindTexture(const texture<T, dim, mode> &reference) { return cudaUnbindTexture((const textureReference *)&reference); }
template <class T, int dim, enum cudaTextureReadMode mode> static inline cudaError_t cudaUnbindTexture(const texture<T, dim, mode> *reference) { return cudaUnbindTexture((const textureReference *)reference); }
#endif
