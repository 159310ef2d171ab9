package graph

import "fmt"

// Kinds of notes.
const (
	NoteDirected       = "directed"        // edges are arcs one way, as the file has them; Count edges
	NoteUndirected     = "undirected"      // each edge of the file is stored as two arcs; Count edges
	NoteSymmetrized    = "symmetrized"     // opposite arcs were added; Count arcs
	NoteDuplicates     = "duplicates"      // repeated edges were merged; Count repeats
	NoteSelfLoops      = "self-loops"      // self loops were dropped, or kept; Count loops
	NoteIDs            = "ids"             // vertices are numbered otherwise than in the file; Count vertices
	NoteWeightsFile    = "weights-file"    // weights are the file's
	NoteWeightsHash    = "weights-hash"    // weights were assigned by HashWeight
	NoteWeightsUnit    = "weights-unit"    // each arc has the weight 1, as asked
	NoteValuesIgnored  = "values-ignored"  // values of the file were not used; Count values, where known
	NoteHeaderMismatch = "header-mismatch" // a comment of the file states other counts than the file has
	NoteGenerated      = "generated"       // the graph comes from a generator
)

// Note is one thing that a user must know to compare a loaded graph with its
// file: mostly what the loader changed.
type Note struct {
	Kind  string `json:"kind"`            // one of the Note constants
	Count uint64 `json:"count,omitempty"` // how many, see the kinds
	Text  string `json:"text"`            // a sentence for people
}

// String is the sentence for people.
func (n Note) String() string { return n.Text }

// Notes are in the order in which things happened.
type Notes []Note

// Find is the first note of a kind; ok is false when there is none.
func (n Notes) Find(kind string) (note Note, ok bool) {
	for _, m := range n {
		if m.Kind == kind {
			return m, true
		}
	}
	return Note{}, false
}

// Count is the count of the first note of a kind, 0 when there is none.
func (n Notes) Count(kind string) uint64 {
	m, _ := n.Find(kind)
	return m.Count
}

func (n *Notes) add(kind string, count uint64, format string, args ...any) {
	*n = append(*n, Note{Kind: kind, Count: count, Text: fmt.Sprintf(format, args...)})
}

// plural is "1 edge" or "2 edges".
func plural(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
