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
