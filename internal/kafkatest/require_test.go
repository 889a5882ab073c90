package kafkatest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRequired(t *testing.T) {
	for list, want := range map[string]bool{
		"": false, "postgres": false, "kafkaesque": false,
		"kafka": true, "all": true, "postgres,kafka": true, "postgres, kafka": true,
	} {
		assert.Equal(t, want, required(list), "EOSPROC_REQUIRE=%q", list)
	}
}
