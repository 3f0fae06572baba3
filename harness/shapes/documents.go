package shapes

import (
	"fmt"
	"slices"
	"strings"
)

// documentShapes are what document stores hand out. Where a store takes the event
// apart, it adds members of its own to it.
func documentShapes() []Shape {
	const (
		dynamodb = "DynamoDB: Export output format, " +
			"https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html"
		mongodb   = "MongoDB: mongoexport, https://www.mongodb.com/docs/database-tools/mongoexport/"
		extended  = "MongoDB: Extended JSON (v2), https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/"
		mongodump = "MongoDB: mongodump, https://www.mongodb.com/docs/database-tools/mongodump/"
		mongosh   = "MongoDB: mongosh, https://www.mongodb.com/docs/mongodb-shell/"
		couchdb   = "CouchDB: /db/_all_docs, https://docs.couchdb.org/en/stable/api/database/bulk-api.html"
		cbexport  = "Couchbase: cbexport json, https://docs.couchbase.com/server/current/tools/cbexport-json.html"
		firestore = "Firestore: REST Document, " +
			"https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents"
		arango = "ArangoDB: arangoexport, https://docs.arangodb.com/stable/components/tools/arangoexport/"
		cosmos = "Azure Cosmos DB: Resource model, https://learn.microsoft.com/en-us/rest/api/cosmos-db/documents"
		asText = "store the line as a string"
		added  = "The store adds members of its own to the event."
	)
	return []Shape{
		{
			Name: "dynamodb/export", Document: dynamodb, Export: "aws dynamodb export-table-to-point-in-time", Keeps: Octets,
			Write: lined("data/a1b2.json", func(r record) string {
				return `{"Item":{"id":{"N":"` + r.id() + `"},"received_at":{"S":"` + r.iso() + `"},"body":{"S":` +
					compact.quote(r.line) + `}}}`
			}),
		},
		{
			Name: "dynamodb/export-map", Document: dynamodb, Export: asText, Keeps: Values,
			Loses: "The export writes each value with its type.",
			Write: lined("data/a1b2.json", func(r record) string {
				return `{"Item":{"id":{"N":"` + r.id() + `"},"event":` + dynamo([]byte(r.line)) + `}}`
			}),
		},
		{
			Name: "dynamodb/scan", Document: dynamodb, Export: "aws dynamodb scan --table-name audit --output json",
			Keeps: Octets,
			Write: page{"scan.json", "{\n    \"Items\": [\n", ",\n", "\n    ],\n    \"Count\": 0,\n    " +
				"\"ConsumedCapacity\": null\n}\n"}.of(func(r record) string {
				return "        {\n            \"id\": {\n                \"N\": \"" + r.id() + "\"\n            },\n" +
					"            \"body\": {\n                \"S\": " + compact.quote(r.line) + "\n            }\n        }"
			}),
		},
		{
			Name: "mongodb/mongoexport", Document: mongodb, Export: "mongoexport --collection=audit", Keeps: Octets,
			Batch: true,
			Write: lined("audit.json", func(r record) string {
				return `{"_id":{"$oid":"` + objectID(r) + `"},"received_at":{"$date":"` + r.iso() + `"},"` + batchName + `":` +
					compact.quote(r.batch) + `,"body":` + compact.quote(r.line) + `}`
			}),
		},
		{
			Name: "mongodb/mongoexport-csv", Document: mongodb, Export: "mongoexport --collection=audit", Keeps: Octets,
			Batch: true,
			Write: table("audit.csv", ",", csvCell),
		},
		{
			Name: "mongodb/mongoexport-document", Document: extended, Export: asText, Keeps: Values, Loses: added,
			Write: lined("audit.json", func(r record) string { return `{"_id":{"$oid":"` + objectID(r) + `"},` + r.line[1:] }),
		},
		{
			Name: "mongodb/mongoexport-canonical", Document: extended, Export: asText, Keeps: Values,
			Loses: "The store adds _id to the event, and canonical mode writes numbers with their type.",
			Write: lined("audit.json", func(r record) string {
				return `{"_id":{"$oid":"` + objectID(r) + `"},` + extendedJSON([]byte(r.line))[1:]
			}),
		},
		{
			Name: "mongodb/mongodump", Document: mongodump, Export: "mongodump --collection=audit", Keeps: Octets,
			Batch: true,
			Write: mongodumped(func(r record) []byte {
				return slices.Concat(bsonString("received_at", r.iso()), bsonString(batchName, r.batch), bsonString("body", r.line))
			}),
		},
		{
			Name: "mongodb/mongodump-document", Document: mongodump, Export: asText, Keeps: Values, Loses: added,
			Write: mongodumped(func(r record) []byte { return bsonMembers([]byte(r.line)) }),
		},
		{
			Name: "mongodb/mongosh", Document: mongosh, Export: "mongoexport --collection=audit", Keeps: Octets,
			Write: page{"audit.txt", "[\n", ",\n", "\n]\n"}.of(func(r record) string {
				return "  {\n    _id: ObjectId('" + objectID(r) + "'),\n    body: " + inspected(r.line) + "\n  }"
			}),
		},
		{
			Name: "mongodb/mongosh-document", Document: mongosh, Export: "mongoexport --collection=audit", Keeps: Less,
			Loses: "mongosh prints JavaScript, and only the first hundred elements and six levels.",
			Write: page{"audit.txt", "[\n", ",\n", "\n]\n"}.of(func(r record) string {
				return "  {\n    _id: ObjectId('" + objectID(r) + "'),\n    event: " + literal([]byte(r.line)) + "\n  }"
			}),
		},
		{
			Name: "couchdb/all-docs", Document: couchdb, Export: "curl …/audit/_all_docs?include_docs=true",
			Keeps: Octets, Batch: true,
			Write: page{"audit.json", `{"total_rows":9,"offset":0,"rows":[` + "\n", ",\n", "\n]}\n"}.of(func(r record) string {
				return couchRow(r, `"`+batchName+`":`+compact.quote(r.batch)+`,"line":`+compact.quote(r.line)+`}`)
			}),
		},
		{
			Name: "couchdb/all-docs-document", Document: couchdb, Export: asText, Keeps: Values, Loses: added,
			Write: page{"audit.json", `{"total_rows":9,"offset":0,"rows":[` + "\n", ",\n", "\n]}\n"}.of(func(r record) string {
				return couchRow(r, r.line[1:])
			}),
		},
		{
			Name: "couchbase/cbexport-lines", Document: cbexport, Export: "cbexport json --format lines --include-key id",
			Keeps: Octets, Batch: true,
			Write: lined("audit.json", func(r record) string { return rowObject(goSpelling)(r) }),
		},
		{
			Name: "couchbase/cbexport-list", Document: cbexport, Export: "cbexport json --format lines", Keeps: Values,
			Write: page{"audit.json", "[\n", ",\n", "\n]"}.of(func(r record) string {
				return `{"id":"audit::` + r.id() + `","event":` + r.line + `}`
			}),
		},
		{
			Name: "firestore/rest", Document: firestore, Export: "gcloud firestore export", Keeps: Octets,
			Write: page{"audit.json", "{\n  \"documents\": [\n", ",\n", "\n  ]\n}\n"}.of(func(r record) string {
				return "    {\n      \"name\": \"projects/p/databases/(default)/documents/audit/" + r.id() +
					"\",\n      \"fields\": {\n        \"body\": {\n          \"stringValue\": " + goSpelling.quote(r.line) +
					"\n        }\n      },\n      \"createTime\": \"" + r.iso() + "\"\n    }"
			}),
		},
		{
			Name: "arangodb/arangoexport", Document: arango, Export: "arangoexport --type jsonl --collection audit",
			Keeps: Octets, Batch: true,
			Write: lined("audit.jsonl", func(r record) string {
				s := spelling{slash: true, colon: ":", comma: ","}
				return s.object("_key", s.quote(r.id()), "_id", s.quote("audit/"+r.id()), "_rev", s.quote("_h8A---"),
					batchName, s.quote(r.batch), "body", s.quote(r.line))
			}),
		},
		{
			Name: "cosmosdb/document", Document: cosmos, Export: asText, Keeps: Values, Loses: added,
			Write: page{"audit.json", `{"_rid":"xUAAA==","Documents":[`, ",", `],"_count":3}`}.of(func(r record) string {
				return r.line[:len(r.line)-1] + `,"id":"` + r.id() + `","_rid":"xUAAAQ==","_self":"dbs/xU/","_etag":"\"0000\"",` +
					`"_attachments":"attachments/","_ts":` +
					fmt.Sprint(r.at.Unix()) + "}"
			}),
		},
	}
}

// objectID is the identifier that MongoDB gives a document.
func objectID(r record) string { return fmt.Sprintf("65a1b2c3d4e5f6071829%04x", r.n) }

func couchRow(r record, rest string) string {
	id := fmt.Sprintf("%032x", r.n)
	return `{"id":"` + id + `","key":"` + id + `","value":{"rev":"1-` + id + `"},"doc":{"_id":"` + id + `","_rev":"1-` +
		id + `",` + rest + "}"
}

// inspected is a string as Node.js shows it.
func inspected(text string) string {
	quote := "'"
	if strings.Contains(text, "'") && !strings.Contains(text, "`") && !strings.Contains(text, "${") {
		quote = "`"
	}
	return quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote, "\x7f", `\x7F`).Replace(text) + quote
}
