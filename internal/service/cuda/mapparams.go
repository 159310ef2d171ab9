package cuda

import (
	"regexp"
	"strconv"

	"github.com/weft-gpu/weft/internal/tensormap"
)

// A driver takes a tensor map that is a parameter of a kernel, and none in local memory. Clang before version 20 does not know __grid_constant__, and lets a kernel
// copy such a parameter there if its address is taken:
//
//	add.u64 %rd3, %SP, 0;                // the address that the kernel uses
//	add.u64 %rd4, %SPL, 0;               // the same in local memory
//	ld.param.u64 %rd5, [k_param_0+120];
//	st.local.u64 [%rd4+120], %rd5;       // and so on for all words

var (
	mapParameter = regexp.MustCompile(`\.param \.align 64 \.b8 ([\w$]+)\[128\]`)
	entryBegins  = regexp.MustCompile(`(?m)^\s*(?:\.visible |\.weak )*\.entry `)
	loadOfParam  = regexp.MustCompile(`ld\.param\.[bu]64\s+(%rd\d+), \[([\w$]+)(?:\+(\d+))?\];`)
	localAddress = regexp.MustCompile(`add\.[sub]64\s+(%rd\d+), %SPL, (\d+);`)
	localStore   = regexp.MustCompile(`st\.local\.[bu]64\s+\[(%rd\d+)(?:\+(\d+))?\], (%rd\d+);`)
	localUse     = regexp.MustCompile(`add\.[sub]64(\s+)(%rd\d+), %SP, (\d+);`)
)

// mapsInPlace returns a module for the driver of a real GPU in which kernels use tensor maps where they are parameters, and not copies of them. A parameter that is
// aligned as a tensor map and has its size is taken for one, if the copy has each of its words: nothing in the text tells that from a structure that the kernel changes, so
// only kernels that copy boxes are looked at.
func mapsInPlace(module []byte) []byte {
	begins := entryBegins.FindAllIndex(module, -1)
	var out []byte
	last := 0
	for i, at := range begins {
		end := len(module)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		out = append(append(out, module[last:at[0]]...), entryInPlace(module[at[0]:end])...)
		last = end
	}
	return append(out, module[last:]...)
}

var copiesBoxes = regexp.MustCompile(`cp\.async\.bulk\.(?:prefetch\.)?tensor\.`)

// paramWord is a word of a parameter.
type paramWord struct {
	of string
	at int
}

func entryInPlace(text []byte) []byte {
	if !copiesBoxes.Match(text) {
		return text
	}
	number := func(b []byte) int {
		n, _ := strconv.Atoi(string(b)) // "" is 0
		return n
	}
	maps := map[string]bool{}
	for _, m := range mapParameter.FindAllSubmatch(text, -1) {
		maps[string(m[1])] = true
	}
	loads, places := map[string]paramWord{}, map[string]int{}
	for _, m := range loadOfParam.FindAllSubmatch(text, -1) {
		loads[string(m[1])] = paramWord{string(m[2]), number(m[3])}
	}
	for _, m := range localAddress.FindAllSubmatch(text, -1) {
		places[string(m[1])] = number(m[2])
	}
	copied := map[int]map[paramWord]bool{} // by the place of the copy
	for _, m := range localStore.FindAllSubmatch(text, -1) {
		place, known := places[string(m[1])]
		of := loads[string(m[3])]
		if !known || !maps[of.of] || of.at != number(m[2]) {
			continue
		}
		if copied[place] == nil {
			copied[place] = map[paramWord]bool{}
		}
		copied[place][of] = true
	}
	return localUse.ReplaceAllFunc(text, func(use []byte) []byte {
		m := localUse.FindSubmatch(use)
		words := copied[number(m[3])]
		if len(words) != tensormap.EncodedBytes/8 {
			return use
		}
		name := ""
		for w := range words {
			if name != "" && w.of != name {
				return use
			}
			name = w.of
		}
		return []byte("mov.b64" + string(m[1]) + string(m[2]) + ", " + name + ";\n\tcvta.param.u64" + string(m[1]) + string(m[2]) + ", " + string(m[2]) + ";")
	})
}
