package verify

import "math"

// class says what may become of an input record. The order is the order in which
// equal inputs take outputs: those that need one first.
type class uint8

const (
	classRequired class = iota // must be in the output
	classOptional              // may be in the output by now
	classFuture                // at or above the group's committed offset
	classAborted               // aborted, or not decided
	classes                    // the number of classes that take outputs
	classNone                  // takes no part
)

const (
	none      = uint32(0)              // no row; rows are stored as number + 1
	exhausted = uint32(math.MaxUint32) // all equal inputs have their output
	exceeded  = exhausted - 1          // more outputs than inputs
)

// classOf returns the class of row i of c, an input.
func classOf(c *chunk, i int, view Isolation) class {
	f := c.flags[i]
	switch {
	case f&(filtered|unknown) != 0:
		return classNone
	case view == ReadCommitted && f&shown == 0:
		// Hidden by the broker's list although committed: no consumer sees it.
		return classAborted
	}
	switch offset := c.base + int64(c.offset[i]); {
	case offset < c.log.required:
		return classRequired
	case offset < c.log.allowed:
		return classOptional
	default:
		return classFuture
	}
}

// visible reports whether row i of c is seen at the isolation level view.
func visible(c *chunk, i int, view Isolation) bool {
	return view == ReadUncommitted || c.flags[i]&shown != 0
}

// matcher pairs outputs with inputs by identity. Inputs with equal identity form
// a chain, by class and then by position; outputs take them from the front.
type matcher struct {
	in, out    *table
	view       Isolation // of the inputs
	slots      []uint32  // open addressing: first row of a chain + 1
	next       []uint32  // input row → next row of its chain + 1
	cursor     []uint32  // first row of a chain → row to take next + 1, or exhausted, exceeded
	by         []uint32  // input row → output row that took it + 1
	match      []uint32  // output row → input row that it took + 1
	indistinct []uint64  // bit set of input rows whose order cannot be judged
}

func newMatcher(in, out *table, view Isolation) *matcher {
	m := &matcher{
		in: in, out: out, view: view,
		next: make([]uint32, in.size()), cursor: make([]uint32, in.size()), by: make([]uint32, in.size()),
		match: make([]uint32, out.size()), indistinct: make([]uint64, (in.size()+63)/64),
	}
	rows := 0
	for _, log := range in.logs {
		rows += log.rows
	}
	size := 16
	for size < rows+rows/2 {
		size *= 2
	}
	m.slots = make([]uint32, size)
	// Inserting at the front, from the last class and row to the first, leaves
	// each chain in the order wanted.
	for k := classes - 1; ; k-- {
		for n := len(in.chunks) - 1; n >= 0; n-- {
			c := in.chunks[n]
			for i := c.n - 1; i >= 0; i-- {
				if classOf(c, i, view) == k {
					m.insert(uint32(n<<chunkShift | i))
				}
			}
		}
		if k == classRequired {
			return m
		}
	}
}

// slot returns where the chain of id is, or would be.
func (m *matcher) slot(id [2]uint64) *uint32 {
	mask := uint64(len(m.slots) - 1)
	for at := id[0] & mask; ; at = (at + 1) & mask {
		row := m.slots[at]
		if row == none {
			return &m.slots[at]
		}
		if c, i := m.in.get(row - 1); c.id[i] == id {
			return &m.slots[at]
		}
	}
}

func (m *matcher) insert(row uint32) {
	c, i := m.in.get(row)
	slot := m.slot(c.id[i])
	m.next[row] = *slot
	*slot = row + 1
}

// take gives the output row the next input with its identity. head is none if
// there is no such identity, and input is none if all of them are taken.
func (m *matcher) take(id [2]uint64, output uint32) (head, input uint32) {
	head = *m.slot(id)
	if head == none {
		return none, none
	}
	cursor := &m.cursor[head-1]
	switch *cursor {
	case exhausted, exceeded:
		*cursor = exceeded
		return head, none
	case none:
		input = head
	default:
		input = *cursor
	}
	*cursor = m.next[input-1]
	if *cursor == none {
		*cursor = exhausted
	}
	m.by[input-1], m.match[output] = output+1, input
	return head, input
}

// settle finds the inputs whose order cannot be judged. Of equal records it is
// known which output is whose only if all came from one partition, went to one,
// and none is lost or doubled: then the first is the first. Aborted twins, which
// a producer leaves when it tries again, do not matter unless they have outputs.
func (m *matcher) settle() (unjudged int64) {
	for _, head := range m.slots {
		if head == none || m.next[head-1] == none {
			continue
		}
		distinct := m.cursor[head-1] != exceeded
		from, to := m.in.logOf(head-1), int32(-1)
		for row := head; row != none && distinct; row = m.next[row-1] {
			output := m.by[row-1]
			switch c, i := m.in.get(row - 1); classOf(c, i, m.view) {
			case classRequired:
				distinct = output != none && m.in.logOf(row-1) == from
			case classOptional:
				distinct = m.in.logOf(row-1) == from
			default:
				distinct = output == none
			}
			if output != none {
				if to < 0 {
					to = m.out.logOf(output - 1)
				}
				distinct = distinct && m.out.logOf(output-1) == to
			}
		}
		if distinct {
			continue
		}
		for row := head; row != none; row = m.next[row-1] {
			m.indistinct[(row-1)/64] |= 1 << ((row - 1) % 64)
			if m.by[row-1] != none {
				unjudged++
			}
		}
	}
	return unjudged
}

// judged reports whether the order of an input can be judged.
func (m *matcher) judged(row uint32) bool { return m.indistinct[row/64]&(1<<(row%64)) == 0 }
