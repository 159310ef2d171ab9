#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
// What a barrier of a whole grid consists of; see README.md. Prints a line for each kind of barrier, number of blocks and place:
// name, blocks, threads of a block, whether they meet at __syncthreads before and after, offset of the counter in bytes, cycles of
// block 0 and polls, both for each barrier: on average over the blocks, and the most of one. With an argument, fewer of each.
typedef unsigned int u32; typedef unsigned long long u64;
static __device__ __forceinline__ void red(u32*p){asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;"::"l"(p):"memory");}
static __device__ __forceinline__ u32 atom(u32*p){u32 r;asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;":"=r"(r):"l"(p):"memory");return r;}
static __device__ __forceinline__ u32 ldr(u32*p){u32 r;asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];":"=r"(r):"l"(p):"memory");return r;}
static __device__ __forceinline__ u32 lda(u32*p){u32 r;asm volatile("ld.acquire.gpu.global.u32 %0, [%1];":"=r"(r):"l"(p):"memory");return r;}
static __device__ __forceinline__ void strel(u32*p,u32 v){asm volatile("st.release.gpu.global.u32 [%0], %1;"::"l"(p),"r"(v):"memory");}
static __device__ __forceinline__ void st(u32*p,u32 v){asm volatile("st.relaxed.gpu.global.u32 [%0], %1;"::"l"(p),"r"(v):"memory");}
static __device__ __forceinline__ void fence(){asm volatile("fence.acq_rel.gpu;":::"memory");}
static __device__ __forceinline__ u64 clk(){u64 r;asm volatile("mov.u64 %0, %%clock64;":"=l"(r)::"memory");return r;}
// KIND: what a block's first thread does in each step. p is the counter, q the flag.
template<int KIND> static __device__ __forceinline__ u32 step(u32*p,u32*q,u32 i,u32 n){
  u32 want=(i+1)*n, polls=0;
  if(KIND==0){ red(p); do polls++; while(ldr(p)<want); }
  if(KIND==1){ red(p); do polls++; while(lda(p)<want); }
  if(KIND==2){ fence(); red(p); do polls++; while(lda(p)<want); }
  if(KIND==3){ fence(); red(p); do polls++; while(ldr(p)<want); }
  if(KIND==4){ u32 r=atom(p); if(r+1<want) do polls++; while(ldr(p)<want); }
  if(KIND==6){ u32 r=atom(p); if(r+1==want) st(q,i+1); do polls++; while(ldr(q)<i+1); }
  if(KIND==7){ fence(); u32 r=atom(p); if(r+1==want) strel(q,i+1); do polls++; while(lda(q)<i+1); }
  if(KIND==8){ red(p); }
  if(KIND==9){ red(p); fence(); }
  if(KIND==10){ st(p,i); do polls++; while(ldr(p)<i); }
  if(KIND==11){ st(p,i); fence(); do polls++; while(lda(p)<i); }
  if(KIND==12){ polls+=ldr(p)&1; }
  if(KIND==13){ polls+=lda(p)&1; }
  if(KIND==14){ fence(); u32 r=atom(p); if(r+1<want) do polls++; while(lda(p)<want); }
  if(KIND==15){ u32 r=atom(p); if(r+1<want) while(ldr(p)<want) {polls++; __nanosleep(200);} }
  return polls;
}
template<int KIND> __global__ void k(u32*p,u32*q,u32 steps,u32 syncs,u64*cyc,u32*pol){
  u64 s=clk(); u32 polls=0;
  for(u32 i=0;i<steps;i++){
    if(syncs) __syncthreads();
    if(threadIdx.x==0) polls+=step<KIND>(p,q,i,gridDim.x);
    if(syncs) __syncthreads();
  }
  u64 e=clk();
  if(threadIdx.x==0){cyc[blockIdx.x]=e-s; pol[blockIdx.x]=polls;}
}
static u32*buf; static u64*cyc; static u32*pol;
static const int MB=1056;
template<int KIND> void one(const char*name,int blocks,int threads,int syncs,size_t off,size_t off2,const char*where){
  const int steps=64; std::vector<u64>c(MB); std::vector<u32>pl(MB);
  std::vector<double> all; double pm=0,pmax=0;
  for(int rep=0;rep<3;rep++){
    cudaMemset(buf,0,1<<22);
    k<KIND><<<blocks,threads>>>(buf+off,buf+off2,steps,syncs,cyc,pol);
    cudaError_t e=cudaDeviceSynchronize(); if(e!=cudaSuccess){printf("%s %d error %s\n",name,blocks,cudaGetErrorString(e));exit(1);}
    cudaMemcpy(c.data(),cyc,blocks*8,cudaMemcpyDeviceToHost); cudaMemcpy(pl.data(),pol,blocks*4,cudaMemcpyDeviceToHost);
    all.push_back(double(c[0])/steps); pm=pmax=0; for(int b=0;b<blocks;b++){double x=double(pl[b])/steps; pm+=x/blocks; pmax=std::max(pmax,x);}
  }
  std::sort(all.begin(),all.end());
  printf("%s,%d,%d,%d,%s,%.1f,%.2f,%.2f\n",name,blocks,threads,syncs,where,all[1],pm,pmax); fflush(stdout);
}
int main(int argc,char**argv){
  int quick=argc>1; cudaMalloc(&buf,1<<22); cudaMalloc(&cyc,MB*8); cudaMalloc(&pol,MB*4);
  printf("name,blocks,threads,syncs,offset,cycles,polls,maxpolls\n");
  int places=quick?2:12;
  for(int a=0;a<places;a++){ char w[32]; size_t o=size_t(a)*4096/4+ (a%3)*1024*8; sprintf(w,"%zu",o*4); size_t o2=o+1024;
    one<12>("ld.relaxed",1,32,0,o,o2,w); one<13>("ld.acquire",1,32,0,o,o2,w); one<8>("red",1,32,0,o,o2,w); one<9>("red fence",1,32,0,o,o2,w);
    one<4>("atom poll relaxed",1,32,0,o,o2,w); one<0>("red poll relaxed",1,32,0,o,o2,w); one<1>("red poll acquire",1,32,0,o,o2,w);
    one<3>("fence red poll relaxed",1,32,0,o,o2,w); one<2>("fence red poll acquire",1,32,0,o,o2,w); one<14>("fence atom poll acquire",1,32,0,o,o2,w);
    one<10>("st poll relaxed",1,32,0,o,o2,w); one<11>("st fence poll acquire",1,32,0,o,o2,w);
    one<2>("fence red poll acquire",1,256,1,o,o2,w); one<0>("red poll relaxed",1,256,1,o,o2,w);
    one<6>("atom flag relaxed",1,32,0,o,o2,w); one<7>("fence atom flag release acquire",1,32,0,o,o2,w);
  }
  int bs[]={2,4,8,16,32,66,132,264,528};
  for(int a=0;a<(quick?1:2);a++){ size_t o=a*3*1024, o2=o+5*1024; char w[32]; sprintf(w,"%zu",o*4);
  for(int b:bs){ if(quick&&b>264) break;
    one<0>("red poll relaxed",b,32,0,o,o2,w); one<2>("fence red poll acquire",b,32,0,o,o2,w); one<4>("atom poll relaxed",b,32,0,o,o2,w);
    one<6>("atom flag relaxed",b,32,0,o,o2,w); one<7>("fence atom flag release acquire",b,32,0,o,o2,w); one<6>("atom flag relaxed, one sector",b,32,0,o,o+1,w);
    one<15>("atom poll with nanosleep",b,32,0,o,o2,w);
    one<0>("red poll relaxed",b,128,1,o,o2,w); one<2>("fence red poll acquire",b,128,1,o,o2,w);
  }}
}
