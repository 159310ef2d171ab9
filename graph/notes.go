package graph

import "fmt"

// The kinds of notes.
const (
	NoteDirected       = "directed"        // each edge of the file is stored as one arc; Count edges
	NoteUndirected     = "undirected"      // each edge of the file is stored as two arcs; Count edges
	NoteSymmetrized    = "symmetrized"     // opposite arcs were added; Count arcs
	NoteDuplicates     = "duplicates"      // duplicate edges were merged; Count repetitions
	NoteSelfLoops      = "self-loops"      // self loops were dropped, or kept; Count loops
	NoteIDs            = "ids"             // vertices are numbered differently than in the file; Count vertices
	NoteIsolated       = "isolated"        // isolated vertices were dropped, as requested; Count vertices dropped
	NotePower          = "power"           // arcs were added for paths, as requested; Count arcs
	NotePermuted       = "permuted"        // vertices were renumbered at random, as requested; Count vertices
	NoteWeightsFile    = "weights-file"    // weights come from the file
	NoteWeightsHash    = "weights-hash"    // weights were assigned by HashWeight
	NoteWeightsUnit    = "weights-unit"    // each arc has weight 1, as requested
	NoteValuesIgnored  = "values-ignored"  // values in the file were not used; Count values, if known
	NoteHeaderMismatch = "header-mismatch" // a comment in the file states other counts than the file has
	NoteGenerated      = "generated"       // a generator made the graph
)

// Note is a fact that a user must know to compare a loaded graph with its file, such as a
// change that the loader made.
type Note struct {
	Kind  string `json:"kind"`            // one of the Note constants
	Count uint64 `json:"count,omitempty"` // of what: see the kinds
	Text  string `json:"text"`            // a sentence for people
}

// String returns Text.
func (n Note) String() string { return n.Text }

// Notes are in the order in which the loader made the changes.
type Notes []Note

// Find returns the first note of a kind; ok is false if there is none.
func (n Notes) Find(kind string) (note Note, ok bool) {
	for _, m := range n {
		if m.Kind == kind {
			return m, true
		}
	}
	return Note{}, false
}

// Count returns the count of the first note of a kind, or 0 if there is none.
func (n Notes) Count(kind string) uint64 {
	m, _ := n.Find(kind)
	return m.Count
}

func (n *Notes) add(kind string, count uint64, format string, args ...any) {
	*n = append(*n, Note{Kind: kind, Count: count, Text: fmt.Sprintf(format, args...)})
}

// plural returns "1 edge" or "2 edges".
func plural(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
