package crosscheck

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/svc-edge/svc-verify/forensics/walk/walktest"
	"github.com/svc-edge/svc-verify/harness/node"
	"github.com/svc-edge/svc-verify/harness/seal"
	"github.com/svc-edge/svc-verify/internal/must"
	"github.com/svc-edge/svc-verify/verify"
)

// scenario is a sequence of steps, and the result of a crosscheck: the verdict, the findings
// as "code log first last", and how many statements have which answer, apart from recorded
// ones.
type scenario struct {
	steps    []string
	verdict  verify.Verdict
	findings []string
	answers  map[Answer]int
}

// readScenarios reads the scenarios of an archive in testdata by their names.
func readScenarios(t *testing.T, name string) map[string]scenario {
	t.Helper()
	all := map[string]scenario{}
	for _, f := range must.Get(txtar.ParseFile(filepath.Join("testdata", name)))(t).Files {
		c := scenario{answers: map[Answer]int{}}
		for line := range strings.Lines(string(f.Data)) {
			kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch kind {
			case "=":
				c.verdict = verify.Verdict(rest)
			case ">":
				c.findings = append(c.findings, rest)
			case "?":
				answer, n, _ := strings.Cut(rest, " ")
				c.answers[Answer(answer)] = must.Get(strconv.Atoi(n))(t)
			default:
				c.steps = append(c.steps, strings.TrimSuffix(line, "\n"))
			}
		}
		all[f.Name] = c
	}
	return all
}

// play does the steps of a scenario, and returns the files of its evidence.
func (s *stage) play(steps []string) map[string][]byte {
	s.Helper()
	collected := false
	for _, step := range steps {
		words := strings.Fields(step)
		damage := damages[words[0]]
		if damage == nil {
			played[words[0]](s, words[1:])
			continue
		}
		if !collected {
			s.collect()
		}
		collected = true
		damage(s, words[1:])
	}
	if !collected {
		s.collect()
	}
	return s.files
}

// nodes are the nodes with these names.
func (s *stage) nodes(names []string) (all []*node.Node) {
	for _, name := range names {
		all = append(all, map[string]*node.Node{"berlin": s.berlin, "lisbon": s.lisbon, "oslo": s.oslo}[name])
	}
	return all
}

// played are the steps of a scenario. Steps without a transaction are about the last requested
// one, and approval steps about the last signed approval.
var played = map[string]func(s *stage, args []string){
	"later": func(s *stage, _ []string) { s.later() },
	"publish": func(s *stage, _ []string) {
		s.policy++
		s.must(s.PublishPolicy(s.policy, s.Nodes...))
	},
	"request": func(s *stage, args []string) {
		s.last = s.request(append(args, transaction)[1], args[0])
	},
	"issue": func(s *stage, _ []string) { s.last = s.issue(transaction) },
	"agreed": func(s *stage, _ []string) { // by Berlin, with capability evidence, and Oslo
		s.last = s.request(transaction, "edge-gateway")
		s.must(s.Observe(s.last, s.berlin, "attested-boot"))
		s.must(s.Approve(s.last, s.berlin, s.oslo))
	},
	"approve": func(s *stage, args []string) { s.must(s.Approve(s.last, s.nodes(args)...)) },
	"observe": func(s *stage, args []string) { s.must(s.Observe(s.last, s.nodes(args)[0], args[1])) },
	"sign":    func(s *stage, args []string) { s.approval = s.nodes(args)[0].Approve(s.last.Case) },
	"forge":   func(s *stage, _ []string) { s.approval = s.forge(s.last) },
	"record":  func(s *stage, _ []string) { s.must(s.Cloud.RecordApproval(s.last, s.approval)) },

	"leave-unrecorded": func(s *stage, _ []string) { s.unlogged(s.last, s.approval) },
	"decide":           func(s *stage, args []string) { s.must(s.Decide(s.last, s.nodes(args)[0])) },
	"decide-unrecorded": func(s *stage, args []string) {
		s.last.Case.Customer = s.nodes(args)[0].Decide(s.last.Case)
		s.Cloud.Decide(s.last)
	},
	"finish":           func(s *stage, _ []string) { s.must(s.Complete(s.last)) },
	"complete":         func(s *stage, _ []string) { s.complete(s.last) },
	"witness":          func(s *stage, args []string) { s.must(s.Witness(s.nodes(args)...)) },
	"bundle":           func(s *stage, _ []string) { s.bundle(s.last) },
	"export":           func(s *stage, _ []string) { s.export(s.last) },
	"report":           func(s *stage, args []string) { s.must(s.Report(s.nodes(args)...)) },
	"revoke":           func(s *stage, args []string) { s.must(s.Revoke(s.last, args[0])) },
	"revoke-unseen":    func(s *stage, _ []string) { s.revokeUnseen(s.last) },
	"forge-receipt":    func(s *stage, _ []string) { s.must(s.Cloud.RecordWitness(s.forgeReceipt())) },
	"forge-capability": func(s *stage, _ []string) { s.must(s.Cloud.AddCapability(s.last, s.forgeCapability())) },
	"note": func(s *stage, args []string) {
		log, kind, rest, id, data := args[0], args[1], args[2:], "", seal.Object{}
		if len(rest) > 0 && !strings.Contains(rest[0], "=") {
			id, rest = rest[0], rest[1:]
		}
		for _, member := range rest {
			name, value, _ := strings.Cut(member, "=")
			data[name] = s.valueOf(value)
		}
		switch {
		case log != "tenant":
			s.nodes(args)[0].Note(kind, id, data)
		case id != "":
			s.Cloud.NoteOf(id, kind, data)
		default:
			s.Cloud.Note(kind, data)
		}
	},
}

// valueOf returns a value of a note: a number, a text, or with @ a value of the stage.
func (s *stage) valueOf(text string) any {
	name, of, _ := strings.Cut(text, ":")
	switch name {
	case "@sha":
		return seal.SHA256([]byte(of))
	case "@approval":
		return seal.StatementDigest(s.last.Case.Approvals[0])
	case "@signed":
		return seal.StatementDigest(s.approval)
	case "@service":
		return seal.StatementDigest(s.last.Case.Service)
	case "@capability":
		return seal.StatementDigest(s.last.Case.Capability[0])
	case "@newest":
		return int64(len(s.tenant))
	case "@head":
		if sequence, err := strconv.Atoi(of); err == nil {
			return seal.Text(s.tenant[sequence-1], "hash")
		}
		return seal.Text(s.tenant[len(s.tenant)-1], "hash")
	case "@manifest", "@checkpoint":
		bundle := must.Get(seal.Parse(s.files["bundle.json"]))(s)
		if name == "@manifest" {
			return seal.Digest(seal.Member(bundle, "manifest"))
		}
		checkpoint := seal.Member(seal.Member(bundle, "checkpoint"), "statement")
		if of != "" {
			return checkpoint[of]
		}
		return seal.Digest(checkpoint)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return text
}

const lisbonJournal = "journals/mesh-lisbon-1.ndjson"

// damages are the steps that damage the evidence: a file, the tenant log, or Lisbon's journal.
var damages = map[string]func(s *stage, args []string){
	"delete": func(s *stage, args []string) { delete(s.files, args[0]) },
	"replace": func(s *stage, args []string) {
		s.files[args[0]] = bytes.Replace(s.files[args[0]], []byte(args[1]), []byte(args[2]), 1)
	},
	"remove": func(s *stage, args []string) { // lines, from one to another
		lines := bytes.SplitAfter(s.files[args[0]], []byte("\n"))
		first, last := must.Get(strconv.Atoi(args[1]))(s), must.Get(strconv.Atoi(args[2]))(s)
		s.files[args[0]] = bytes.Join(slices.Delete(lines, first-1, min(last, len(lines))), nil)
	},
	"copy": func(s *stage, args []string) { s.files[args[1]] = bytes.Clone(s.files[args[0]]) },
	"without": func(s *stage, args []string) {
		s.files["tenant.ndjson"] = journal(without(s.tenant, args[0]))
	},
	"rewrite": func(s *stage, args []string) { // from an event on another history, which the audit key signs
		s.files["tenant.ndjson"] = journal(resigned(theLog, s.tenant, s.Keys.Audit["audit-2026-1"], func(body seal.Object) {
			if body["type"] == args[0] {
				seal.Member(body, "data")["manifest_sha256"] = strings.Repeat("0", 64)
			}
		}))
	},
	"forge-manifest": func(s *stage, _ []string) { // in the issuance, which is not signed again
		s.files["tenant.ndjson"] = bytes.Replace(s.files["tenant.ndjson"], []byte(seal.SHA256(nil)),
			[]byte(seal.SHA256([]byte("forged"))), 1)
	},
	"foreign": func(s *stage, args []string) { // an event of a history that only its sequence fits
		at := must.Get(strconv.Atoi(args[0]))(s)
		events := s.lisbon.Journal()
		other := resigned(lisbonLog, events, s.lisbon.Key(), func(body seal.Object) {
			if seal.Integer(body, "sequence") == int64(at) {
				body["data"] = seal.Object{"rewritten": true}
			}
		})
		events[at-1] = other[at-1]
		s.files[lisbonJournal] = journal(events)
	},
	"unsign": func(s *stage, args []string) { // events of a type, whose signature is of another one
		events := s.lisbon.Journal()
		for i, e := range events {
			if seal.Text(seal.Member(e, "body"), "type") == args[0] {
				events[i] = seal.CloneObject(e)
				events[i]["signature"] = seal.Text(events[0], "signature")
			}
		}
		s.files[lisbonJournal] = journal(events)
	},
}

// TestScenarios plays scenarios and compares each crosscheck's result with the expected one.
func TestScenarios(t *testing.T) {
	for _, file := range []string{"scenarios.txtar", "records.txtar"} {
		all := readScenarios(t, file)
		for i, name := range slices.Sorted(maps.Keys(all)) {
			if testing.Short() && i%4 > 0 {
				continue
			}
			t.Run(name, func(t *testing.T) { all[name].check(t) })
		}
	}
}

func (c scenario) check(t *testing.T) {
	t.Helper()
	s := newStage(t)
	in := fill(t, s.play(c.steps))
	r := must.Get(Run(t.Context(), in, s.root(), Options{}))(t)
	standsForDocuments(t, in, s.root(), r)
	if got := spoken(r); walktest.VerdictOf(r.Findings) != c.verdict || !slices.Equal(got, c.findings) {
		t.Errorf("%s: %q, want %s: %q", walktest.VerdictOf(r.Findings), got, c.verdict, c.findings)
	}
	answers := map[Answer]int{}
	for _, st := range r.Statements {
		answers[st.Answer]++
	}
	for _, a := range []Answer{Denied, Missing, NotCovered, NoLog} {
		if want, fixed := c.answers[a]; answers[a] != want && (fixed || len(c.answers) < 2) {
			t.Errorf("%d statements are %s, want %d: %v", answers[a], a, want, r.Statements)
		}
	}
}
