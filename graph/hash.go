package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Hash returns the SHA-256 of the arcs and weights, in hexadecimal digits: of the numbers of vertices and arcs, Row,
// Col and Weight as they are in memory. Graphs with the same arcs and weights have the same hash, whatever file or
// generator they come from and whatever ids their vertices have there. SHA-256 is sequential, so all that other cores
// can do is to prepare the bytes.
func (g *CSR) Hash() string {
	h := sha256.New()
	weighted := uint64(0)
	if g.Weight != nil {
		weighted = 1
	}
	words := make(chan []byte, 4) // of one goroutine, for the other, which hashes them
	used := make(chan []byte, cap(words)+2)
	for range cap(used) {
		used <- make([]byte, 1<<16)
	}
	go func() {
		defer close(words)
		sendWords([]uint64{uint64(g.Vertices()), uint64(g.Arcs()), weighted}, 8, binary.LittleEndian.PutUint64, used, words)
		sendWords(g.Row, 8, binary.LittleEndian.PutUint64, used, words)
		sendWords(g.Col, 4, binary.LittleEndian.PutUint32, used, words)
		sendWords(g.Weight, 4, binary.LittleEndian.PutUint32, used, words)
	}()
	for block := range words {
		h.Write(block)
		used <- block[:cap(block)]
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sendWords sends the bytes of words of a size, in blocks that it receives.
func sendWords[T any](words []T, size int, put func([]byte, T), blocks <-chan []byte, to chan<- []byte) {
	for len(words) > 0 {
		block := <-blocks
		n := min(len(words), len(block)/size)
		for i, w := range words[:n] {
			put(block[i*size:], w)
		}
		to <- block[:n*size]
		words = words[n:]
	}
}
