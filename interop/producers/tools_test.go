package producers

// pack is compressors and archivers.
var pack = group{
	name: "pack",
	programs: []string{"gzip --version", "bzip2 --version < /dev/null", "xz --version", "zstd --version",
		"lz4 --version",
		"tar --version", "zip -v", "7zz | sed -n 2p", "cpio --version", "ar --version"},
	forms: formsOf("pack"),
}

func init() { groups = append(groups, pack) }

// text is the usual tools of a shell and of a terminal.
var text = group{
	name: "text",
	programs: []string{"grep --version", "diff --version", "sed --version", "base64 --version", "xxd -v",
		"hexdump --version", "logger --version", "uuencode --version", "iconv --version", "bash --version"},
	forms: formsOf("text"),
}

// query is jq, whose filters are in many runbooks.
var query = group{
	name:     "jq",
	programs: []string{"jq --version"},
	forms:    formsOf("jq"),
}

func init() { groups = append(groups, text, query) }
