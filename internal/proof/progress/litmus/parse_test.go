package litmus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestText checks that the text form of each test is the test.
func TestText(t *testing.T) {
	tests, err := ReadDir(t.Context(), given)
	require.NoError(t, err)
	for _, test := range tests {
		text, err := os.ReadFile(filepath.Join(given, test.Name+".txt"))
		require.NoError(t, err)
		require.Equal(t, strings.TrimSpace(string(text)), strings.TrimSpace(test.String()), test.Name)
	}
}

// TestWholeFormat reads what the given tests do not use: comments, spaces, large
// values and cells, more threads.
func TestWholeFormat(t *testing.T) {
	test, err := Parse("x", "x.txt", "// three threads\r\n\r\n THREAD0 // the first\r\n\tatomic_store ( 1023 , 4294967295 )\r\n"+
		"THREAD1\natomic_chk_branch(7,4294967295,END)// leaves\natomic_exch_branch( 7,0,12, 0 )\nTHREAD2\natomic_store(0,2)")
	require.NoError(t, err)
	require.Equal(t, &Test{Name: "x", Cells: 1024, Threads: [][]Instr{
		{{Op: Store, Cell: 1023, Value: 1<<32 - 1, Target: 0, Line: 4}},
		{{Op: ChkBranch, Cell: 7, Check: 1<<32 - 1, Target: 2, Line: 6}, {Op: ExchBranch, Cell: 7, Value: 12, Line: 7}},
		{{Op: Store, Value: 2, Line: 9}},
	}}, test)
}

func TestMistakes(t *testing.T) {
	ops := "atomic_store, atomic_chk_branch, atomic_exch_branch"
	for _, c := range []struct{ text, want string }{
		{"", "x.txt:1:1: the file has no test: it must begin with THREAD0"},
		{"// nothing\n", "x.txt:1:1: the file has no test: it must begin with THREAD0"},
		{"atomic_store(0,1)\n", "x.txt:1:1: an instruction before THREAD0"},
		{"THREAD0\n", "x.txt:1:1: THREAD0 has no instruction"},
		{"THREAD0\natomic_store(0,1)\nTHREAD1\n", "x.txt:3:1: THREAD1 has no instruction"},
		{"THREAD1\natomic_store(0,1)\n", "x.txt:1:1: expected THREAD0, found THREAD1"},
		{"THREAD0\natomic_store(0,1)\n  THREAD01\natomic_store(0,1)\n", "x.txt:3:3: expected THREAD1, found THREAD01"},
		{"THREAD\natomic_store(0,1)\n", "x.txt:1:1: expected THREAD0, found THREAD"},
		{"THREAD0 atomic_store(0,1)\natomic_store(0,1)", `x.txt:1:9: expected the end of the line after THREAD0, found "atomic_store(0,1)"`},
		{"THREAD0\nload(0)\n", `x.txt:2:1: expected THREAD or one of ` + ops + `, found "load(0)"`},
		{"THREAD0\n  (0)\n", `x.txt:2:3: expected THREAD or one of ` + ops + `, found "(0)"`},
		{"THREAD0\natomic_store 0,1)\n", `x.txt:2:14: expected "(" after atomic_store, found "0,1)"`},
		{"THREAD0\natomic_store(,1)\n", `x.txt:2:14: expected a cell, found ",1)"`},
		{"THREAD0\natomic_store(x,1)\n", `x.txt:2:14: expected a cell, found "x,1)"`},
		{"THREAD0\natomic_store(-1,1)\n", `x.txt:2:14: expected a cell, found "-1,1)"`},
		{"THREAD0\natomic_store(1024,1)\n", `x.txt:2:14: 1024 is too large: a cell is 0 to 1023`},
		{"THREAD0\natomic_store(0)\n", `x.txt:2:15: expected "," after the operand, found ")"`},
		{"THREAD0\natomic_store(0,1,2)\n", `x.txt:2:17: expected ")" after the operands of atomic_store, found ",2)"`},
		{"THREAD0\natomic_store(0,1\n", `x.txt:2:17: expected ")" after the operands of atomic_store, found the end of the line`},
		{"THREAD0\natomic_store(0,4294967296)\n", `x.txt:2:16: 4294967296 is too large: a value to store is 0 to 4294967295`},
		{"THREAD0\natomic_store(0,99999999999999999999)\n", `x.txt:2:16: 99999999999999999999 is too large: a value to store is 0 to 4294967295`},
		{"THREAD0\natomic_store(0,1);\n", `x.txt:2:18: expected the end of the line after atomic_store(...), found ";"`},
		{"THREAD0\natomic_chk_branch(0,x,0)\n", `x.txt:2:21: expected a value to compare with, found "x,0)"`},
		{"THREAD0\natomic_chk_branch(0,0)\n", `x.txt:2:22: expected "," after the operand, found ")"`},
		{"THREAD0\natomic_chk_branch(0,0,end)\n", `x.txt:2:23: expected a branch target (an instruction's number or END), found "end)"`},
		{"THREAD0\natomic_chk_branch(0,0,1)\n", `x.txt:2:23: there is no instruction 1: THREAD0 has instructions 0 to 0; write END to jump to its end`},
		{"THREAD0\natomic_exch_branch(0,0,0)\n", `x.txt:2:25: expected "," after the operand, found ")"`},
		{"THREAD0\natomic_chk_branch(0,0,4)\natomic_store(1,x)\nTHREAD1\natomic_store(0,1)",
			"x.txt:2:23: there is no instruction 4: THREAD0 has instructions 0 to 1; write END to jump to its end\n" +
				`x.txt:3:16: expected a value to store, found "x)"`},
	} {
		_, err := Parse("x", "x.txt", c.text)
		require.EqualError(t, err, c.want, "%q", c.text)
	}
}

func TestTooManyThreads(t *testing.T) {
	var text strings.Builder
	for i := range MaxThreads + 1 {
		fmt.Fprintf(&text, "THREAD%d\natomic_store(0,1)\n", i)
	}
	_, err := Parse("x", "x.txt", text.String())
	require.EqualError(t, err, "x.txt:129:1: a test has at most 64 threads")
	_, err = Parse("x", "x.txt", "THREAD0\n"+strings.Repeat("atomic_store(0,1)\n", MaxInstrs+1))
	require.EqualError(t, err, "x.txt:4098:1: a thread has at most 4096 instructions")
}

func TestManyMistakes(t *testing.T) {
	_, err := Parse("x", "x.txt", "THREAD0\n"+strings.Repeat("store\n", 12))
	require.ErrorContains(t, err, "x.txt:11:1: expected THREAD or one of")
	require.NotContains(t, err.Error(), "x.txt:12:1:")
	require.ErrorContains(t, err, "\nx.txt: and 2 more mistakes")
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	_, err := ReadDir(t.Context(), dir)
	require.EqualError(t, err, dir+" has no litmus test: no file whose name ends in .txt")
	_, err = Read(t.Context(), dir)
	require.EqualError(t, err, dir+" is a directory")
	_, err = Read(t.Context(), dir+"/none.txt")
	require.EqualError(t, err, dir+"/none.txt: no such file or directory")

	one := "THREAD0\natomic_store(0,1)\n"
	for _, name := range []string{"t10.txt", "t9.txt", "t09.txt", "a.txt", "t9b.txt", "t9a1.txt"} {
		write(name, one)
	}
	write("README.md", "not a test")
	tests, err := ReadDir(t.Context(), dir)
	require.NoError(t, err)
	var names []string
	for _, test := range tests {
		names = append(names, test.Name)
	}
	require.Equal(t, []string{"a", "t9", "t9a1", "t9b", "t09", "t10"}, names)

	for _, c := range []struct{ text, want string }{
		{"", `:1:1: the first line must be "test" and names of progress models`},
		{"name,obe\n", `:1:1: the first line must be "test" and names of progress models`},
		{"test,hsa,obey\n", ":1:10: unknown progress model \"obey\""},
		{"test,obe\na,ends\n", `:2:3: "ends" is neither terminates nor may_hang`},
		{"test,obe\na,may_hang\na,may_hang\n", ":3:1: a has two lines"},
		{"test,obe\na\n", ":2:1: wrong number of fields"},
	} {
		path := write("v.csv", c.text)
		_, err := ReadVerdicts(t.Context(), path)
		require.EqualError(t, err, path+c.want)
	}
}

// FuzzParse checks that a text that is accepted says the same when it is printed
// and read again, and that no text is too much for the reader.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"THREAD0\natomic_store(0,1)\n", "THREAD0\natomic_chk_branch(1,0,END)\nTHREAD1\natomic_exch_branch(0,1,2,0) // x\n", "THREAD", "atomic_store(", "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		test, err := Parse("x", "x.txt", text)
		if err != nil {
			require.Nil(t, test)
			return
		}
		again, err := Parse("x", "x.txt", test.String())
		require.NoError(t, err)
		require.Equal(t, test.String(), again.String())
		require.Equal(t, test.Cells, again.Cells)
	})
}
