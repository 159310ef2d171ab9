package compile

import "go/types"

// exportedFuncs returns the name of an exported function, or of the methods of
// an exported type.
func exportedFuncs(o types.Object) (names []string) {
	if !o.Exported() {
		return nil
	}
	switch o := o.(type) {
	case *types.Func:
		return []string{o.Name()}
	case *types.TypeName:
		if n, ok := o.Type().(*types.Named); ok {
			for m := range n.Methods() {
				if m.Exported() {
					names = append(names, o.Name()+"."+m.Name())
				}
			}
		}
	}
	return names
}
