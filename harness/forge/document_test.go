package forge

import (
	"testing"

	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/check"
)

func sample() seal.Object {
	return seal.Object{"a": []any{int64(1), seal.Object{"b/c": "x"}}, "d": "y"}
}

func TestOperations(t *testing.T) {
	for _, c := range []struct {
		name, pointer string
		do            Operation
		want          string
	}{
		{"set a member", "/d", Set("z"), `{"a":[1,{"b/c":"x"}],"d":"z"}`},
		{"set a new member", "/e", Set("z"), `{"a":[1,{"b/c":"x"}],"d":"y","e":"z"}`},
		{"set within a list", "/a/1/b~1c", Set("z"), `{"a":[1,{"b/c":"z"}],"d":"y"}`},
		{"set an element", "/a/0", Set("z"), `{"a":["z",{"b/c":"x"}],"d":"y"}`},
		{"insert first", "/a/0", Insert("z"), `{"a":["z",1,{"b/c":"x"}],"d":"y"}`},
		{"insert last", "/a/2", Insert("z"), `{"a":[1,{"b/c":"x"},"z"],"d":"y"}`},
		{"remove a member", "/d", Remove, `{"a":[1,{"b/c":"x"}]}`},
		{"remove an element", "/a/0", Remove, `{"a":[{"b/c":"x"}],"d":"y"}`},
		{"rename", "/a/1/b~1c", Rename("~"), `{"a":[1,{"~":"x"}],"d":"y"}`},
	} {
		changed, err := Apply(sample(), c.pointer, c.do)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		check.Equal(t, string(seal.Canonical(changed)), c.want, "%s", c.name)
	}
}

func TestOperationsRefuse(t *testing.T) {
	for _, c := range []struct {
		name, pointer string
		do            Operation
	}{
		{"the whole document", "", Set("z")},
		{"below a string", "/d/e", Set("z")},
		{"below nothing", "/x/y", Set("z")},
		{"an element beyond the last", "/a/2", Set("z")},
		{"a negative element", "/a/-1", Set("z")},
		{"insert into an object", "/d", Insert("z")},
		{"insert beyond the end", "/a/3", Insert("z")},
		{"remove nothing", "/x", Remove},
		{"remove no element", "/a/9", Remove},
		{"rename an element", "/a/0", Rename("z")},
		{"rename nothing", "/x", Rename("z")},
	} {
		if changed, err := Apply(sample(), c.pointer, c.do); err == nil {
			t.Errorf("%s: %s", c.name, seal.Canonical(changed))
		}
	}
}
