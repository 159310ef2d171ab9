// Prices of options by the formula of Black and Scholes, with the quick exponential and logarithm.
// Limited by the units of special functions, and by the bandwidth of memory.
// 256 threads; 132, 1,056 and 8,448 blocks.
#include "check.h"

// The normal distribution, by Abramowitz and Stegun 26.2.17; e is exp(-d * d / 2).
__device__ __host__ inline float normal(float d, float e) {
	float k = 1 / (1 + 0.2316419f * fabsf(d));
	float tail = 0.39894228f * e * k * (0.31938153f + k * (-0.35656378f + k * (1.78147794f + k * (-1.82125598f + k * 1.33027443f))));
	return d > 0 ? 1 - tail : tail;
}

const float rate = 0.02f, volatility = 0.3f;

__global__ void price(const float *spots, const float *strikes, const float *years, float *calls, float *puts) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float s = spots[i], k = strikes[i], y = years[i], v = volatility * sqrtf(y);
	float a = (__logf(__fdividef(s, k)) + (rate + 0.5f * volatility * volatility) * y) / v, b = a - v;
	float now = k * __expf(-rate * y), na = normal(a, __expf(-0.5f * a * a)), nb = normal(b, __expf(-0.5f * b * b));
	calls[i] = s * na - now * nb;
	puts[i] = now * (1 - nb) - s * (1 - na);
}

int main(int argc, char **argv) {
	int size = sizeClass(argc, argv), blocks = pick(size, 132, 1056, 8448), n = blocks * 256;
	std::vector<float> spot(n), strike(n), year(n), call(n), put(n);
	for (int i = 0; i < n; i++) {
		double s = spot[i] = 5 + 25 * fraction(3 * i), k = strike[i] = 5 + 25 * fraction(3 * i + 1), y = year[i] = 0.25f + 9 * fraction(3 * i + 2);
		double v = volatility * sqrt(y), a = (log(s / k) + (rate + 0.5 * volatility * volatility) * y) / v;
		double now = k * exp(-rate * y), na = 0.5 * erfc(-a * M_SQRT1_2), nb = 0.5 * erfc(-(a - v) * M_SQRT1_2);
		call[i] = s * na - now * nb;
		put[i] = now * (1 - nb) - s * (1 - na);
	}
	float *s = upload(spot), *k = upload(strike), *y = upload(year), *c = room<float>(n), *p = room<float>(n);
	launches(blocks, [&](dim3 grid) { price<<<grid, 256>>>(s, k, y, c, p); });
	same("call", download(c, n), call, 1e-4);
	same("put", download(p, n), put, 1e-4);
	puts("right");
}
