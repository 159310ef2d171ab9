#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
// What one fence takes, by what its thread did before and how many cycles ago, and in which half of the L2 the SM of each block is;
// see README.md. With an argument, without the blocks.
typedef unsigned int u32; typedef unsigned long long u64;
static __device__ __forceinline__ void red(u32*p){asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;"::"l"(p):"memory");}
static __device__ __forceinline__ u32 atom(u32*p){u32 r;asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;":"=r"(r):"l"(p):"memory");return r;}
static __device__ __forceinline__ u32 ldr(u32*p){u32 r;asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];":"=r"(r):"l"(p):"memory");return r;}
static __device__ __forceinline__ void st(u32*p,u32 v){asm volatile("st.relaxed.gpu.global.u32 [%0], %1;"::"l"(p),"r"(v):"memory");}
static __device__ __forceinline__ void fence(){asm volatile("fence.acq_rel.gpu;":::"memory");}
static __device__ __forceinline__ u64 clk(){u64 r;asm volatile("mov.u64 %0, %%clock64;":"=l"(r)::"memory");return r;}
static __device__ __forceinline__ void delay(u32 n){u64 s=clk(); while(clk()-s<n);}
template<int K> __global__ void f(u32*p,u32 steps,u32 wait,u64*out){
  u64 sum=0; u32 x=0;
  for(u32 i=0;i<steps;i++){
    if(K==0){}
    if(K==1) st(p,i);
    if(K==2) red(p);
    if(K==3) x+=atom(p);
    if(K==4) x+=ldr(p);
    if(K==5){ st(p,i); fence(); }
    if(K==6){ x+=atom(p); if(x==0x7fffffff) st(p,x); fence(); }
    if(K==7){ st(p,i); st(p+1048576/4,i); }
    if(K==8){ asm volatile("st.global.u32 [%0], %1;"::"l"(p),"r"(i):"memory"); }
    if(K==3||K==4) if(x==0x7fffffff) st(p,x);
    if(wait) delay(wait);
    u64 a=clk(); fence(); u64 b=clk(); sum+=b-a;
  }
  if(threadIdx.x==0) out[0]=sum/steps;
}
// warp 0 writes, and all 8 warps of the block fence after a barrier, or only warp 1 does.
template<int K> __global__ void g(u32*p,u32 steps,u64*out){
  u64 sum=0;
  for(u32 i=0;i<steps;i++){
    if(threadIdx.x<32) st(p,i);
    __syncthreads(); 
    if(K==1 && threadIdx.x<32) fence();
    if(K==1) __syncthreads();
    u64 a=clk(); if(K==0 || threadIdx.x/32==1) fence(); u64 b=clk(); sum+=b-a;
    __syncthreads();
  }
  if(threadIdx.x==32) out[0]=sum/steps;
}
__global__ void map(u32*p,u32*smid,u32*lat){
  extern __shared__ u32 s[]; s[threadIdx.x]=0;
  u32 best=~0u,x=0; for(int i=0;i<16;i++){u64 a=clk(); x=atom(p+(x>>31)); u64 b=clk(); if(x==0x7fffffff) p[1]=1; best=min(best,u32(clk()-a));}
  u32 id; asm("mov.u32 %0, %%smid;":"=r"(id)); smid[blockIdx.x]=id; lat[blockIdx.x]=best;
}
u32*buf;u64*out;
template<int K> void run(const char*n,u32 wait){ std::vector<u64> r; for(int a=0;a<10;a++){ f<K><<<1,1>>>(buf+a*1024+(a%3)*8192,64,wait,out); u64 v; cudaMemcpy(&v,out,8,cudaMemcpyDeviceToHost); r.push_back(v);} std::sort(r.begin(),r.end()); printf("fence after %-22s wait %4u: %llu %llu %llu %llu %llu\n",n,wait,r[0],r[2],r[5],r[7],r[9]); }
template<int K> void run2(const char*n){ std::vector<u64> r; for(int a=0;a<10;a++){ g<K><<<1,256>>>(buf+a*1024+(a%3)*8192,64,out); u64 v; cudaMemcpy(&v,out,8,cudaMemcpyDeviceToHost); r.push_back(v);} std::sort(r.begin(),r.end()); printf("%-22s: %llu %llu %llu %llu %llu\n",n,r[0],r[2],r[5],r[7],r[9]); }
int main(int argc,char**){
  cudaMalloc(&buf,1<<23); cudaMemset(buf,0,1<<23); cudaMalloc(&out,64);
  for(u32 w: {0u,500u,3000u}){
  run<0>("nothing",w); run<1>("st",w); run<8>("weak st",w); run<2>("red",w); run<3>("atom",w); run<4>("ld",w); run<5>("st, fence",w); run<6>("atom, fence",w); run<7>("two st",w);}
  run2<0>("st, all 8 warps fence"); run2<1>("st, fence, fence of another warp");
  if(argc>1) return 0;
  u32*d; cudaMalloc(&d,4096); std::vector<u32> h(1024); cudaFuncSetAttribute(map,cudaFuncAttributeMaxDynamicSharedMemorySize,200*1024);
  for(int nb: {8,16,66,132}) for(int a=0;a<2;a++){ map<<<nb,32,200*1024>>>(buf+a*1024,d,d+256); cudaError_t e=cudaDeviceSynchronize(); if(e) printf("%s\n",cudaGetErrorString(e)); cudaMemcpy(h.data(),d,4096,cudaMemcpyDeviceToHost);
   printf("map %d %d:",nb,a); for(int i=0;i<nb;i++) printf(" %u/%u",h[i],h[256+i]); printf("\n"); }
}
