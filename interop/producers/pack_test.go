package producers

// pack is compressors and archivers.
var pack = group{
	name: "pack",
	programs: []string{"gzip --version", "bzip2 --version < /dev/null", "xz --version", "zstd --version",
		"lz4 --version",
		"tar --version", "zip -v", "7zz | sed -n 2p", "cpio --version", "ar --version"},
	forms: []form{
		{name: "gzip", run: `gzip -c $IN > $OUT/journal.gz`, cut: inside},
		{name: "gzip-members", cut: inside,
			run: `{ head -n 9 $IN | gzip -c; tail -n +10 $IN | gzip -9c; } > $OUT/journal.gz`},
		{name: "bzip2", run: `bzip2 -c $IN > $OUT/journal.bz2`, cut: inside},
		{name: "bzip2-streams", cut: inside,
			run: `{ head -n 9 $IN | bzip2; tail -n +10 $IN | bzip2; } > $OUT/journal.bz2`},
		{name: "xz", run: `xz -c $IN > $OUT/journal.xz`, cut: inside},
		{name: "xz-blocks", run: `xz -c --block-size=4096 --check=sha256 $IN > $OUT/journal.xz`, cut: inside},
		{name: "lzma", run: `xz -c --format=lzma $IN > $OUT/journal.lzma`, keeps: sealed, cut: never,
			loses: "xz --format=lzma reads it"},
		{name: "zstd", run: `zstd -qc $IN > $OUT/journal.zst`, cut: inside},
		{name: "zstd-long", run: `zstd -qc -19 --long=27 --no-check $IN > $OUT/journal.zst`, cut: inside},
		{name: "lz4", run: `lz4 -qc $IN > $OUT/journal.lz4`, cut: inside},
		{name: "lz4-linked", run: `lz4 -qc -BD -B4 --content-size $IN > $OUT/journal.lz4`, cut: inside},
		{name: "lz4-legacy", run: `lz4 -qcl $IN > $OUT/journal.lz4`, cut: inside},
		{name: "tar", run: split + `tar cf $OUT/logs.tar logs`},
		{name: "tar-pax", run: split + `tar c --format=pax -f $OUT/logs.tar logs`},
		{name: "tar-v7", run: split + `tar c --format=v7 -f $OUT/logs.tar logs`},
		{name: "tar-gzip", run: split + `tar czf $OUT/logs.tgz logs`, cut: inside},
		{name: "tar-xz", run: split + `tar cJf $OUT/logs.tar.xz logs`, cut: inside},
		{name: "tar-bzip2", run: split + `tar cjf $OUT/logs.tar.bz2 logs`, cut: inside},
		{name: "tar-zstd", run: split + `tar c --zstd -f $OUT/logs.tar.zst logs`, cut: inside},
		{name: "tar-volumes", run: split + `tar czf - logs | split -b 1000 -d - $OUT/logs.tgz.`, cut: never},
		{name: "zip", run: split + `zip -qr $OUT/logs.zip logs`, cut: inside},
		{name: "zip-stored", run: split + `zip -q0r $OUT/logs.zip logs`, cut: inside},
		{name: "zip-bzip2", run: split + `zip -qr -Z bzip2 $OUT/logs.zip logs`, cut: inside},
		{name: "zip-pipe", run: `cat $IN | zip -q > $OUT/journal.zip`, cut: inside},
		{name: "zip-64", run: split + `zip -qr -fz $OUT/logs.zip logs`, cut: inside},
		{name: "zip-volumes", run: split + `seq 40000 > logs/numbers; zip -q0r -s 64k $OUT/logs.zip logs`, cut: never},
		{name: "zip-encrypted", run: split + `zip -qr -P secret $OUT/logs.zip logs`, keeps: sealed, cut: never,
			loses: "it needs the password: unzip -P"},
		{name: "7z", run: split + `7zz a -bso0 $OUT/logs.7z logs`, cut: inside},
		{name: "7z-bzip2", run: split + `7zz a -bso0 -m0=bzip2 $OUT/logs.7z logs`, cut: inside},
		{name: "7z-copy", run: split + `7zz a -bso0 -mx0 $OUT/logs.7z logs`, cut: inside},
		{name: "7z-volumes", cut: never,
			run: split + `seq 40000 > logs/numbers; 7zz a -bso0 -mx0 -v64k $OUT/logs.7z logs`},
		{name: "7z-encrypted", run: split + `7zz a -bso0 -psecret -mhe=on $OUT/logs.7z logs`, keeps: sealed, cut: never,
			loses: "it needs the password: 7zz x -p"},
		{name: "cpio-newc", run: split + `find logs | cpio --quiet -o -H newc > $OUT/logs.cpio`},
		{name: "cpio-odc", run: split + `find logs | cpio --quiet -o -H odc > $OUT/logs.cpio`},
		{name: "cpio-crc", run: split + `find logs | cpio --quiet -o -H crc > $OUT/logs.cpio`},
		{name: "cpio-bin", run: split + `find logs | cpio --quiet -o -H bin > $OUT/logs.cpio`},
		{name: "ar", run: split + `ar rcD $OUT/logs.a logs/*`},
		{name: "nested", cut: inside,
			run: split + `zip -qr inner.zip logs; tar cf middle.tar inner.zip; xz middle.tar;
				7zz a -bso0 $OUT/logs.7z middle.tar.xz`},
	},
}

// split makes a folder with the journal in two files.
const split = `mkdir logs; head -n 9 $IN > logs/journal.1; tail -n +10 $IN > logs/journal; `

func init() { groups = append(groups, pack) }
