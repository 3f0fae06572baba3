package safetext

import "testing"

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plain words, and no more.", "plain words, and no more."},
		{"a_b *c* <d> [e](f) | g ~h~ &amp; #i !j $k", `a\_b \*c\* \<d\> \[e\](f) \| g \~h\~ \&amp; \#i \!j \$k`},
		{"- item", `\- item`},
		{"12. item", "&#49;2. item"},
		{"line\nbreak", `line\\nbreak`},
		{"at 10:00:00Z", "at 10:00:00Z"},
		{"of a@b", "`of a@b`"},
		{"HTTPS://evil", "`HTTPS://evil`"},
		{"WWW.evil", "`WWW.evil`"},
		{"mailto:a", "`mailto:a`"},
		{"see #1", "`see #1`"},
		{"see GH-1", "`see GH-1`"},
		{"weigh-1", "weigh-1"},
		{":tada:", "`:tada:`"},
		{"@` `` x", "```@` `` x```"},
	} {
		if got := Markdown(tt.text); got != tt.want {
			t.Errorf("%q became %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestMarkdownCode(t *testing.T) {
	for _, tt := range []struct{ text, code, cell string }{
		{"a|b", "`a|b`", "`a\\|b`"},
		{`a\|b|`, "`a\\|b|`", "`a\\\\x7cb\\x7c`"},
		{"`", "`` ` ``", "`` ` ``"},
		{"", "`  `", "`  `"},
		{" a ", "`  a  `", "`  a  `"},
	} {
		if got := MarkdownCode(tt.text); got != tt.code {
			t.Errorf("%q became %s, want %s", tt.text, got, tt.code)
		}
		if got := MarkdownCellCode(tt.text); got != tt.cell {
			t.Errorf("%q in a cell became %s, want %s", tt.text, got, tt.cell)
		}
	}
}

func TestMarkdownCell(t *testing.T) {
	for text, want := range map[string]string{"a|b": `a\|b`, `a\|b`: `a\\\|b`, "a|@b": "`a\\|@b`", "#1|": "`#1\\|`"} {
		if got := MarkdownCell(text); got != want {
			t.Errorf("%q became %s, want %s", text, got, want)
		}
	}
}
