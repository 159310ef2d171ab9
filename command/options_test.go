package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft"
	"github.com/weft-gpu/weft/internal/service/option"
)

// TestFlagsComeFromTheTable checks that no file registers a flag by hand: flags.go alone does, from the table of options.
func TestFlagsComeFromTheTable(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	byHand := regexp.MustCompile(`^(String|Bool|Int|Uint|Float|Duration|Count|Var)\w*$|^(Text|Func)Var$`)
	registers := func(file *ast.File) (found []string) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 3 {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && byHand.MatchString(f.Sel.Name) {
				found = append(found, f.Sel.Name)
			}
			return true
		})
		return found
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		if name == "flags.go" {
			assert.Len(t, registers(file), 10, "one for each kind of variable")
			continue
		}
		assert.Empty(t, registers(file), "%s: declare an option in internal/service/option, and register it by flag", name)
	}
}

// TestTableOfOptions checks that each flag is in the table, and that commands have what the table says of them.
func TestTableOfOptions(t *testing.T) {
	byName := map[string][]*option.Option{}
	for _, o := range option.Table() {
		byName[o.Name] = append(byName[o.Name], o)
	}
	has, commands := map[string]bool{}, map[string]bool{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		commands[c.Name()] = true
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			has[f.Name], has[c.Name()+" --"+f.Name] = true, true
			if f.Name == "help" { // cobra's
				return
			}
			assert.NotEmpty(t, byName[f.Name], "%s --%s is not in the table", c.CommandPath(), f.Name)
			assert.NotContains(t, f.Usage, "%", "%s --%s lacks its list", c.CommandPath(), f.Name)
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit((&app{}).root())
	for _, o := range option.Table() {
		assert.True(t, has[o.Name], "no command has --%s", o.Name)
		assert.Equal(t, o.Kind == option.Switch, o.Value == "", "--%s: a switch has no value, and all others have", o.Name)
		for name := range o.Own {
			assert.True(t, has[name+" --"+o.Name], "the table says what --%s is in weft %s, which does not have it", o.Name, name)
		}
	}
}

// TestMessagesNameOptions checks that packages that a specification or a program calls, too, name options by the table, and
// not by the flags of the command line.
func TestMessagesNameOptions(t *testing.T) {
	others := map[string]bool{"slurm": true, "ncu": true, "check": true} // they write the command lines of other programs
	aFlag := regexp.MustCompile(`(^|[^\w-])--[a-z]`)
	advice := regexp.MustCompile(`\\"weft [^"]*--|LIKE '--|^"--(id|query-gpu|format)=`) // command lines to try, a query that mends old stores, and nvidia-smi
	seen := 0
	visit := func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || others[d.Name()]) {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		seen++
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := n.(*ast.BasicLit)
			if ok && text.Kind == token.STRING && !advice.MatchString(text.Value) {
				assert.NotRegexp(t, aFlag, text.Value, path)
			}
			return true
		})
		return nil
	}
	require.NoError(t, filepath.WalkDir("../internal/measure", visit))
	require.NoError(t, filepath.WalkDir("../internal/view", visit))
	for _, name := range []string{"bound", "catalog", "choice", "devices", "graphs", "launch", "run"} {
		require.NoError(t, filepath.WalkDir("../internal/service/"+name, visit))
	}
	library, err := filepath.Glob("../*.go")
	require.NoError(t, err)
	for _, path := range library {
		require.NoError(t, visit(path, fs.FileInfoToDirEntry(must(os.Stat(path))), nil))
	}
	assert.Greater(t, seen, 150)
}

func must(info fs.FileInfo, err error) fs.FileInfo {
	if err != nil {
		panic(err)
	}
	return info
}

// TestFieldsOfTheLibrary checks that the table has each field of weft.Options, and no other.
func TestFieldsOfTheLibrary(t *testing.T) {
	var fields, declared []string
	for f := range reflect.TypeFor[weft.Options]().Fields() {
		fields = append(fields, "Options."+f.Name)
	}
	for _, o := range option.Table() {
		if strings.HasPrefix(o.Field, "Options.") {
			declared = append(declared, o.Field)
		}
		if name, ok := strings.CutPrefix(o.Field, "Launch."); ok {
			_, ok = reflect.TypeFor[weft.Launch]().FieldByName(name)
			assert.True(t, ok, o.Field)
		}
	}
	assert.ElementsMatch(t, fields, declared)
}

// TestTasks checks that the help says of each command what it is for.
func TestTasks(t *testing.T) {
	for _, c := range (&app{}).root().Commands() {
		if c.Name() != "version" {
			assert.NotEmpty(t, c.GroupID, c.Name())
		}
	}
}
