package hangs

import "github.com/weft-gpu/weft/gpu"

// Answer waits for the word of another GPU, and then sets its own.
func Answer(t gpu.Thread, theirs, mine []uint32) {
	for gpu.Load(&theirs[0], gpu.SystemScope) == 0 {
	}
	gpu.Store(&mine[0], 1, gpu.SystemScope)
}

// Ask sets its word, and then waits for that of another GPU.
func Ask(t gpu.Thread, theirs, mine []uint32) {
	gpu.Store(&mine[0], 1, gpu.SystemScope)
	for gpu.Load(&theirs[0], gpu.SystemScope) == 0 {
	}
}

// Tell sets a word.
func Tell(t gpu.Thread, word []uint32) {
	gpu.Store(&word[0], 1, gpu.SystemScope)
}

// Await waits for it.
func Await(t gpu.Thread, word []uint32) {
	for gpu.Load(&word[0], gpu.SystemScope) == 0 {
	}
}

// Turn waits for its turn, and gives the turn to another GPU, for ever.
func Turn(t gpu.Thread, word []uint32, mine uint32) {
	for gpu.AtomicCAS(&word[0], mine, 1-mine, gpu.SystemScope) < 2 {
	}
}
