package read

// ReadTraced lets the tests in package read_test see every unit that was
// consumed.
var ReadTraced = readTraced
