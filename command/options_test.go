package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		for name := range o.In {
			assert.True(t, has[name+" --"+o.Name], "the table says what --%s is in weft %s, which does not have it", o.Name, name)
		}
	}
}
