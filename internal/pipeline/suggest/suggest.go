// Package suggest finds what someone may have meant: the nearest of some names.
// It owns nothing else and imports the standard library only.
package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns the candidate that differs least from name, if it is near
// enough to be a slip of the hand. Of equally near ones it returns the first in
// alphabetical order.
func Nearest(name string, candidates []string) (string, bool) {
	limit := 1 + len(name)/4
	best, found := limit+1, ""
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if c == name {
			continue
		}
		if strings.EqualFold(c, name) {
			return c, true
		}
		if d := distance(name, c); d < best {
			best, found = d, c
		}
	}
	return found, found != "" && best < len(name)
}

// Hint returns a question with the nearest candidate, or "".
func Hint(name string, candidates []string) string {
	if c, ok := Nearest(name, candidates); ok {
		return fmt.Sprintf("did you mean %q?", c)
	}
	return ""
}

// distance is the number of insertions, deletions, substitutions and swaps of
// neighbours that lead from a to b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	prev2, prev, cur := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(y)]
}
