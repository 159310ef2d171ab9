// Reductions of the lanes that a mask names.
#include "../programs/check.h"

__global__ void reduce(int *out) {
	unsigned lane = threadIdx.x, mask = lane % 2 ? 0xaaaaaaaa : 0x55555555;
	int *to = out + lane % 2 * 8;
	int sum = __reduce_add_sync(mask, (int)lane - 10), least = __reduce_min_sync(mask, (int)lane - 10), most = __reduce_max_sync(mask, lane);
	unsigned low = __reduce_min_sync(mask, lane), both = __reduce_and_sync(mask, lane), any = __reduce_or_sync(mask, lane), odd = __reduce_xor_sync(mask, lane + 1);
	if (lane < 2)
		to[0] = sum, to[1] = least, to[2] = most, to[3] = low, to[4] = both, to[5] = any, to[6] = odd;
}

int main() {
	int *out = upload(std::vector<int>(16));
	reduce<<<1, 32>>>(out);
	WAIT();
	auto got = download(out, 16);
	for (int from = 0; from < 2; from++) {
		int sum = 0, both = ~0, any = 0, odd = 0;
		for (int lane = from; lane < 32; lane += 2)
			sum += lane - 10, both &= lane, any |= lane, odd ^= lane + 1;
		const int want[] = {sum, from - 10, 30 + from, from, both, any, odd};
		for (int i = 0; i < 7; i++)
			CHECK(got[8 * from + i] == want[i]);
	}
	puts("ok");
}
