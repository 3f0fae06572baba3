package read

// folders reads how packed data is decoded.
func (r *sevenReader) folders() (all []sevenFolderInfo) {
	if r.number() != sevenFolder {
		r.fail()
	}
	n := r.count()
	if r.octet() != 0 { // the rest would be in additional streams
		r.fail()
	}
	packed := 0
	for i := 0; i < n && !r.bad; i++ {
		f, streams := r.folder()
		f.packed = packed
		packed += streams
		all = append(all, f)
	}
	if r.number() != sevenUnpackSize {
		r.fail()
	}
	for i := range all {
		for k := range all[i].sizes {
			all[i].sizes[k] = r.size()
		}
	}
	for !r.bad {
		switch r.number() {
		case sevenEnd:
			return all
		case sevenSum:
			for i, sum := range r.sums(len(all)) {
				all[i].sum = sum
			}
		default:
			r.fail()
		}
	}
	return nil
}

// folder reads the coders of a folder, and how many pieces of data they decode.
func (r *sevenReader) folder() (f sevenFolderInfo, packed int) {
	ins, outs := 0, 0
	n := r.number()
	if n == 0 || n > maxCoders {
		r.fail()
	}
	for i := uint64(0); i < n && !r.bad; i++ {
		flags := r.octet()
		c := sevenCoder{id: string(r.take(uint64(flags & 15)))}
		in, out := uint64(1), uint64(1)
		if flags&0x10 != 0 {
			in, out = r.number(), r.number()
		}
		if flags&0x20 != 0 {
			c.properties = string(r.take(r.number()))
		}
		if flags&0x80 != 0 || in > maxCoders || out > maxCoders {
			r.fail()
		}
		ins, outs = ins+int(in), outs+int(out)
		f.coders = append(f.coders, c)
	}
	f.sizes = make([]int64, outs)
	f.simple = ins == len(f.coders) && outs == ins
	for i := range max(outs-1, 0) { // the output of each coder goes into the one before it
		in, out := r.number(), r.number()
		f.simple = f.simple && in == uint64(i) && out == uint64(i+1)
	}
	if packed = ins - outs + 1; packed < 1 {
		r.fail()
	}
	if packed > 1 {
		for range packed {
			r.number()
		}
	}
	return f, packed
}

// size is that of what a folder holds: the output of its first coder.
func (f *sevenFolderInfo) size() int64 {
	if len(f.sizes) == 0 {
		return 0
	}
	return f.sizes[0]
}

// substreams reads which files there are in each folder.
func (r *sevenReader) substreams(folders []sevenFolderInfo) {
	id := r.number()
	counts := make([]int, len(folders))
	total := 0
	for i := range counts {
		if counts[i] = 1; id == sevenCount {
			counts[i] = r.count()
		}
		if total += counts[i]; total > r.limit {
			r.fail()
			return
		}
	}
	if id == sevenCount {
		id = r.number()
	}
	unknown := 0
	for i := range folders {
		f := &folders[i]
		f.substreams(r, counts[i], id == sevenSize)
		if len(f.files) == 1 && f.sum != nil {
			f.files[0].sum = f.sum
		} else {
			unknown += len(f.files)
		}
	}
	if id == sevenSize {
		id = r.number()
	}
	for ; id != sevenEnd && !r.bad; id = r.number() {
		if id != sevenSum {
			r.fail()
			return
		}
		sums := r.sums(unknown)
		for i := range folders {
			for k := range folders[i].files {
				if f := &folders[i].files[k]; f.sum == nil && len(sums) > 0 {
					f.sum, sums = sums[0], sums[1:]
				}
			}
		}
	}
}

// substreams reads the sizes of the files in a folder. That of the last is what the
// others leave.
func (f *sevenFolderInfo) substreams(r *sevenReader, n int, sizes bool) {
	left := f.size()
	for i := 0; i < n && !r.bad; i++ {
		size := left
		if i < n-1 {
			if size = 0; sizes {
				size = r.size()
			}
		}
		if size > left {
			r.fail()
			return
		}
		left -= size
		f.files = append(f.files, sevenSubstream{size: size})
	}
}
