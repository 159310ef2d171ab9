// Shared memory by hand: time and counters of one access of a warp, for given byte offsets of its lanes.
//   shared time          all rows, JSON lines: cycles of an access for one warp and for 32 warps
//   shared count A B     launches rows A to B-1 once each, with one warp and 64 accesses, for ncu
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <string>
#include <vector>
#include <algorithm>
typedef unsigned u32; typedef unsigned long long u64;
#define SH 32768
enum { LD32, LD64, LD128, ST32, ST64, ST128, RED_1, RED_2, RED_UNI, RED_LANE, ATOM_1, ATOM_LANE, ATOM_1_UNUSED, RED_M1, RED_INC, ATOM_INC, RED_MIN, ATOM_MIN, RED_AND, RED_OR, ATOM_EXCH, ATOM_CAS, CAS_UNUSED, RED64_1, RED64_LANE, ATOM64_LANE, RED64_MAX, ATOM64_EXCH, ATOM64_CAS, REDF_LANE, ATOMF_LANE, RED_S1, NOPS };
static const char* names[NOPS] = {"ld.u32","ld.u64","ld.v4.u32","st.u32","st.u64","st.v4.u32","red.add.u32 1","red.add.u32 2","red.add.u32 uniform","red.add.u32 lane","atom.add.u32 1","atom.add.u32 lane","atom.add.u32 1 unused","red.add.u32 -1","red.inc.u32","atom.inc.u32","red.min.u32","atom.min.u32","red.and.b32","red.or.b32","atom.exch.b32","atom.cas.b32","atom.cas.b32 unused","red.add.u64 1","red.add.u64 lane","atom.add.u64 lane","red.max.u64","atom.exch.b64","atom.cas.b64","red.add.f32 lane","atom.add.f32 lane","red.add.s32 1"};
static const int width[NOPS] = {4,8,16,4,8,16, 4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4, 8,8,8,8,8,8, 4,4,4};

template<int OP> __device__ __forceinline__ void one(u32 a, u32 uni, u32 lane, u64 lane64, float lanef, u32& acc) {
  u32 x = 0, y = 0, z = 0, w = 0; u64 d = 0; float f = 0;
  if (OP == LD32) { asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(a)); acc ^= x; }
  if (OP == LD64) { asm volatile("ld.volatile.shared.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "r"(a)); acc ^= x ^ y; }
  if (OP == LD128) { asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(a)); acc ^= x ^ y ^ z ^ w; }
  if (OP == ST32) asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(a), "r"(lane));
  if (OP == ST64) asm volatile("st.volatile.shared.v2.u32 [%0], {%1,%1};" :: "r"(a), "r"(lane));
  if (OP == ST128) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" :: "r"(a), "r"(lane));
  if (OP == RED_1) asm volatile("red.relaxed.gpu.shared.add.u32 [%0], 1;" :: "r"(a));
  if (OP == RED_S1) asm volatile("red.relaxed.gpu.shared.add.s32 [%0], 1;" :: "r"(a));
  if (OP == RED_2) asm volatile("red.relaxed.gpu.shared.add.u32 [%0], 2;" :: "r"(a));
  if (OP == RED_M1) asm volatile("red.relaxed.gpu.shared.add.u32 [%0], -1;" :: "r"(a));
  if (OP == RED_UNI) asm volatile("red.relaxed.gpu.shared.add.u32 [%0], %1;" :: "r"(a), "r"(uni));
  if (OP == RED_LANE) asm volatile("red.relaxed.gpu.shared.add.u32 [%0], %1;" :: "r"(a), "r"(lane));
  if (OP == ATOM_1) { asm volatile("atom.relaxed.gpu.shared.add.u32 %0, [%1], 1;" : "=r"(x) : "r"(a)); acc ^= x; }
  if (OP == ATOM_LANE) { asm volatile("atom.relaxed.gpu.shared.add.u32 %0, [%1], %2;" : "=r"(x) : "r"(a), "r"(lane)); acc ^= x; }
  if (OP == ATOM_1_UNUSED) asm volatile("atom.relaxed.gpu.shared.add.u32 %0, [%1], 1;" : "=r"(x) : "r"(a));
  if (OP == RED_INC) asm volatile("red.relaxed.gpu.shared.inc.u32 [%0], 0xffffffff;" :: "r"(a));
  if (OP == ATOM_INC) { asm volatile("atom.relaxed.gpu.shared.inc.u32 %0, [%1], 0xffffffff;" : "=r"(x) : "r"(a)); acc ^= x; }
  if (OP == RED_MIN) asm volatile("red.relaxed.gpu.shared.min.u32 [%0], %1;" :: "r"(a), "r"(lane));
  if (OP == ATOM_MIN) { asm volatile("atom.relaxed.gpu.shared.min.u32 %0, [%1], %2;" : "=r"(x) : "r"(a), "r"(lane)); acc ^= x; }
  if (OP == RED_AND) asm volatile("red.relaxed.gpu.shared.and.b32 [%0], %1;" :: "r"(a), "r"(lane));
  if (OP == RED_OR) asm volatile("red.relaxed.gpu.shared.or.b32 [%0], %1;" :: "r"(a), "r"(lane));
  if (OP == ATOM_EXCH) { asm volatile("atom.relaxed.gpu.shared.exch.b32 %0, [%1], %2;" : "=r"(x) : "r"(a), "r"(lane)); acc ^= x; }
  if (OP == ATOM_CAS) { asm volatile("atom.relaxed.gpu.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(x) : "r"(a), "r"(uni), "r"(lane)); acc ^= x; }
  if (OP == CAS_UNUSED) asm volatile("atom.relaxed.gpu.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(x) : "r"(a), "r"(uni), "r"(lane));
  if (OP == RED64_1) asm volatile("red.relaxed.gpu.shared.add.u64 [%0], 1;" :: "r"(a));
  if (OP == RED64_LANE) asm volatile("red.relaxed.gpu.shared.add.u64 [%0], %1;" :: "r"(a), "l"(lane64));
  if (OP == ATOM64_LANE) { asm volatile("atom.relaxed.gpu.shared.add.u64 %0, [%1], %2;" : "=l"(d) : "r"(a), "l"(lane64)); acc ^= (u32)d; }
  if (OP == RED64_MAX) asm volatile("red.relaxed.gpu.shared.max.u64 [%0], %1;" :: "r"(a), "l"(lane64));
  if (OP == ATOM64_EXCH) { asm volatile("atom.relaxed.gpu.shared.exch.b64 %0, [%1], %2;" : "=l"(d) : "r"(a), "l"(lane64)); acc ^= (u32)d; }
  if (OP == ATOM64_CAS) { asm volatile("atom.relaxed.gpu.shared.cas.b64 %0, [%1], %2, %3;" : "=l"(d) : "r"(a), "l"((u64)uni), "l"(lane64)); acc ^= (u32)d; }
  if (OP == REDF_LANE) asm volatile("red.relaxed.gpu.shared.add.f32 [%0], %1;" :: "r"(a), "f"(lanef));
  if (OP == ATOMF_LANE) { asm volatile("atom.relaxed.gpu.shared.add.f32 %0, [%1], %2;" : "=f"(f) : "r"(a), "f"(lanef)); acc ^= __float_as_uint(f); }
}

struct Pat { int off[32]; };

template<int OP> __global__ void __launch_bounds__(1024) shm(Pat p, int iters, u32 uni, u32* out, long long* cyc) {
  __shared__ __align__(128) char s[SH];
  for (int i = threadIdx.x; i < SH / 4; i += blockDim.x) ((u32*)s)[i] = 0;
  __syncthreads();
  int l = threadIdx.x & 31;
  int o = p.off[l];
  u32 a = (u32)__cvta_generic_to_shared(s) + o;
  u32 acc = 0, lane = threadIdx.x * 7 + 3; u64 lane64 = lane | (u64)lane << 33; float lanef = lane;
  long long t0 = clock64();
  if (o >= 0) for (int i = 0; i < iters; i++) {
#pragma unroll
    for (int k = 0; k < 16; k++) one<OP>(a, uni, lane, lane64, lanef, acc);
  }
  asm volatile("" :: "r"(acc) : "memory");
  if (acc == 0x12345678) out[1] = acc;
  __syncwarp();
  long long t1 = clock64();
  if (l == 0) { cyc[2 * (threadIdx.x / 32)] = t0; cyc[2 * (threadIdx.x / 32) + 1] = t1; }
}

typedef void (*K)(Pat, int, u32, u32*, long long*);
template<int N> struct Fill { static void go(K* k) { k[N] = shm<N>; Fill<N - 1>::go(k); } };
template<> struct Fill<-1> { static void go(K*) {} };

struct Row { int op; std::string name; Pat p; };
static u32 seed = 12345;
static u32 rnd() { seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5; return seed; }
static std::vector<Row> rows;
static void add(int op, std::string name, int (*f)(int l, int w, int a, int b), int a = 0, int b = 0) {
  Row r; r.op = op; r.name = name;
  for (int l = 0; l < 32; l++) { r.p.off[l] = f(l, width[op], a, b); if (r.p.off[l] > SH - 16) { fprintf(stderr, "offset\n"); exit(1); } }
  rows.push_back(r);
}
static std::string S(const char* f, int a = 0, int b = 0) { char buf[99]; snprintf(buf, 99, f, a, b); return buf; }

static void build() {
  for (int op = LD32; op <= ST128; op++) {
    for (int s : {1, 2, 3, 4, 5, 6, 8, 16, 17, 32}) add(op, S("stride %d elements", s), [](int l, int w, int a, int) { return l * w * a; }, s);
    for (int s : {33, 36, 64, 136, 32, 128, 130, 132}) add(op, S("stride %d words", s), [](int l, int w, int a, int) { return l * a * 4 / w * w; }, s);
    for (int g : {2, 4, 8, 16, 32}) add(op, S("%d neighbours on one element", g), [](int l, int w, int a, int) { return l / a * w; }, g);
    for (int g : {2, 4, 8, 16}) add(op, S("%d elements in turn", g), [](int l, int w, int a, int) { return l % a * w; }, g);
    for (int g : {2, 4, 8, 16, 32}) add(op, S("%d rows of 128 bytes in turn, one column", g), [](int l, int w, int a, int) { return l % a * 128; }, g);
    for (int g : {1, 2, 4, 8, 16, 24}) add(op, S("first %d lanes, consecutive", g), [](int l, int w, int a, int) { return l < a ? l * w : -1; }, g);
    for (int g : {2, 4, 8}) add(op, S("every %d-th lane, consecutive", g), [](int l, int w, int a, int) { return l % a == 0 ? l * w : -1; }, g);
    for (int g : {2, 4, 8}) add(op, S("every %d-th lane, stride 128 bytes", g), [](int l, int w, int a, int) { return l % a == 0 ? l * 128 : -1; }, g);
    // The fragment of a tile with rows of 32 floats: 8 lanes on 8 rows, 4 columns of 16 bytes.
    add(op, "tile fragment, 8 rows of 128 bytes, 4 columns", [](int l, int w, int, int) { return l / 4 * 128 + l % 4 * w; });
    add(op, "tile fragment, rows by lane % 8", [](int l, int w, int, int) { return l % 8 * 128 + l / 8 * w; });
    add(op, "reversed", [](int l, int w, int, int) { return (31 - l) * w; });
    add(op, "halves exchanged pairwise", [](int l, int w, int, int) { return (l ^ 16) * w; });
    add(op, "halves on the same elements", [](int l, int w, int, int) { return l % 16 * w; });
    add(op, "lane ^ 1 the same, then stride 128 bytes", [](int l, int w, int, int) { return l / 2 * 128; });
    for (int i = 0; i < 8; i++) add(op, S("random in 512 bytes %d", i), [](int, int w, int, int) { return int(rnd() % (512 / w) * w); });
    for (int i = 0; i < 8; i++) add(op, S("random in 16 KiB %d", i), [](int, int w, int, int) { return int(rnd() % (16384 / w) * w); });
    for (int i = 0; i < 6; i++) add(op, S("random in 128 bytes %d", i), [](int, int w, int, int) { return int(rnd() % (128 / w) * w); });
    for (int i = 0; i < 6; i++) add(op, S("random in 2 KiB, some lanes %d", i), [](int, int w, int a, int) { return rnd() % 4 < 2 ? int(rnd() % (2048 / w) * w) : -1; });
    for (int i = 0; i < 6; i++) { static int last; last = 0; add(op, S("random in 2 KiB, pairs %d", i), [](int l, int w, int, int) { if (l % 2 == 0) last = int(rnd() % (2048 / w) * w); return last; }); }
    for (int i = 0; i < 4; i++) { static int v[4]; add(op, S("random in 2 KiB, lane ^ 2 the same %d", i), [](int l, int w, int, int) { if (l % 4 < 2) v[l % 2] = int(rnd() % (2048 / w) * w); return v[l % 2]; }); }
  }
  for (int op = RED_1; op < NOPS; op++) {
    for (int d : {1, 2, 4, 8, 16, 32}) add(op, S("%d lanes an address", d), [](int l, int w, int a, int) { return l / a * w; }, d);
    for (int d : {2, 8, 32}) add(op, S("%d words of one bank, others apart", d), [](int l, int w, int a, int) { return l < a ? l * 128 : 16384 + l * w; }, d);
    bool main = op == RED_1 || op == RED_2 || op == RED_LANE || op == RED_UNI || op == ATOM_1 || op == ATOM_LANE || op == ATOM_MIN || op == RED_MIN || op == ATOM_CAS || op == RED64_LANE || op == ATOM64_CAS || op == REDF_LANE || op == RED_INC || op == RED64_MAX;
    if (main) {
      for (int d : {4, 16}) add(op, S("%d words of one bank, others apart", d), [](int l, int w, int a, int) { return l < a ? l * 128 : 16384 + l * w; }, d);
      for (int d : {2, 4, 8, 16}) add(op, S("all lanes on %d words of one bank", d), [](int l, int w, int a, int) { return l % a * 128; }, d);
      for (int d : {2, 4, 8}) add(op, S("one word with %d lanes, others apart", d), [](int l, int w, int a, int) { return l < a ? 0 : l * w; }, d);
      add(op, "two words of one bank, 8 and 4 lanes", [](int l, int w, int, int) { return l < 8 ? 0 : l < 12 ? 128 : l * w; });
      add(op, "4 words of one bank by 8 lanes each, in order", [](int l, int w, int, int) { return l / 8 * 128; });
      add(op, "one lane", [](int l, int w, int, int) { return l ? -1 : 0; });
      add(op, "16 lanes on one address", [](int l, int w, int, int) { return l < 16 ? 0 : -1; });
      for (int i = 0; i < 5; i++) add(op, S("random in 1 KiB %d", i), [](int, int w, int, int) { return int(rnd() % (1024 / w) * w); });
      for (int i = 0; i < 3; i++) add(op, S("random in 128 bytes %d", i), [](int, int w, int, int) { return int(rnd() % (128 / w) * w); });
      for (int i = 0; i < 3; i++) add(op, S("three lanes in four on one address %d", i), [](int, int w, int, int) { return rnd() % 4 ? 0 : int(rnd() % (1024 / w) * w); });
    }
  }
}
#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)

int main(int argc, char** argv) {
  build();
  K k[NOPS]; Fill<NOPS - 1>::go(k);
  u32* out; long long* cyc; CK(cudaMalloc(&out, 4096)); CK(cudaMalloc(&cyc, 4096));
  if (argc > 1 && !strcmp(argv[1], "count")) {
    int a = atoi(argv[2]), b = std::min(atoi(argv[3]), (int)rows.size());
    for (int i = a; i < b; i++) k[rows[i].op]<<<1, 32>>>(rows[i].p, 4, 5, out, cyc);
    CK(cudaDeviceSynchronize()); return 0;
  }
  for (size_t i = 0; i < rows.size(); i++) {
    Row& r = rows[i]; double t[2]; int n = 0;
    for (int warps : {1, 32}) {
      double best = 1e30;
      for (int rep = 0; rep < 4; rep++) {
        const int iters = 8; long long c[64];
        k[r.op]<<<1, 32 * warps>>>(r.p, iters, 5, out, cyc);
        CK(cudaMemcpy(c, cyc, sizeof c, cudaMemcpyDeviceToHost));
        long long lo = c[0], hi = c[1];
        for (int w = 0; w < warps; w++) { lo = std::min(lo, c[2 * w]); hi = std::max(hi, c[2 * w + 1]); }
        best = std::min(best, double(hi - lo) / (iters * 16 * warps));
      }
      t[n++] = best;
    }
    printf("{\"row\":%zu,\"op\":\"%s\",\"bytes\":%d,\"name\":\"%s\",\"one_warp\":%.3f,\"warps32\":%.3f,\"offsets\":[", i, names[r.op], width[r.op], r.name.c_str(), t[0], t[1]);
    for (int l = 0; l < 32; l++) printf("%s%d", l ? "," : "", r.p.off[l]);
    printf("]}\n");
  }
}
