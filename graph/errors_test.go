package graph

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBadFiles checks the message for each kind of invalid content, and that no graph is
// returned with it.
func TestBadFiles(t *testing.T) {
	const (
		banner  = "%%MatrixMarket matrix coordinate pattern general\n"
		integer = "%%MatrixMarket matrix coordinate integer general\n"
		list    = "; formats: mtx: Matrix Market (.mtx .mm); snap: SNAP edge list (.txt .el .edges .edgelist .snap .tsv); " +
			"dimacs: DIMACS shortest paths (.gr); metis: METIS (.graph .metis); each also gzipped"
	)
	tests := []struct{ name, file, text, want string }{
		// Any format.
		{"empty", "a.mtx", "", "a.mtx: the file is empty"},
		{"only space", "a.txt", " \n\n", "a.txt: the file is empty"},
		{"binary", "a.mtx", "ab\x00\x01", "a.mtx: is not a text file: byte 0x00 at offset 2" + list},
		{"binary later", "a.txt", "0 1\n" + strings.Repeat("# comment\n", 40000) + "1 \x002\n", `a.txt:40002: expected two vertex ids, found "\x002"`},
		{"utf-16", "a.txt", "\xff\xfe0\x00 \x00", "a.txt: is not a text file: byte 0x00 at offset 3" + list},
		{"packed otherwise", "a.txt.zst", "\x28\xb5\x2f\xfd....", "a.txt.zst: is compressed with zstd; decompress it, or compress it with gzip, which is supported"},
		{"ambiguous", "a.dat", "1 2\n", "a.dat: could be an edge list or METIS, and its name does not decide; give the format, or use the extension .txt or .graph" + list},
		{"unknown", "a.dat", "hello world\n", `a.dat: begins with "hello world", which matches no known graph format` + list},
		{"long line", "a.txt", "# " + strings.Repeat("x", 3<<20), "a.txt:1: the line is longer than 1048576 bytes; is this a text file?"},

		// Matrix Market.
		{"mtx: no banner", "a.mtx", "3 3 1\n1 2\n", `a.mtx:1: expected the line "%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric", found "3 3 1"`},
		{"mtx: short banner", "a.mtx", "%%MatrixMarket matrix coordinate\n", `a.mtx:1: expected "%%MatrixMarket" and four words (matrix coordinate, then a field and a symmetry), found "%%MatrixMarket matrix coordinate"`},
		{"mtx: vector", "a.mtx", "%%MatrixMarket vector coordinate real general\n", `a.mtx:1: object "vector" is not read, only matrix`},
		{"mtx: array", "a.mtx", "%%MatrixMarket matrix array real general\n", "a.mtx:1: an array is a dense matrix, not a graph; only coordinate is read"},
		{"mtx: other format", "a.mtx", "%%MatrixMarket matrix sparse real general\n", `a.mtx:1: format "sparse" is not read, only coordinate`},
		{"mtx: complex", "a.mtx", "%%MatrixMarket matrix coordinate complex general\n", "a.mtx:1: complex values cannot be weights; only pattern, integer and real are read"},
		{"mtx: other field", "a.mtx", "%%MatrixMarket matrix coordinate quaternion general\n", `a.mtx:1: field "quaternion" is not read, only pattern, integer and real`},
		{"mtx: skew", "a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n", "a.mtx:1: skew-symmetric: the opposite of each entry has the negative value, which cannot be a weight; only general and symmetric are read"},
		{"mtx: hermitian", "a.mtx", "%%MatrixMarket matrix coordinate real hermitian\n", "a.mtx:1: hermitian: such values are complex and cannot be weights; only general and symmetric are read"},
		{"mtx: other symmetry", "a.mtx", "%%MatrixMarket matrix coordinate real round\n", `a.mtx:1: symmetry "round" is not read, only general and symmetric`},
		{"mtx: no size", "a.mtx", banner + "% x\n", "a.mtx:2: the file ends before the line with rows, columns and entries"},
		{"mtx: bad size", "a.mtx", banner + "3 x 1\n", `a.mtx:2: expected rows, columns and entries, found "3 x 1"`},
		{"mtx: size of four", "a.mtx", banner + "3 3 1 1\n", `a.mtx:2: expected rows, columns and entries, found "3 3 1 1"`},
		{"mtx: not square", "a.mtx", banner + "3 4 1\n", "a.mtx:2: the matrix has 3 rows and 4 columns; a graph needs a square one"},
		{"mtx: too many vertices", "a.mtx", banner + "4294967296 4294967296 1\n", "a.mtx:2: 4294967296 vertices: vertex numbers are 32 bits wide, at most 4294967295"},
		{"mtx: lying vertices", "a.mtx", banner + "4294967295 4294967295 1\n1 2\n", "a.mtx: the header says 4294967295 vertices, but the file has only 77 bytes; the header is wrong"},
		{"mtx: lying entries", "a.mtx", banner + "3 3 9000000000000000000\n1 2\n", "a.mtx:3: the file ends after 1 of 9000000000000000000 entries; it is truncated, or its header is wrong"},
		{"mtx: cut off", "a.mtx", banner + "3 3 2\n1 2\n", "a.mtx:3: the file ends after 1 of 2 entries; it is truncated, or its header is wrong"},
		{"mtx: too many entries", "a.mtx", banner + "3 3 1\n1 2\n% x\n2 3\n", "a.mtx:5: entry 2, but the header says 1"},
		{"mtx: id 0", "a.mtx", banner + "3 3 1\n0 2\n", "a.mtx:3: vertex 0 is out of range: the header says 1 to 3"},
		{"mtx: id too large", "a.mtx", banner + "3 3 1\n1 4\n", "a.mtx:3: vertex 4 is out of range: the header says 1 to 3"},
		{"mtx: id of 33 bits", "a.mtx", banner + "3 3 1\n4294967297 1\n", "a.mtx:3: vertex 4294967297 is out of range: the header says 1 to 3"},
		{"mtx: id of 64 bits", "a.mtx", banner + "3 3 1\n1 18446744073709551617\n", "a.mtx:3: vertex id 18446744073709551617 is larger than 4294967295"},
		{"mtx: negative id", "a.mtx", banner + "3 3 1\n-1 2\n", `a.mtx:3: expected two vertex ids, found "-1"`},
		{"mtx: one id", "a.mtx", banner + "3 3 1\n1\n", "a.mtx:3: expected two vertex ids, found the end of the line"},
		{"mtx: no number", "a.mtx", banner + "3 3 1\n1 2x\n", `a.mtx:3: expected two vertex ids, found "2x"`},
		{"mtx: value in pattern", "a.mtx", banner + "3 3 1\n1 2 7\n", `a.mtx:3: expected the end of the line, found "7"`},
		{"mtx: no value", "a.mtx", integer + "3 3 1\n1 2\n", "a.mtx:3: expected a weight, found the end of the line"},
		{"mtx: bad value", "a.mtx", integer + "3 3 1\n1 2 nan\n", `a.mtx:3: expected a weight, found "nan"`},
		{"mtx: worse value", "a.mtx", integer + "3 3 1\n1 2 1e+-1\n", `a.mtx:3: expected a weight, found "1e+-1"`},

		// Edge lists.
		{"snap: no edges", "a.txt", "# nothing\n", "a.txt: no edge in the file"},
		{"snap: word", "wiki.txt", "# x\n1 2\n3 x\n", `wiki.txt:3: expected two vertex ids, found "x"`},
		{"snap: one id", "a.txt", "1 2\n3\n", "a.txt:2: expected two vertex ids, found the end of the line"},
		{"snap: id of 33 bits", "a.txt", "1 4294967296\n", "a.txt:1: vertex id 4294967296 is larger than 4294967295"},
		{"snap: id of 70 bits", "a.txt", "1180591620717411303424 1\n", "a.txt:1: vertex id 1180591620717411303424 is larger than 4294967295"},
		{"snap: negative id", "a.txt", "1 -2\n", `a.txt:1: expected two vertex ids, found "-2"`},
		{"snap: commas", "a.txt", "1,2\n", `a.txt:1: expected two vertex ids, found "1,2"`},
		{"snap: weight missing", "a.txt", "1 2 3\n1 3\n", "a.txt:2: expected a weight, as in the lines before, found the end of the line"},
		{"snap: weight too much", "a.txt", "1 2\n1 3 4\n", `a.txt:2: expected the end of the line, as in the lines before, found "4"`},
		{"snap: bad weight", "a.txt", "1 2 x\n", `a.txt:1: expected a weight, found "x"`},

		// DIMACS.
		{"gr: no header", "a.gr", "c x\n", `a.gr:1: the file ends before the line "p sp VERTICES ARCS"`},
		{"gr: arc first", "a.gr", "a 1 2 3\n", `a.gr:1: an arc before the line "p sp VERTICES ARCS"`},
		{"gr: other problem", "a.gr", "p max 3 1\n", `a.gr:1: expected "p sp VERTICES ARCS", found the problem "max"; only sp (shortest paths) is read`},
		{"gr: bad header", "a.gr", "p sp 3\n", `a.gr:1: expected "p sp VERTICES ARCS", found "p sp 3"`},
		{"gr: two headers", "a.gr", "p sp 3 1\np sp 3 1\n", `a.gr:2: a second line "p sp VERTICES ARCS"`},
		{"gr: other line", "a.gr", "p sp 3 1\ne 1 2\n", `a.gr:2: expected a line that begins with c, p or a, found "e 1 2"`},
		{"gr: word", "a.gr", "p sp 3 1\narc 1 2\n", `a.gr:2: expected a line that begins with c, p or a, found "arc 1 2"`},
		{"gr: id out of range", "a.gr", "p sp 3 1\na 1 4 2\n", "a.gr:2: vertex 4 is out of range: the header says 1 to 3"},
		{"gr: bad id", "a.gr", "p sp 3 1\na x 4 2\n", `a.gr:2: expected two vertex ids, found "x"`},
		{"gr: no length", "a.gr", "p sp 3 1\na 1 2\n", "a.gr:2: expected a weight, found the end of the line"},
		{"gr: five words", "a.gr", "p sp 3 1\na 1 2 3 4\n", `a.gr:2: expected the end of the line, found "4"`},
		{"gr: cut off", "a.gr", "p sp 3 2\na 1 2 3\n", "a.gr:2: the file ends after 1 of 2 arcs; it is truncated, or its header is wrong"},
		{"gr: too many arcs", "a.gr", "p sp 3 1\na 1 2 3\na 2 3 1\n", "a.gr:3: arc 2, but the header says 1"},
		{"gr: lying vertices", "a.gr", "p sp 4000000000 1\na 1 2 3\n", "a.gr: the header says 4000000000 vertices, but the file has only 26 bytes; the header is wrong"},
		{"gr: too many vertices", "a.gr", "p sp 5000000000 1\n", "a.gr:1: 5000000000 vertices: vertex numbers are 32 bits wide, at most 4294967295"},

		// METIS.
		{"metis: no header", "a.graph", "% x\n", `a.graph:1: the file ends before the line "VERTICES EDGES"`},
		{"metis: bad header", "a.graph", "3\n", `a.graph:1: expected "VERTICES EDGES [FMT [NCON]]", found "3"`},
		{"metis: long header", "a.graph", "3 1 1 1 1\n", `a.graph:1: expected "VERTICES EDGES [FMT [NCON]]", found "3 1 1 1 1"`},
		{"metis: bad format", "a.graph", "3 1 12\n", `a.graph:1: format "12"; expected up to three digits 0 or 1 (vertex sizes, vertex weights, edge weights)`},
		{"metis: long format", "a.graph", "3 1 0001\n", `a.graph:1: format "0001"; expected up to three digits 0 or 1 (vertex sizes, vertex weights, edge weights)`},
		{"metis: no weights a vertex", "a.graph", "3 1 010 0\n", "a.graph:1: 0 weights per vertex; expected 1 to 1024"},
		{"metis: cut off", "a.graph", "3 1\n2\n1\n", "a.graph:3: the file ends after 2 of 3 vertex lines; it is truncated, or its header is wrong"},
		{"metis: too many lines", "a.graph", "2 1\n2\n1\n\n1\n", "a.graph:5: a line for vertex 3, but the header says 2 vertices"},
		{"metis: lying edges", "a.graph", "2 9\n2\n1\n", "a.graph:3: the header says 9 edges, each at both ends: 18 neighbors, but the file has 2"},
		{"metis: lying vertices", "a.graph", "4294967295 1\n2\n1\n", "a.graph:3: the file ends after 2 of 4294967295 vertex lines; it is truncated, or its header is wrong"},
		{"metis: out of range", "a.graph", "2 1\n3\n1\n", "a.graph:2: vertex 3 is out of range: the header says 1 to 2"},
		{"metis: id 0", "a.graph", "2 1\n0\n1\n", "a.graph:2: vertex 0 is out of range: the header says 1 to 2"},
		{"metis: word", "a.graph", "2 1\n2 x\n1\n", `a.graph:2: expected a neighbor of vertex 1, found "x"`},
		{"metis: no edge weight", "a.graph", "2 1 1\n2\n1 1\n", "a.graph:2: expected a weight, found the end of the line"},
		{"metis: no vertex weight", "a.graph", "2 1 10\n\n1 1\n", "a.graph:2: vertex 1: expected 1 weight or size before its neighbors, found the end of the line"},
		{"metis: bad vertex weight", "a.graph", "2 1 10\nx 2\n1 1\n", `a.graph:2: vertex 1: expected a vertex weight, found "x"`},
		{"metis: one way only", "a.graph", "3 1\n2 3\n\n\n", "a.graph:2: vertex 1 lists 2, but vertex 2 (line 3) does not list 1 with the same weight"},
		{"metis: weights differ", "a.graph", "2 1 1\n2 5\n% x\n1 6\n", "a.graph:2: vertex 1 lists 2, but vertex 2 (line 4) does not list 1 with the same weight"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, notes, err := read(test.file, test.text, LoadOptions{})
			require.EqualError(t, err, test.want)
			assert.Nil(t, g)
			assert.Nil(t, notes)
			var fe *FileError
			require.ErrorAs(t, err, &fe)
			assert.Equal(t, test.file, fe.File)
		})
	}
}

func TestUnknownFormatAsked(t *testing.T) {
	_, _, err := read("a.txt", "0 1\n", LoadOptions{Format: "gexf"})
	assert.ErrorContains(t, err, `no graph format "gexf"; there are: mtx: Matrix Market (.mtx .mm); snap:`)
}

func TestFileErrorUnwraps(t *testing.T) {
	cause := errors.New("because")
	assert.ErrorIs(t, &FileError{File: "a", What: "b", Err: cause}, cause)
}

// Neither the name nor the content of a file can control a terminal.
func TestMessagesArePrintable(t *testing.T) {
	const evil = "\x1b[2J\u202e\x9b31m\r"
	for _, text := range []string{
		"%%MatrixMarket matrix coordinate pattern general\n" + evil + "\n", "%%MatrixMarket " + evil + " coordinate pattern general\n",
		"%%MatrixMarket matrix " + evil + " pattern general\n", "%%MatrixMarket matrix coordinate " + evil + " general\n",
		"%%MatrixMarket matrix coordinate pattern " + evil + "\n", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 " + evil,
		"1 2\n1 " + evil + "\n", "1 2 3\n1 2 " + evil + "\n", "p sp 2 1\n" + evil, "p " + evil + " 2 1\n", "p sp 2 1\na 1 " + evil,
		"2 1\n" + evil + "\n", "2 1 " + evil + "\n", "2 1 10\n" + evil + " 1\n", evil,
	} {
		for _, format := range []string{"", "mtx", "snap", "dimacs", "metis"} {
			_, _, err := read(evil+".txt", text, LoadOptions{Format: format, Weights: WeightsFile})
			require.Error(t, err)
			checkPrintable(t, err.Error())
		}
	}
	for _, spec := range []string{evil, "rmat:" + evil, "rmat:scale=" + evil, "rmat:scale=3,directed=" + evil, "rmat:scale=3,a=" + evil, evil + ":scale=3", "./" + evil + "/x.mtx"} {
		_, _, err := Open(t.Context(), spec, LoadOptions{})
		require.Error(t, err)
		checkPrintable(t, err.Error())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := Read(ctx, evil, strings.NewReader("1 2\n"), 0, LoadOptions{})
	require.Error(t, err)
	checkPrintable(t, err.Error())
}

func checkPrintable(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		assert.True(t, strconv.IsPrint(r), "%q in %q", r, s)
	}
}
