package annotate

import (
	"slices"

	"github.com/weft-gpu/weft/internal/service/catalog"
)

// SourceFile is the part of a source file that is shown with costs.
type SourceFile struct {
	File  string       `json:"file"`
	Parts []SourcePart `json:"parts"` // none if the file no longer exists
}

// SourcePart is a declaration.
type SourcePart struct {
	First int      `json:"first"` // number of its first line, that of its comment
	Lines []string `json:"lines"`
}

// Source returns the source of the declarations that contain the lines of a kernel, as the
// program compiled it.
func (k *Kernel) Source() ([]SourceFile, error) {
	compiler, err := catalog.Kernels()
	if err != nil {
		return nil, err
	}
	texts := sources{compiler, map[string]*sourceFile{}}
	var list []SourceFile
	for i := 0; i < len(k.Lines); {
		file := k.Lines[i].File
		var wanted []int
		for ; i < len(k.Lines) && k.Lines[i].File == file; i++ {
			wanted = append(wanted, k.Lines[i].Line)
		}
		src := texts.file(file)
		f := SourceFile{File: file}
		for _, span := range src.shown(wanted) {
			f.Parts = append(f.Parts, SourcePart{span[0], slices.Clone(src.lines[span[0]-1 : span[1]])})
		}
		list = append(list, f)
	}
	return list, nil
}
