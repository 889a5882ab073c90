package verify

// order checks the order of the matched outputs, partition by partition.
//
// The order per partition is the stronger statement: within an output partition
// the records from one input partition stand as they stood there. Where it holds
// the order of each key within the partition holds too, so keys are looked at
// one by one only where it does not.
func (m *matcher) order(partitions, keys *finding) {
	homes := newHomes(m)
	for number := range m.out.logs {
		broken := false
		last := make([]uint32, len(m.in.logs)) // by input partition: the furthest input so far + 1
		m.eachMatched(number, func(output, input uint32, _ uint64) {
			from := m.in.logOf(input)
			partitions.check.Checked++
			if input+1 > last[from] {
				last[from] = input + 1
				return
			}
			broken = true
			partitions.add(func() Violation {
				return Violation{
					Output: m.out.at(output), Input: m.in.at(input), Other: m.in.at(last[from] - 1),
					Detail: "comes after the output of a later record of its input partition",
				}
			})
		})
		lastOfKey := make(map[[2]uint64]uint32)
		m.eachMatched(number, func(output, input uint32, key uint64) {
			if key == 0 {
				return
			}
			keys.check.Checked++
			from := m.in.logOf(input)
			if broken {
				of := [2]uint64{key, uint64(from)}
				if input+1 <= lastOfKey[of] {
					other := lastOfKey[of] - 1
					keys.add(func() Violation {
						return Violation{
							Output: m.out.at(output), Input: m.in.at(input), Other: m.in.at(other),
							Detail: "comes after the output of a later record of its key",
						}
					})
				} else {
					lastOfKey[of] = input + 1
				}
			}
			if home := homes.of(output); home != output && m.out.logOf(home) != int32(number) {
				keys.add(func() Violation {
					return Violation{
						Output: m.out.at(output), Input: m.in.at(input), Other: m.out.at(home),
						Detail: "records of its key from one input partition are in two output partitions, which have no common order",
					}
				})
			}
		})
	}
}

// eachMatched calls fn for the outputs of one partition whose order can be judged.
func (m *matcher) eachMatched(log int, fn func(output, input uint32, key uint64)) {
	for n, c := range m.out.logs[log].chunks {
		for i := range c.n {
			output := uint32((m.out.first[log]+n)<<chunkShift | i)
			input := m.match[output]
			if input == none || !m.judged(input-1) {
				continue
			}
			fn(output, input-1, c.key[i])
		}
	}
}

// homes remembers the first output of each (key, input partition, output topic).
// It is an open-addressing table of row numbers, which looks the rest up in the
// columns: a Go map of five million keys would take several times the memory.
type homes struct {
	m     *matcher
	slots []uint64 // 32 bits of hash, to compare and to grow by, above output row + 1
	n     int
}

func newHomes(m *matcher) *homes { return &homes{m: m, slots: make([]uint64, 1<<12)} }

// of returns the first output row with the key, input partition and topic of row:
// row itself, if there was none.
func (h *homes) of(row uint32) uint32 {
	if h.n > len(h.slots)*3/4 {
		old := h.slots
		h.slots = make([]uint64, 2*len(old))
		mask := uint64(len(h.slots) - 1)
		for _, home := range old {
			if home == 0 {
				continue
			}
			at := home >> 32 & mask
			for h.slots[at] != 0 {
				at = (at + 1) & mask
			}
			h.slots[at] = home
		}
	}
	key, from, topic := h.identity(row)
	tag := (key + uint64(uint32(from))*secondSeed) & (1<<32 - 1)
	mask := uint64(len(h.slots) - 1)
	for at := tag & mask; ; at = (at + 1) & mask {
		home := h.slots[at]
		if home == 0 {
			h.slots[at] = tag<<32 | uint64(row+1)
			h.n++
			return row
		}
		if home>>32 != tag {
			continue
		}
		first := uint32(home) - 1
		if k, f, t := h.identity(first); k == key && f == from && t == topic {
			return first
		}
	}
}

func (h *homes) identity(row uint32) (key uint64, from int32, topic string) {
	c, i := h.m.out.get(row)
	return c.key[i], h.m.in.logOf(h.m.match[row] - 1), c.log.topic
}
