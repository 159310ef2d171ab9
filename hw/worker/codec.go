package worker

import (
	"bufio"
	"encoding/gob"
	"io"
	"net/rpc"
)

// codec is net/rpc's gob codec over a pair of pipes.
type codec struct {
	dec *gob.Decoder
	enc *gob.Encoder
	buf *bufio.Writer
}

func newCodec(r io.Reader, w io.Writer) rpc.ServerCodec {
	b := bufio.NewWriterSize(w, 1<<20)
	return &codec{gob.NewDecoder(bufio.NewReaderSize(r, 1<<20)), gob.NewEncoder(b), b}
}

func (c *codec) ReadRequestHeader(r *rpc.Request) error { return c.dec.Decode(r) }
func (c *codec) ReadRequestBody(body any) error         { return c.dec.Decode(body) }
func (c *codec) Close() error                           { return nil }

func (c *codec) WriteResponse(r *rpc.Response, body any) error {
	if err := c.enc.Encode(r); err != nil {
		return err
	}
	if err := c.enc.Encode(body); err != nil {
		return err
	}
	return c.buf.Flush()
}
