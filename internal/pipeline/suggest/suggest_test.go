package suggest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := []string{"filter", "flat_map", "from", "map", "merge", "to"}
	for name, want := range map[string]string{
		"fliter": "filter", "Filter": "filter", "filters": "filter", "flatmap": "flat_map", "form": "from", "mpa": "map", "ot": "to",
		"aggregate": "", "x": "", "": "", "größe": "",
	} {
		got, ok := Nearest(name, names)
		require.Equal(t, want, got, name)
		require.Equal(t, want != "", ok, name)
	}
	require.Equal(t, `did you mean "größe"?`, Hint("große", []string{"größe"}))
	require.Empty(t, Hint("x", nil))
}
