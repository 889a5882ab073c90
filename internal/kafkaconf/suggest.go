package kafkaconf

import "strings"

// Suggest returns the member of known that key was most likely meant to be, or
// "" when none is near enough to be worth showing. The distance counts inserted,
// removed, replaced and swapped characters, without regard to case; equal
// distances go to the earlier member.
func Suggest(key string, known []string) string {
	// A third of the key may be wrong: beyond that, suggestions read as noise.
	best, bestDistance := "", max(1, len(key)/3)+1
	lowered := strings.ToLower(key)
	for _, candidate := range known {
		if abs(len(candidate)-len(key)) >= bestDistance {
			continue
		}
		if d := editDistance(lowered, strings.ToLower(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// editDistance is the optimal string alignment distance of a and b in bytes.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
