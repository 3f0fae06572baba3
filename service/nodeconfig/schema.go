package nodeconfig

import _ "embed"

//go:embed node-config.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of a configuration. What it
// accepts can still break a rule, as service/docs/node-config.md says; what it refuses
// breaks one.
func Schema() []byte { return schema }
