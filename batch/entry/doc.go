// Package entry finds the entries of a batch: the documents in files, directories,
// lists, archives, JSON lines and standard input, one after the other.
//
// Nothing is left out silently. Unreadable content is an entry with the reason, and the
// entries that the patterns leave out are counted. The content of an entry is not judged here.
//
// # Order
//
// Paths come as they were given, and then the names of each list. Entries below a directory
// come in ascending order of the bytes of the whole paths. Archives and JSON lines have an
// order of their own.
//
// # Files and directories
//
// Everything below a directory is examined, also names that begin with a dot. A symbolic link
// that was given is followed. Links below a directory are not followed: they are unreadable,
// unless they lead to a path that was also given. So are pipes, devices, sockets, files
// without permission, and directories that cannot be listed.
//
// # JSON lines
//
// Content is recognised by itself, never by its name. Of two lines or more that are
// not blank, the first two decide. These are JSON lines:
//
//   - the first one is an object, or two, or is broken off within a string;
//   - the first one is no object, and the second one is: the beginning is missing;
//   - the first one begins an object that is longer than a proof can be.
//
// Each line is an entry, whatever is in it, except for blank ones. A line feed ends a
// line, with or without a carriage return before it. A byte order mark before the
// first line is no part of it. Everything else is one document: an object over many
// lines, an array, a single line, an empty file.
//
// # Archives and compression
//
// Package read opens compressed content and archives, in one another, within its limits
// ([read.Opens]). A member can be JSON lines. Directories are no entries; links and devices
// are unreadable, and names are only names.
//
// An archive that is cut off, damaged, followed by something else, or not the same for every
// reader has an unreadable entry for that. Members before and after damage are read.
//
// # Patterns
//
// Patterns are [listing.Patterns]. A line is matched as its file. Archives are not matched,
// only their members. Standard input is always taken.
//
// # Memory
//
// A walk keeps the names of the directories that it is in, and fewer than 100 bytes
// for each file and member. It does not grow with the size of files, or with the
// number of lines.
package entry
