// Package hop counts arcs.
package hop

// Far is longer than any path.
const Far = 1 << 20

// On is one arc more than src, unless that is Far.
func On(src uint32) (uint32, bool) { return src + 1, src < Far }
