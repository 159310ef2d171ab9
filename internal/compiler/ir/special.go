package ir

import "github.com/weft-gpu/weft/internal/cluster"

// Special is a read-only value that the machine supplies to a thread.
type Special uint8

// The special values.
const (
	TID    Special = iota // thread index in the block, along x
	CTAID                 // block index in the grid, along x
	NTID                  // threads per block, along x
	NCTAID                // blocks in the grid, along x
	LaneID                // lane in the warp
	SMID                  // SM that the block runs on
	Clock64
	GlobalTimer // nanoseconds
	TIDY        // along y
	TIDZ        // along z
	CTAIDY
	CTAIDZ
	NTIDY
	NTIDZ
	NCTAIDY
	NCTAIDZ
	DynamicBytes // bytes of dynamic shared memory per block
	ClusterRank  // of the block in its cluster
	ClusterSize  // blocks per cluster
	ClusterRankX // the same along each dimension
	ClusterRankY
	ClusterRankZ
	ClusterSizeX
	ClusterSizeY
	ClusterSizeZ
	NumSpecials
)

// SpecialInfo describes one special value.
type SpecialInfo struct {
	Name    string
	Func    string // the method of gpu.Thread that reads it
	CUDA    string // what reads it in CUDA
	Kind    Kind   // U32 or U64
	Changes bool   // changes while the kernel runs: read by OpReadSpecial, the others by OpSpecial
	Most    uint64 // the largest value, if smaller than that of the kind
}

// Specials is the table of all special values.
var Specials = [NumSpecials]SpecialInfo{
	TID:         {Name: "tid", Func: "Thread.Idx", CUDA: "threadIdx.x", Kind: U32, Most: 1023},
	CTAID:       {Name: "ctaid", Func: "Thread.Block", CUDA: "blockIdx.x", Kind: U32},
	NTID:        {Name: "ntid", Func: "Thread.BlockDim", CUDA: "blockDim.x", Kind: U32, Most: 1024},
	NCTAID:      {Name: "nctaid", Func: "Thread.GridDim", CUDA: "gridDim.x", Kind: U32},
	LaneID:      {Name: "laneid", Func: "Thread.Lane", CUDA: "%laneid", Kind: U32, Most: 31},
	SMID:        {Name: "smid", Func: "Thread.SM", CUDA: "%smid", Kind: U32},
	Clock64:     {Name: "clock64", Func: "Thread.Clock", CUDA: "clock64()", Kind: U64, Changes: true},
	GlobalTimer: {Name: "globaltimer", Func: "Thread.GlobalTimer", CUDA: "%globaltimer", Kind: U64, Changes: true},
	TIDY:        {Name: "tid.y", Func: "Thread.IdxY", CUDA: "threadIdx.y", Kind: U32, Most: 1023},
	TIDZ:        {Name: "tid.z", Func: "Thread.IdxZ", CUDA: "threadIdx.z", Kind: U32, Most: 63},
	CTAIDY:      {Name: "ctaid.y", Func: "Thread.BlockY", CUDA: "blockIdx.y", Kind: U32, Most: 1<<16 - 2},
	CTAIDZ:      {Name: "ctaid.z", Func: "Thread.BlockZ", CUDA: "blockIdx.z", Kind: U32, Most: 1<<16 - 2},
	NTIDY:       {Name: "ntid.y", Func: "Thread.BlockDimY", CUDA: "blockDim.y", Kind: U32, Most: 1024},
	NTIDZ:       {Name: "ntid.z", Func: "Thread.BlockDimZ", CUDA: "blockDim.z", Kind: U32, Most: 64},
	NCTAIDY:     {Name: "nctaid.y", Func: "Thread.GridDimY", CUDA: "gridDim.y", Kind: U32, Most: 1<<16 - 1},
	NCTAIDZ:     {Name: "nctaid.z", Func: "Thread.GridDimZ", CUDA: "gridDim.z", Kind: U32, Most: 1<<16 - 1},

	DynamicBytes: {Name: "dynamic", Func: "Thread.DynamicBytes", CUDA: "%dynamic_smem_size", Kind: U32, Most: 1 << 20},
	ClusterRank:  {Name: "cluster.rank", Func: "Thread.ClusterRank", CUDA: "%cluster_ctarank", Kind: U32, Most: cluster.MaxBlocks - 1},
	ClusterSize:  {Name: "cluster.size", Func: "Thread.ClusterSize", CUDA: "%cluster_nctarank", Kind: U32, Most: cluster.MaxBlocks},
	ClusterRankX: {Name: "cluster.rank.x", Func: "Thread.ClusterRankX", CUDA: "%cluster_ctaid.x", Kind: U32, Most: cluster.MaxBlocks - 1},
	ClusterRankY: {Name: "cluster.rank.y", Func: "Thread.ClusterRankY", CUDA: "%cluster_ctaid.y", Kind: U32, Most: cluster.MaxBlocks - 1},
	ClusterRankZ: {Name: "cluster.rank.z", Func: "Thread.ClusterRankZ", CUDA: "%cluster_ctaid.z", Kind: U32, Most: cluster.MaxBlocks - 1},
	ClusterSizeX: {Name: "cluster.size.x", Func: "Thread.ClusterSizeX", CUDA: "%cluster_nctaid.x", Kind: U32, Most: cluster.MaxBlocks},
	ClusterSizeY: {Name: "cluster.size.y", Func: "Thread.ClusterSizeY", CUDA: "%cluster_nctaid.y", Kind: U32, Most: cluster.MaxBlocks},
	ClusterSizeZ: {Name: "cluster.size.z", Func: "Thread.ClusterSizeZ", CUDA: "%cluster_nctaid.z", Kind: U32, Most: cluster.MaxBlocks},
}

// String returns the name in the text form.
func (s Special) String() string { return Specials[s].Name }

// OfCluster reports whether the value is about the cluster of a block.
func (s Special) OfCluster() bool { return s >= ClusterRank && s <= ClusterSizeZ }
