package cuda

import (
	"encoding/binary"
	"fmt"
	"io"
)

// version is that of the protocol, which toolkit/runtime/protocol.h describes: the names and numbers here are those of that
// file, and a test compares them.
const version = 1

// call is the kind of a request.
type call uint32

// The calls.
const (
	callHello call = 1 + iota
	callModule
	callFunction
	callVariable
	callMalloc
	callShare
	callFree
	callWrite
	callRead
	callCopy
	callSet
	callLaunch
	callSynchronize
	callStream
	callStreamEnd
	callStreamWait
	callEvent
	callEventEnd
	callEventRecord
	callEventTime
	callDevice
	callOccupancy
	callAttributes
	callSetAttribute
	callMemory
	callReset
	callPeer
	callPointer
	callTrap
	callExit
	callTexture
	callTensorMap
	calls
)

// The kinds of memory.
const (
	kindUnknown = iota
	kindGlobal
	kindHost
	kindManaged
)

// request is a request without the bytes that follow it.
type request struct {
	Call, Device uint32
	A            [12]uint64
	Bytes        uint64

	data []byte
}

// reply is what answers a request.
type reply struct {
	code       code
	leave      bool // the program ends
	v          [4]uint64
	text       []byte
	deliveries []delivery
	data       []byte
}

// delivery is memory of the program that a copy to the host fills.
type delivery struct {
	to   uint64
	data []byte
}

// maxRequest bounds what a program may send at once: more than any GPU's memory.
const maxRequest = 1 << 38

// requestBytes is the size of a request without the bytes that follow it.
const requestBytes = 4 + 4 + 12*8 + 8

// readRequest reads a request with its bytes.
func readRequest(r io.Reader) (*request, error) {
	q := &request{}
	var head [requestBytes]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	q.Call, q.Device = binary.LittleEndian.Uint32(head[0:]), binary.LittleEndian.Uint32(head[4:])
	for i := range q.A {
		q.A[i] = binary.LittleEndian.Uint64(head[8+8*i:])
	}
	q.Bytes = binary.LittleEndian.Uint64(head[8+12*8:])
	if q.Bytes > maxRequest {
		return nil, fmt.Errorf("a request of %d bytes", q.Bytes)
	}
	q.data = make([]byte, q.Bytes)
	_, err := io.ReadFull(r, q.data)
	return q, err
}

// write writes a reply.
func (p *reply) write(w io.Writer) error {
	b := binary.LittleEndian.AppendUint32(nil, uint32(p.code))
	leave := uint32(0)
	if p.leave {
		leave = 1
	}
	b = binary.LittleEndian.AppendUint32(b, leave)
	for _, v := range p.v {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	delivered := uint64(0)
	for _, d := range p.deliveries {
		delivered += 16 + uint64(len(d.data))
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(p.text)))
	b = binary.LittleEndian.AppendUint64(b, delivered)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(p.data)))
	b = append(b, p.text...)
	for _, d := range p.deliveries {
		b = binary.LittleEndian.AppendUint64(b, d.to)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(d.data)))
		b = append(b, d.data...)
	}
	_, err := w.Write(append(b, p.data...))
	return err
}
