package readptx

import (
	"slices"
	"strings"
)

// row is a row of the table of instructions: a form of an instruction, and what builds
// it in the IR.
type row struct {
	// pattern is the form as the PTX ISA writes it: "add{.sat}.s32" may have .sat, and
	// "mul.{lo,hi,wide}.{u32,s32}" has one of the words in each pair of braces.
	pattern string
	args    string // the operands, for the message if their number is wrong: "d, a, b"
	build   func(b *builder, s *inst)
	// pure says that the instruction does nothing but compute its result, so that a
	// predicate can select it.
	pure bool
	// guards says that the instruction can have a predicate in the IR.
	guards bool
	refuse string // why the instruction is not supported, and what to do instead
}

// slot is a place for a modifier.
type slot struct {
	words    []string
	optional bool
}

// form is a row with its pattern taken apart.
type form struct {
	*row
	op    string
	slots []slot
	any   bool // any modifiers may follow
	least int  // operands
	most  int
}

// forms has the rows by the name of the instruction.
var forms = map[string][]*form{}

func init() {
	for _, t := range tables {
		for i := range t.rows {
			f := parsePattern(&t.rows[i])
			forms[f.op] = append(forms[f.op], f)
		}
	}
}

func parsePattern(r *row) *form {
	f := &form{row: r}
	rest := r.pattern
	rest, f.any = strings.CutSuffix(rest, "*")
	end := strings.IndexAny(rest, ".{")
	if end < 0 {
		end = len(rest)
	}
	f.op, rest = rest[:end], rest[end:]
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "{"):
			words, after, _ := strings.Cut(rest[1:], "}")
			f.slots = append(f.slots, slot{strings.Split(words, ","), true})
			rest = after
		case strings.HasPrefix(rest, ".{"):
			words, after, _ := strings.Cut(rest[2:], "}")
			list := strings.Split(words, ",")
			for i := range list {
				list[i] = "." + list[i]
			}
			f.slots = append(f.slots, slot{list, false})
			rest = after
		default:
			end := strings.IndexAny(rest[1:], ".{") + 1
			if end == 0 {
				end = len(rest)
			}
			f.slots = append(f.slots, slot{[]string{rest[:end]}, false})
			rest = rest[end:]
		}
	}
	for _, a := range strings.Split(strings.ReplaceAll(r.args, ", c]", "]"), ",") { // a coordinate is a part of the address
		if a = strings.TrimSpace(a); a == "" {
			continue
		}
		f.most++
		if !strings.HasPrefix(a, "{") {
			f.least++
		}
	}
	return f
}

// matches reports whether modifiers fit the slots, which have the order of the ISA.
func (f *form) matches(mods []string, slots []slot) bool {
	if len(slots) == 0 {
		return f.any || len(mods) == 0
	}
	if len(mods) > 0 && slices.Contains(slots[0].words, mods[0]) && f.matches(mods[1:], slots[1:]) {
		return true
	}
	return slots[0].optional && f.matches(mods, slots[1:])
}

// inst is a statement with its row and its modifiers one by one.
type inst struct {
	*statement
	form *form
	mods []string
	t    typ // the last type among the modifiers
	from typ // the one before it, of an instruction with two
}

func (s *inst) has(mod string) bool { return slices.Contains(s.mods, mod) }

// known are instructions by their name with modifiers; the same few come again and again.
type known map[string]*inst

// look finds the row of a statement. what is wrong otherwise.
func (k known) look(s *statement) (in inst, wrong string) {
	full := s.op + s.mods
	found := k[full]
	if found == nil {
		found = &inst{}
		if s.mods != "" {
			found.mods = splitMods(s.mods)
		}
		if (s.op == "atom" || s.op == "red") && !slices.Contains(found.mods, ".async") {
			inOrder(found.mods)
		}
		for _, mod := range found.mods {
			if t, ok := types[mod]; ok {
				found.from, found.t = found.t, t
			}
		}
		rows := forms[s.op]
		for _, f := range rows {
			if f.matches(found.mods, f.slots) {
				found.form = f
				break
			}
		}
		switch {
		case len(rows) == 0:
			return inst{}, "there is no instruction " + s.op + " in PTX, or none that is known here"
		case found.form == nil:
			return inst{}, full + " is no form of " + s.op + " that is known; docs/ptx.md lists them"
		}
		k[full] = found
	}
	in = *found
	in.statement = s
	if n := len(s.args); s.call == nil && in.form.refuse == "" && (n < in.form.least || n > in.form.most) {
		return inst{}, full + " has the operands " + in.form.args
	}
	return in, ""
}

// inOrder puts order, scope and space of an atomic before its operation, where the ISA has them. The headers of CUDA's own library
// write "atom.exch.acquire.gpu.b32", which ptxas takes.
func inOrder(mods []string) {
	rank := func(mod string) int {
		for i, words := range []string{orders, scopes, atomSpaces} {
			if slices.Contains(strings.Split(strings.Trim(words, "{}"), ","), mod) {
				return i
			}
		}
		return 3
	}
	slices.SortStableFunc(mods, func(a, b string) int { return rank(a) - rank(b) })
}

// splitMods splits ".global.L2::128B.u32".
func splitMods(text string) (list []string) {
	for text != "" {
		end := strings.IndexByte(text[1:], '.') + 1
		if end == 0 {
			end = len(text)
		}
		list = append(list, text[:end])
		text = text[end:]
	}
	return list
}
