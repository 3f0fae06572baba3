package bag

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/svc-edge/svc-verify/archive/object"
)

// nameFault returns why a name in a bag is refused, and is "" for one that is not. The
// name must stay inside the bag on every system: on some a backslash separates, a
// letter and a colon is a drive, and a tilde is a home.
func nameFault(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > maxName:
		return "it is longer than 4,096 octets"
	case !utf8.ValidString(name):
		return "it is not UTF-8"
	case strings.ContainsRune(name, 0):
		return "it has a NUL"
	case strings.HasPrefix(name, "/"):
		return "it is absolute"
	case strings.HasPrefix(name, "~"):
		return "it begins with a tilde, which is a home directory for some programs"
	case strings.Contains(name, `\`):
		return "it has a backslash, which separates folders on some systems"
	case len(name) > 1 && name[1] == ':' && unicode.IsLetter(rune(name[0])):
		return "it begins with a drive letter"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "..":
			return "it climbs out of its folder"
		case "", ".":
			return "it has an empty component, or a dot as one"
		}
	}
	return ""
}

// pathFault returns why no file of a name is written into a bag, and is "" if one is.
// Characters that programs read in different ways are refused: a control character and a
// percent sign, which some encode and some do not, and space at the end, which some cut off.
func pathFault(name string) string {
	if why := nameFault(name); why != "" {
		return why
	}
	if object.PathText(name) != name {
		return "it has a percent sign, or a control or format character, which programs for bags read in different ways"
	}
	if strings.TrimRightFunc(name, unicode.IsSpace) != name {
		return "it ends with a space, which programs for bags cut off"
	}
	return ""
}

// escapes replaces the characters of a name that would end a line in a manifest, and the one
// that begins an escape.
var (
	escapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	plain10 = strings.NewReplacer("%25", "%", "%0D", "\r", "%0d", "\r", "%0A", "\n", "%0a", "\n")
	plain97 = strings.NewReplacer("%0D", "\r", "%0d", "\r", "%0A", "\n", "%0a", "\n")
)

// escaped returns a name as it is in a manifest of version 1.0.
func escaped(name string) string { return escapes.Replace(name) }

// unescaped returns the name that a manifest of a version has. A percent sign that begins no
// escape is literal, as programs write it.
func unescaped(name, version string) string {
	if version == "0.97" {
		return plain97.Replace(name)
	}
	return plain10.Replace(name)
}

// folded returns the same text for two names that a file system may treat as one: letter case
// and Unicode form do not count.
func folded(name string) string {
	return norm.NFD.String(strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, norm.NFD.String(name)))
}

// collision is two names that a file system may not keep both of.
type collision struct{ first, second string }

// collisions returns the collisions among names, which are all different: files that fold to
// the same name, and a file that folds to the folder of another. They are in the order of the
// folded names.
func collisions(names []string) (all []collision) {
	type key struct{ folded, name string }
	keys := make([]key, 0, len(names))
	for _, name := range names {
		keys = append(keys, key{folded(name), name})
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(strings.Compare(a.folded, b.folded), strings.Compare(a.name, b.name))
	})
	for i, k := range keys {
		if i > 0 && keys[i-1].folded == k.folded {
			all = append(all, collision{keys[i-1].name, k.name})
			continue
		}
		folder := k.folded + "/"
		at, _ := slices.BinarySearchFunc(keys, folder, func(k key, s string) int { return strings.Compare(k.folded, s) })
		if at < len(keys) && strings.HasPrefix(keys[at].folded, folder) {
			all = append(all, collision{k.name, keys[at].name})
		}
	}
	return all
}
