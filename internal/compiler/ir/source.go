package ir

import (
	"fmt"
	"strings"

	"github.com/weft-gpu/weft/internal/mma"
)

// Source names an access to memory or a fence as a kernel writes it: "gpu.LoadAcquire", "plain store".
func (in *Inst) Source() string {
	if in.PTX && (in.Op == OpFence || in.Op.IsAtomic() || in.Mem.Order != Weak && in.Op.Action() != ActBulk) {
		return in.PTXName()
	}
	store := in.Op.Action() == ActStore
	if in.Wmma {
		return map[bool]string{false: "wmma::load_matrix_sync()", true: "wmma::store_matrix_sync()"}[store]
	}
	switch {
	case in.Op == OpFence && in.Mem.Order == SeqCst:
		return "gpu.FenceSC"
	case in.Op == OpFence:
		return "gpu.Fence"
	case in.Op.IsMBarrier():
		return in.Op.MBarrierName()
	case in.Op == OpBulkCopy && !in.PTX:
		return "gpu.CopyBulk"
	case in.Op == OpBulkSend && !in.PTX:
		return "gpu.SendBulk"
	case in.Op.SendsValue() && !in.PTX && in.Mem.Vec > 1:
		return fmt.Sprintf("gpu.%s%d", Ops[in.Op].Func, in.Mem.Vec)
	case in.Op.SendsValue() && !in.PTX:
		return "gpu." + Ops[in.Op].Func
	case in.Op == OpBulkMulticast && !in.PTX:
		return "gpu.MulticastBulk"
	case in.Op.Multicasts() && !in.PTX:
		return fmt.Sprintf("gpu.MulticastTensor%d", in.Op.TensorDims())
	case in.Op.BringsBulk() && !in.PTX:
		return fmt.Sprintf("gpu.CopyTensor%d", in.Op.TensorDims())
	case in.Op.TensorDims() > 0 && !in.PTX:
		return fmt.Sprintf("gpu.StoreTensor%d", in.Op.TensorDims())
	case in.Op == OpCopy && !in.PTX:
		return "gpu.CopyAsync"
	case in.Op.Action() == ActBulk && !in.PTX:
		return "gpu." + Ops[in.Op].Func
	case in.Op.Action() == ActCopy, in.Op.Action() == ActBulk:
		return in.Op.String()
	case in.Op.IsAtomic(), in.Op.OnMatrix():
		return "gpu." + Ops[in.Op].Func
	case store && in.Mem.Order == Weak:
		return "plain store"
	case store && in.Mem.Order == Release:
		return "gpu.StoreRelease"
	case store:
		return "gpu.Store"
	case in.Mem.Order == Weak:
		return "plain load"
	case in.Mem.Order == Acquire:
		return "gpu.LoadAcquire"
	}
	return "gpu.Load"
}

// ptxNames are the names that PTX has for ops that reports name.
var ptxNames = map[Op]string{
	OpBar: "bar.sync", OpBarCount: "bar.red.popc", OpBarAnd: "bar.red.and", OpBarOr: "bar.red.or", OpBarSync: "bar.sync", OpBarArrive: "bar.arrive",
	OpWarpBar: "bar.warp.sync", OpBallot: "vote.sync.ballot", OpVoteAny: "vote.sync.any", OpVoteAll: "vote.sync.all",
	OpShfl: "shfl.sync.idx", OpShflUp: "shfl.sync.up", OpShflDown: "shfl.sync.down", OpShflXor: "shfl.sync.bfly",
	OpMatch: "match.sync", OpRedux: "redux.sync", OpActiveMask: "activemask",
	OpMMA: "mma.sync", OpMovMatrix: "movmatrix.sync",
	OpGroupMMA: "wgmma.mma_async", OpGroupMMAFrom: "wgmma.mma_async",
}

// cudaNames are what CUDA has for barriers and for what the threads of a warp do together.
var cudaNames = map[Op]string{
	OpBar: "__syncthreads()", OpBarCount: "__syncthreads_count()", OpBarAnd: "__syncthreads_and()", OpBarOr: "__syncthreads_or()",
	OpWarpBar: "__syncwarp()", OpBallot: "__ballot_sync()", OpVoteAny: "__any_sync()", OpVoteAll: "__all_sync()",
	OpShfl: "__shfl_sync()", OpShflUp: "__shfl_up_sync()", OpShflDown: "__shfl_down_sync()", OpShflXor: "__shfl_xor_sync()",
	OpMatch: "__match_any_sync()", OpRedux: "__reduce_sync()", OpActiveMask: "__activemask()",
}

// Name names an instruction that several threads execute together, as the program writes it: "gpu.MMA16x8x16F16", "mma.sync".
func (in *Inst) Name() string {
	switch {
	case in.PTX:
		return in.CUDAName()
	case in.Op == OpMMA:
		return "gpu." + MMA(in.Imm).Variant().Func
	case in.Op == OpGroupMMA:
		return "gpu." + in.GroupProduct().Func
	case in.Op == OpGroupMMAFrom:
		return "gpu." + in.GroupProduct().Func + "From"
	case in.Op == OpGroupMMAWait:
		return "t.WaitSums"
	case in.Op == OpRegistersGive:
		return "t.GiveRegisters"
	case in.Op == OpRegistersTake:
		return "t.TakeRegisters"
	case in.Op.OfSums():
		return strings.Replace(Ops[in.Op].Func, "Thread.", "t.", 1)
	case in.Op.Aligned():
		return "gpu." + Ops[in.Op].Func
	}
	return Ops[in.Op].Func
}

// CUDAName names an instruction that was read from PTX as a CUDA program writes it, where that has a name for it, or else as PTX
// does.
func (in *Inst) CUDAName() string {
	switch {
	case in.Op == OpFragment && mma.Fragments[in.Imm].Stores():
		return "wmma::store_matrix_sync()"
	case in.Op == OpFragment:
		return "wmma::load_matrix_sync()"
	case in.Op == OpMMA && in.Wmma:
		return "wmma::mma_sync()"
	}
	if name := cudaNames[in.Op]; name != "" {
		return name
	}
	return in.PTXName()
}

// PTXName names an instruction as PTX does: "ld.acquire", "atom.cas", "bar.sync".
func (in *Inst) PTXName() string {
	name := ptxNames[in.Op]
	switch {
	case name != "":
		return name
	case in.Op == OpLoad:
		name = "ld"
	case in.Op == OpStore:
		name = "st"
	case in.Op.IsAtomic():
		return in.Op.String()
	case in.Op == OpFence:
		name = "fence"
	default:
		return in.Op.String()
	}
	if in.Mem.Order != Weak && in.Op.Action() != ActBulk {
		name += "." + in.Mem.Order.String()
	}
	return name
}
