package graph

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// Hash returns the SHA-256 of the arcs and weights, in hexadecimal digits: of the numbers of vertices and arcs, Row,
// Col and Weight as they are in memory. Graphs with the same arcs and weights have the same hash, whatever file or
// generator they come from and whatever ids their vertices have there.
func (g *CSR) Hash() string {
	h := sha256.New()
	weighted := uint64(0)
	if g.Weight != nil {
		weighted = 1
	}
	hashWords(h, []uint64{uint64(g.Vertices()), uint64(g.Arcs()), weighted}, 8, binary.LittleEndian.PutUint64)
	hashWords(h, g.Row, 8, binary.LittleEndian.PutUint64)
	hashWords(h, g.Col, 4, binary.LittleEndian.PutUint32)
	hashWords(h, g.Weight, 4, binary.LittleEndian.PutUint32)
	return hex.EncodeToString(h.Sum(nil))
}

// hashWords adds words of a size in bytes to a hash.
func hashWords[T any](h hash.Hash, words []T, size int, put func([]byte, T)) {
	var block [1 << 15]byte
	n := 0
	for _, w := range words {
		put(block[n:], w)
		if n += size; n == len(block) {
			h.Write(block[:])
			n = 0
		}
	}
	h.Write(block[:n])
}
