package schemas

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/svc-edge/svc-verify/internal/safetext"
)

// object is a decoded JSON object of a schema.
type object = map[string]any

// sources returns the decoded schemas by their ids.
var sources = sync.OnceValue(func() map[string]object {
	all := map[string]object{}
	for _, name := range append(Names(), "common") {
		id, _, _ := strings.Cut(ID(name), "#")
		var s object
		if text, err := Source(name); err != nil || json.Unmarshal(text, &s) != nil {
			panic("validate: the schema " + name + " cannot be read") // cannot be: TestSources reads all
		}
		all[id] = s
	}
	return all
})

// lookUp returns the schema that a location names, and the last word of the location: the keyword,
// if it is the location of one.
func lookUp(location string) (schema object, keyword string) {
	id, pointer, _ := strings.Cut(location, "#")
	tokens := strings.Split(pointer, "/")
	var at any = sources()[id]
	for _, token := range tokens[1:] {
		if o, ok := at.(object); ok {
			schema, keyword, at = o, memberName(token), o[memberName(token)]
		} else if list, ok := at.([]any); ok {
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(list) {
				return nil, ""
			}
			at = list[i]
		}
	}
	return schema, keyword
}

// memberName returns the name that a token of a location means.
func memberName(token string) string {
	return plainName.Replace(pointerOf(token))
}

// plainName writes the tokens of a pointer (RFC 6901) as the names that they mean.
var plainName = strings.NewReplacer("~1", "/", "~0", "~")

// phrases are the demands of the keywords in words.
var phrases = map[string]string{
	"type": "%s", "const": "%s", "enum": "one of %s", "pattern": "text that matches %s",
	"format":    "a value of the form %s",
	"minLength": "%s or more characters", "maxLength": "at most %s characters", "minimum": "at least %s",
	"maximum": "at most %s", "minItems": "%s or more elements", "maxItems": "at most %s elements",
	"minProperties": "%s or more members", "maxProperties": "at most %s members", "uniqueItems": "no element twice",
}

// types are the types of values as people call them.
var types = map[string]string{"boolean": "true or false", "string": "a string", "integer": "an integer",
	"array": "an array", "object": "an object"}

// demandOf returns the demand of a keyword of a schema, or "" if there are no words for it. The
// description of a value explains more than its pattern.
func demandOf(schema object, keyword string) string {
	description, _ := schema["description"].(string)
	phrase, ok := phrases[keyword]
	switch {
	case !ok:
		return ""
	case keyword == "uniqueItems":
		return phrase
	case description != "" && (keyword == "pattern" || keyword == "format" || strings.HasSuffix(keyword, "Length")):
		return safetext.Phrase(strings.ToLower(description[:1]) + strings.TrimSuffix(description[1:], "."))
	}
	return safetext.Phrase(fmt.Sprintf(phrase, valueText(keyword, schema[keyword])))
}

// valueText writes the value of a keyword.
func valueText(keyword string, value any) string {
	switch v := value.(type) {
	case string:
		if name, ok := types[v]; ok && keyword == "type" {
			return name
		}
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, valueText(keyword, one))
		}
		return strings.Join(all, ", ")
	}
	return fmt.Sprint(value)
}
