package partview

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/svc-edge/svc-verify/forensics/evidence"
	"github.com/svc-edge/svc-verify/forensics/facts"
	"github.com/svc-edge/svc-verify/forensics/part"
)

// sources is the sources of the shares of a content.
type sources struct {
	shares     []placed // by share
	all        []facts.Source
	paths      []evidence.GivenPath
	containers []container // by number, from 1
	boxes      map[boxName]int64
}

// placed is where the records of a share stand in its source.
type placed struct {
	source     int64
	record     int64   // the number of its first record in the source
	containers []int64 // the numbers of its containers
}

// container is a source, or a file in its archives.
type container struct {
	source int64
	part.Container
}

// boxName names a container. The path is that in the archives of the source.
type boxName struct {
	source int64
	path   string
}

// sourcesOf numbers the sources of the shares. Shares ascend by source and range.
func sourcesOf(shares []part.Share) *sources {
	s := &sources{boxes: map[boxName]int64{}}
	for first := 0; first < len(shares); {
		end := first + 1
		for end < len(shares) && shares[end].Source == shares[first].Source {
			end++
		}
		s.addSource(shares[first:end])
		first = end
	}
	slices.SortStableFunc(s.paths, func(a, b evidence.GivenPath) int {
		return cmp.Or(strings.Compare(a.Absolute, b.Absolute), cmp.Compare(a.Source, b.Source),
			strings.Compare(a.Path, b.Path))
	})
	return s
}

// addSource adds the shares of the next source.
func (s *sources) addSource(shares []part.Share) {
	source := facts.Source{Number: int64(len(s.all)) + 1, SHA256: shares[0].Source, Complete: true}
	records := int64(0)
	for i := range shares {
		one := &shares[i]
		p := placed{source: source.Number, record: records}
		for _, c := range one.Containers {
			p.containers = append(p.containers, s.container(source.Number, c))
		}
		s.shares = append(s.shares, p)
		records += one.Records
		source.Complete = source.Complete && one.Complete && one.Range.From == source.Size
		source.Size += one.Range.To - one.Range.From
		source.Events += one.Events
		source.Skipped += one.Skipped
		source.Records += one.Events + one.Documents + one.Skipped
	}
	source.Complete = source.Complete && source.Size == shares[0].Size
	s.givenAt(&source, shares)
	if number, ok := s.boxes[boxName{source.Number, ""}]; ok {
		source.Format = s.containers[number-1].Format
	}
	s.all = append(s.all, source)
}

// givenAt adds the paths of shares of a source: of equal paths one.
func (s *sources) givenAt(source *facts.Source, shares []part.Share) {
	var own []evidence.GivenPath
	for i := range shares {
		for _, p := range shares[i].Paths {
			own = append(own, evidence.GivenPath{Source: source.Number, Path: p.Given, Absolute: p.Absolute})
		}
	}
	slices.SortFunc(own, func(a, b evidence.GivenPath) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Absolute, b.Absolute))
	})
	own = slices.CompactFunc(own, func(a, b evidence.GivenPath) bool { return a.Path == b.Path })
	for _, p := range own {
		source.Paths = append(source.Paths, p.Path)
	}
	s.paths = append(s.paths, own...)
}

// container returns the number of a container. One that several shares have lists
// their formats in the order of the ranges.
func (s *sources) container(source int64, c part.Container) int64 {
	name := boxName{source, c.Path}
	number, known := s.boxes[name]
	if !known {
		number = int64(len(s.containers)) + 1
		s.boxes[name] = number
		s.containers = append(s.containers, container{source, c})
		return number
	}
	s.containers[number-1].Follow(c)
	return number
}

// placeOf returns the place of a record of a share.
func (s *sources) placeOf(p part.Place) facts.Place {
	in := &s.shares[p.Share]
	return facts.Place{Source: in.source, Container: s.containers[in.containers[p.Container]-1].Path,
		Offset: p.Offset, Length: p.Length, Record: in.record + p.Record}
}

// containerOf returns the number of the container of a record.
func (s *sources) containerOf(p part.Place) int64 { return s.shares[p.Share].containers[p.Container] }

// comparePlaces orders places as a case does: by source, container and record.
func comparePlaces(a, b facts.Place) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), strings.Compare(a.Container, b.Container),
		cmp.Compare(a.Record, b.Record), cmp.Compare(a.Offset, b.Offset))
}

// digestOrder orders digests as bytes.
func digestOrder(a, b [part.DigestSize]byte) int { return bytes.Compare(a[:], b[:]) }
