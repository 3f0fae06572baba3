package share

// Rules is the version of the rules by which evidence is read and judged. Parts of
// different versions do not join. It is raised whenever the same evidence under the
// same trust file gives other records.
const Rules = "6"
