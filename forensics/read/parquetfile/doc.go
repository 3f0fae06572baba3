// Package parquetfile reads the rows of Parquet files
// (https://parquet.apache.org/docs/file-format/).
//
// Rows become the text of JSON objects, with their lists and maps. The encodings are
// decoded as iterators: memory is that of one page and one dictionary of each column,
// and all together have a limit. Nothing is allocated because a file says how much
// there will be. Damage of a column costs its values, and the rows go on without them.
//
// Not read are encrypted files, and columns that are compressed with LZO, Brotli, or
// the framing of LZ4 that Hadoop uses. They are named.
package parquetfile
