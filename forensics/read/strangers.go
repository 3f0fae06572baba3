package read

// What serves several formats: commands, and a mark.
const (
	unpack  = "7z x FILE"
	image   = "mount a copy read-only and give its files"
	guest   = "guestmount --ro -i -a FILE DIR, and give the files"
	office  = "soffice --headless --convert-to xlsx FILE (or docx, pptx)"
	picture = "give the text that it shows"
	armour  = "-----BEGIN PGP MESSAGE-----"
)

// strangers are the formats that are named, in the order in which they are tried:
// those with more octets of their own before those with fewer.
var strangers = []stranger{
	// Logs.
	{"a systemd journal in its binary form", "journalctl --file FILE -o export", []mark{{0, "LPKSHHRH"}}, nil},
	{"a Windows event log", "evtx_dump -o jsonl FILE", []mark{{0, "ElfFile\x00"}}, nil},
	{"captured packets", "tshark -r FILE --export-objects http,DIR", []mark{{0, "\xd4\xc3\xb2\xa1"}}, nil},
	{"captured packets", "tshark -r FILE --export-objects http,DIR", []mark{{0, "\xa1\xb2\xc3\xd4"}}, nil},
	{"captured packets", "tshark -r FILE --export-objects http,DIR", []mark{{0, "\x4d\x3c\xb2\xa1"}}, nil},
	{"captured packets", "tshark -r FILE --export-objects http,DIR", []mark{{0, "\xa1\xb2\x3c\x4d"}}, nil},
	{"captured packets (pcapng)", "tshark -r FILE --export-objects http,DIR",
		[]mark{{0, "\x0a\x0d\x0d\x0a"}, {8, "\x4d\x3c\x2b\x1a"}}, nil},
	{"captured packets (pcapng)", "tshark -r FILE --export-objects http,DIR",
		[]mark{{0, "\x0a\x0d\x0d\x0a"}, {8, "\x1a\x2b\x3c\x4d"}}, nil},
	{"a buffer of fluentd (MessagePack)", "fluent-binlog-reader cat FILE", []mark{{0, "\x92\xd7\x00"}}, nil},
	{"records of Fluent Bit (MessagePack)", "fluent-binlog-reader cat FILE", []mark{{0, "\x92\x92\xd7\x00"}}, nil},
	{"a chunk of Fluent Bit", "start Fluent Bit on a copy of its storage.path, with the output file",
		[]mark{{0, "\xc1\x00"}, {6, string(make([]byte, 16))}}, nil},
	{"a dead letter queue of Logstash", "start Logstash on a copy, with the input dead_letter_queue and the output file",
		[]mark{{0, "1"}, {2, "\x00\x00"}}, isDeadLetter},

	{"text in EBCDIC", "iconv -f IBM1047 -t UTF-8 FILE", nil, isEBCDIC},

	// Databases.
	{"a DuckDB database", `duckdb -readonly FILE "EXPORT DATABASE 'DIR'"`, []mark{{8, "DUCK"}}, nil},
	{"the write-ahead log of an SQLite database", "sqlite3 DATABASE .dump, with both in one folder, on a copy",
		[]mark{{0, "\x37\x7f\x06"}, {4, "\x00\x2d\xe2\x18"}}, nil},
	{"the rollback journal of an SQLite database", "sqlite3 DATABASE .dump, with both in one folder, on a copy",
		[]mark{{0, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"}}, nil},
	{"a bbolt database, such as the queue of a collector (file_storage)",
		"start the collector on a copy, its otlphttp exporter pointed at svc-verify receive",
		[]mark{{16, "\xed\xda\x0c\xed"}}, nil},
	{"an LMDB database", "mdb_dump -a -n -p FILE", []mark{{16, "\xde\xc0\xef\xbe"}}, nil},
	{"a dump of PostgreSQL in its custom format", "pg_restore -f - FILE", []mark{{0, "PGDMP"}}, nil},
	{"a binary COPY of PostgreSQL", "COPY it into a table WITH (FORMAT binary), and out again",
		[]mark{{0, "PGCOPY\n\xff\r\n\x00"}}, nil},
	{"a binary log of MySQL or MariaDB", "mysqlbinlog --verbose --base64-output=DECODE-ROWS FILE",
		[]mark{{0, "\xfebin"}}, nil},
	{"a tablespace of InnoDB (MySQL, MariaDB)", "mysqldump --tab=DIR DATABASE, from the server that has it",
		[]mark{{4, "\x00\x00\x00\x00"}, {24, "\x00\x08"}}, isInnoDB},
	{"a database file of Microsoft SQL Server", "bcp TABLE out OUT -c, from a server that a copy is attached to",
		[]mark{{0, "\x01\x0f\x00\x00"}}, isBinary},
	{"a backup of Microsoft SQL Server", "RESTORE DATABASE NAME FROM DISK = 'FILE', then bcp TABLE out OUT -c",
		[]mark{{0, "TAPE\x00\x00"}}, nil},
	{"an export of Oracle", "imp full=y file=FILE, then select the rows as JSON", []mark{{3, "EXPORT:V"}}, nil},
	{"a file of WiredTiger (MongoDB)", "mongod --dbpath COPY, then mongoexport --collection NAME",
		[]mark{{0, "\x41\xd8\x01\x00\x01\x00"}}, nil},
	{"documents of mongodump (BSON)", "bsondump FILE", []mark{{5, "_id\x00"}}, isBinary},
	{"an archive of mongodump", "mongorestore --archive=FILE, then mongoexport --collection NAME",
		[]mark{{0, "\x6d\xe2\x99\x81"}}, nil},
	{"a dump of Redis", "rdb --command json FILE", []mark{{0, "REDIS00"}}, nil},
	{"a Lucene index (Elasticsearch, OpenSearch)", "elasticdump --type=data --input=URL/INDEX --output=OUT",
		[]mark{{0, "\x3f\xd7\x6c\x17"}}, nil},
	{"a Microsoft Access database", "mdb-json FILE TABLE", []mark{{4, "Standard Jet DB\x00"}}, nil},
	{"a Microsoft Access database", "mdb-json FILE TABLE", []mark{{4, "Standard ACE DB\x00"}}, nil},
	{"an ESE database of Windows", "esedbexport FILE", []mark{{4, "\xef\xcd\xab\x89"}}, isBinary},
	{"a compressed segment of Kafka", "kafka-dump-log.sh --print-data-log --files FILE",
		[]mark{{16, "\x02"}}, isKafkaBatch},
	{"a segment of PostgreSQL's write-ahead log", "pg_dump, from a server that recovers to it",
		[]mark{{3, "\x00"}}, isWAL},
	{"a table or index of PostgreSQL", "pg_dump, from a server that has a copy of its directory",
		[]mark{{18, "\x04\x20"}}, isHeapPage},

	// Tables.
	{"a Parquet file", `duckdb -c "COPY (FROM read_parquet('FILE')) TO 'OUT.json'"`, []mark{{0, "PAR1"}}, isBinary},
	{"an encrypted Parquet file", "", []mark{{0, "PARE"}}, isBinary},
	{"an ORC file", "orc-contents FILE", []mark{{0, "ORC"}}, isBinary},
	{"an Arrow or Feather file", "python3 -c 'import pyarrow.feather as f, pyarrow.csv as c; " +
		`c.write_csv(f.read_table("FILE"), "OUT.csv")'`, []mark{{0, "ARROW1\x00\x00"}}, nil},
	{"a Feather file", "python3 -c 'import pyarrow.feather as f, pyarrow.csv as c; " +
		`c.write_csv(f.read_table("FILE"), "OUT.csv")'`, []mark{{0, "FEA1"}}, nil},
	{"an HDF5 file", "h5dump FILE", []mark{{0, "\x89HDF\r\n\x1a\n"}}, nil},
	{"a sequence file of Hadoop", "hadoop fs -text file://$PWD/FILE", []mark{{0, "SEQ"}}, isBinary},

	// Compression and archives.
	{"a cpio archive", "cpio -idm < FILE", []mark{{0, "070701"}}, nil},
	{"a cpio archive", "cpio -idm < FILE", []mark{{0, "070702"}}, nil},
	{"a cpio archive", "cpio -idm < FILE", []mark{{0, "070707"}}, nil},
	{"a cpio archive", "cpio -idm < FILE", []mark{{0, "\xc7\x71"}}, isBinary},
	{"an ar archive", "ar x FILE", []mark{{0, "!<arch>\n"}}, nil},
	{"a cabinet archive", "cabextract FILE", []mark{{0, "MSCF\x00\x00\x00\x00"}}, nil},
	{"a xar archive", unpack, []mark{{0, "xar!"}}, isBinary},
	{"an LHA archive", unpack, []mark{{2, "-lh"}, {6, "-"}}, isBinary},
	{"an RPM package", "rpm2cpio FILE", []mark{{0, "\xed\xab\xee\xdb"}}, nil},
	{"lzip", "lzip -dc FILE", []mark{{0, "LZIP\x01"}}, nil},
	{"lzop", "lzop -dc FILE", []mark{{0, "\x89LZO\x00\r\n\x1a\n"}}, nil},
	{"lrzip", "lrzcat FILE", []mark{{0, "LRZI"}}, isBinary},
	{"compress (.Z)", "gzip -dc FILE", []mark{{0, "\x1f\x9d"}}, isZ},
	{"LZMA without a container", "xz --format=lzma -dc FILE", []mark{{0, "\x5d\x00"}}, isLZMA},
	{"a dictionary of zstd", "zstd -D FILE -dc, for the files that were compressed with it",
		[]mark{{0, "\x37\xa4\x30\xec"}}, nil},
	{"mail of Outlook", "readpst -o DIR FILE", []mark{{0, "!BDN"}}, isBinary},
	{"a mail's attachments in TNEF", "tnef FILE", []mark{{0, "\x78\x9f\x3e\x22"}}, nil},

	// Disks.
	{"a disk image (qcow2)", guest, []mark{{0, "QFI\xfb"}}, nil},
	{"a disk image (VMDK)", guest, []mark{{0, "KDMV"}}, isBinary},
	{"a disk image (VHDX)", guest, []mark{{0, "vhdxfile"}}, nil},
	{"a disk image (VHD)", guest, []mark{{0, "conectix"}}, nil},
	{"a disk image (VDI)", guest, []mark{{64, "\x7f\x10\xda\xbe"}}, nil},
	{"a forensic disk image (EWF, E01)", "ewfmount FILE DIR, then " + image, []mark{{0, "EVF\x09\x0d\x0a\xff\x00"}}, nil},
	{"a forensic disk image (EWF, Ex01)", "ewfmount FILE DIR, then " + image, []mark{{0, "EVF2\r\n\x81\x00"}}, nil},
	{"a forensic disk image (AFF)", "affuse FILE DIR, then " + image, []mark{{0, "AFF10\r\n\x00"}}, nil},
	{"an image of a compact disc (ISO 9660)", unpack, []mark{{32769, "CD001"}}, nil},
	{"a SquashFS image", "unsquashfs FILE", []mark{{0, "hsqs"}}, isBinary},
	{"a disk encrypted with LUKS", "cryptsetup open --readonly FILE NAME, then mount it",
		[]mark{{0, "LUKS\xba\xbe"}}, nil},
	{"a disk encrypted with BitLocker", "cryptsetup open --readonly --type bitlk FILE NAME, then mount it",
		[]mark{{3, "-FVE-FS-"}}, nil},
	{"an NTFS file system", image, []mark{{3, "NTFS    "}}, nil},
	{"an XFS file system", image, []mark{{0, "XFSB\x00"}}, nil},
	{"an ext2, ext3 or ext4 file system", image, []mark{{0, string(make([]byte, 512))}, {1080, "\x53\xef"}}, nil},
	{"a disk image with partitions", image, []mark{{510, "\x55\xaa"}}, isBinary},

	// What is encrypted.
	{"a file encrypted with age", "age -d -i KEY FILE", []mark{{0, "age-encryption.org/v1\n"}}, nil},
	{"a file encrypted with age", "age -d -i KEY FILE", []mark{{0, "-----BEGIN AGE ENCRYPTED FILE-----"}}, nil},
	{"an armoured message encrypted with OpenPGP", "gpg -d FILE", []mark{{0, armour}}, isArmoured},
	{"an armoured message of OpenPGP, signed or compressed", "gpg -d FILE", []mark{{0, armour}}, nil},
	{"a message encrypted with OpenPGP", "gpg -d FILE", nil, isPGP},
	{"a file encrypted with OpenSSL", "openssl enc -d -in FILE, with the cipher that it was encrypted with",
		[]mark{{0, "Salted__"}}, nil},
	{"a file encrypted with OpenSSL, in base64", "openssl enc -d -a -in FILE, with the cipher that it was encrypted with",
		[]mark{{0, "U2FsdGVkX1"}}, nil},
	{"a file encrypted with ansible-vault", "ansible-vault view FILE", []mark{{0, "$ANSIBLE_VAULT;"}}, nil},

	// What people keep beside the evidence.
	{"an old Office document or an Outlook message", office, []mark{{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"}}, nil},
	{"a PDF document, which breaks long lines", "give what it was made from", []mark{{0, "%PDF-"}}, nil},
	{"a Windows shortcut", "give the file that it names", []mark{{0, "\x4c\x00\x00\x00\x01\x14\x02\x00"}}, nil},
	{"a PNG image", picture, []mark{{0, pngSignature}}, nil},
	{"a JPEG image", picture, []mark{{0, "\xff\xd8\xff"}}, nil},
	{"a GIF image", picture, []mark{{0, "GIF8"}}, isBinary},
	{"a TIFF image", picture, []mark{{0, "II*\x00"}}, nil},
	{"a TIFF image", picture, []mark{{0, "MM\x00*"}}, nil},
	{"a WebP image", picture, []mark{{0, "RIFF"}, {8, "WEBP"}}, nil},
	{"a HEIF image", picture, []mark{{4, "ftyphei"}}, nil},
	{"a video or sound", "", []mark{{4, "ftyp"}}, isBinary},
	{"a video (Matroska, WebM)", "", []mark{{0, "\x1a\x45\xdf\xa3"}}, nil},
	{"a video (AVI)", "", []mark{{0, "RIFF"}, {8, "AVI "}}, nil},
	{"a sound (WAVE)", "", []mark{{0, "RIFF"}, {8, "WAVE"}}, nil},
	{"a sound (Ogg)", "", []mark{{0, "OggS\x00"}}, nil},
	{"a sound (FLAC)", "", []mark{{0, "fLaC"}}, isBinary},
	{"a sound (MP3)", "", []mark{{0, "ID3"}}, isBinary},
	{"a program or a core dump (ELF)", "", []mark{{0, "\x7fELF"}}, nil},
	{"a program (Windows)", "", []mark{{0, "MZ"}}, isPE},
	{"a program (Mach-O)", "", []mark{{0, "\xcf\xfa\xed\xfe"}}, nil},
	{"a program (Mach-O or Java)", "", []mark{{0, "\xca\xfe\xba\xbe"}}, nil},
	{"a program (WebAssembly)", "", []mark{{0, "\x00asm"}}, nil},
	{"pickled objects of Python, which can run code when they are loaded", "", []mark{{0, "\x80\x04\x95"}}, nil},
	{"serialised objects of Java", "", []mark{{0, "\xac\xed\x00\x05"}}, nil},
}

// ends are formats whose mark is at the end of a file, so many octets before it.
var ends = []stranger{
	{"a table of RocksDB", "sst_dump --command=scan --file=FILE", []mark{{8, "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88"}}, nil},
	{"a table of LevelDB", "leveldbutil dump FILE", []mark{{8, "\x57\xfb\x80\x8b\x24\x75\x47\xdb"}}, nil},
	{"a disk image of macOS (dmg)", unpack, []mark{{512, "koly\x00\x00\x00\x04"}}, nil},
	{"a disk image (VHD)", guest, []mark{{512, "conectix"}}, nil},
	{"an archive that unpacks itself", unpack, []mark{{22, "PK\x05\x06"}}, nil},
}
