package cuda

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/hw"
)

// This file has what is different on a real GPU: addresses are the driver's, and so are the properties of kernels and their
// output; copies take the time that they take.

// realGPU is what a real GPU has beyond what all devices have.
type realGPU interface {
	Info() hw.Info
	Function(k *device.Kernel) (hw.FuncInfo, error)
	Address(b device.Buffer) (uint64, error)
	ShareFile(name, path string, bytes int) (device.Buffer, error)
	Fill(b device.Buffer, value byte) error
	Printed() (string, error)
	EncodeTensorMap(t hw.TensorMap) ([16]uint64, error)
}

// real returns a GPU as a real one; nil if it is not.
func (s *session) real(gpu int) realGPU {
	d, _ := plain(s.gpus[gpu]).(realGPU)
	return d
}

// address returns the address at which kernels and the program see a buffer.
func (s *session) address(gpu int, b device.Buffer) (uint64, error) {
	if d := s.real(gpu); d != nil {
		return d.Address(b)
	}
	return b.Addr, nil
}

// sharing returns how memory of the host becomes memory of the current GPU; nil if that is not possible.
func (s *session) sharing() func(name string, m *sharedMemory, bytes int) (device.Buffer, error) {
	if d := s.real(int(s.current)); d != nil {
		return func(name string, m *sharedMemory, _ int) (device.Buffer, error) {
			return d.ShareFile(name, m.path, len(m.data)) // of whole pages
		}
	}
	if d, ok := plain(s.gpu()).(sharer); ok {
		return func(name string, m *sharedMemory, bytes int) (device.Buffer, error) {
			return d.Share(name, m.data[:bytes])
		}
	}
	return nil
}

// filling returns a function that fills a buffer of so many bytes.
func (s *session) filling(gpu int, value byte, width int) func(b device.Buffer) error {
	if d := s.real(gpu); d != nil {
		return func(b device.Buffer) error { return d.Fill(b, value) }
	}
	data := bytes.Repeat([]byte{value}, width)
	return func(b device.Buffer) error { return s.gpus[gpu].Write(b, data) }
}

// measured returns work that takes as long as it says, or, on a real GPU, as it took.
func (s *session) measured(do func() (float64, error)) func(float64) (float64, error) {
	return func(float64) (float64, error) {
		start := time.Now()
		took, err := do()
		if s.real(0) != nil {
			took = time.Since(start).Seconds()
		}
		return took, err
	}
}

// printedByDriver returns what the driver says that kernels have printed.
func (s *session) printedByDriver() (text []byte) {
	if s.sticky != success {
		return nil // it is lost with the kernel that failed
	}
	for gpu := range s.gpus {
		one, err := s.real(gpu).Printed()
		if err != nil {
			s.program.warn("the output of printf in kernels cannot be read: " + err.Error())
		}
		text = append(text, one...)
	}
	return text
}

// propertiesOfReal returns the properties of a real GPU.
func propertiesOfReal(i hw.Info) properties {
	return properties{
		name: i.Name, memory: i.Memory, sharedBlock: usualShared, sharedOptin: uint64(i.SharedPerBlock), sharedSM: uint64(i.SharedPerSM),
		registers: uint64(i.RegistersPerSM), clock: uint64(i.ClockKHz), major: uint64(i.Major), minor: uint64(i.Minor), sms: uint64(i.SMs),
		memoryClock: uint64(i.MemoryClockKHz), bus: uint64(i.MemoryBusBits), l2: uint64(i.L2Bytes), threads: uint64(i.ThreadsPerSM), blocks: uint64(i.BlocksPerSM), peers: 1,
	}
}

// attributesOfReal answers what the driver says of a kernel.
func (s *session) attributesOfReal(d realGPU, f *function, most uint64) *reply {
	info, err := d.Function(f.kernel)
	if err != nil {
		return s.complain(invalidFunction, "%v", err)
	}
	most = min(most, uint64(info.MaxThreads))
	var data []byte
	for _, v := range []uint64{uint64(info.Shared), uint64(info.Const), uint64(info.Local), most, uint64(info.Registers), uint64(info.PTX), uint64(info.Binary), uint64(f.dynamic)} {
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	return &reply{data: data}
}
