package explain

import "github.com/svc-edge/svc-verify/finding"

// The groups of topics about seals.
const (
	groupSeals     = "findings about seals of archives"
	groupSealTrust = "faults of a file of --seal-trust"
	groupHistories = "findings about the history of a trust file"
)

// ofSeals returns the topics about seals.
func ofSeals() (all []Topic) {
	for _, e := range finding.OfSeals() {
		all = append(all, Topic{Entry: e, Group: groupSeals, says: e.Text()})
	}
	for _, e := range finding.OfSealTrust() {
		all = append(all, Topic{Entry: e, Group: groupSealTrust, says: e.Text()})
	}
	for _, e := range finding.OfHistories() {
		all = append(all, Topic{Entry: e, Group: groupHistories, says: e.Text()})
	}
	return all
}
