package readptx

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// demangled returns the name of a function as C++ writes it, without its parameters, the
// arguments of templates and unnamed namespaces: "add" for "_Z3addPiS_i", "ns::add" for
// "_ZN2ns3addEv". What it cannot read it returns as it is.
func demangled(name string) string { return readable(name, demangle.NoTemplateParams) }

// Instance returns the name of a function as C++ writes it, as the rest of the package does, but with the arguments of templates: "fill<4, float>".
func Instance(name string) string { return readable(name) }

func readable(name string, options ...demangle.Option) string {
	short, err := demangle.ToString(name, append(options, demangle.NoParams, demangle.NoClones)...)
	if err != nil {
		return name
	}
	return strings.ReplaceAll(short, "(anonymous namespace)::", "")
}
