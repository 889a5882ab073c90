package registry

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/eosproc/eosproc/codec"
)

var (
	// ErrWireFormat is wrapped by the error for a record that does not begin with
	// the registry's header, such as one written by a plain JSON producer.
	ErrWireFormat = errors.New("not in the schema registry's wire format")

	// ErrUnknownSchema is wrapped by the error for a schema id, subject or version
	// that the registry answered it does not have.
	ErrUnknownSchema = errors.New("unknown to the schema registry")

	// ErrSchema is wrapped by the error for a schema that exists and cannot be
	// used: of another kind, not parsable, incompatible with the reader's, or
	// refused by the registry.
	ErrSchema = errors.New("unusable schema")

	// ErrDecodeOnly is returned by Append of a codec made with [DecodeOnly].
	ErrDecodeOnly = errors.New("codec was made to decode only")

	// ErrValue is wrapped by Append's error for a value that does not fit the
	// schema. Its text names fields and kinds, never content.
	ErrValue = errors.New("value does not fit the schema")
)

// registryError tells an answer of the registry from its absence. Only the
// registry's own error codes count as an answer: a 404 of a proxy in front of it,
// or of a mistyped URL, must not condemn records.
func registryError(err error) error {
	var re *sr.ResponseError
	if errors.As(err, &re) {
		switch code := re.ErrorCode; {
		case sr.IsNotFoundError(code):
			return fmt.Errorf("%w: %w", ErrUnknownSchema, err)
		case sr.IsInvalidRequestError(code), code == sr.ErrIncompatibleSchema.Code:
			return fmt.Errorf("%w: %w", ErrSchema, err)
		}
	}
	return fmt.Errorf("schema registry %w: %w", codec.ErrUnavailable, err)
}

// permanent reports whether asking again must give the same error.
func permanent(err error) bool { return errors.Is(err, ErrSchema) && !isUnavailable(err) }

func isUnavailable(err error) bool { return errors.Is(err, codec.ErrUnavailable) }

// isNil reports whether v is the nil that stands for a null in typed code, itself
// or within an interface.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return r.IsNil()
	default:
		return false
	}
}

// recordError is a body that its schema does not describe.
func recordError(format string, offset int, found string, cause error) error {
	return &codec.DecodeError{Format: format, Offset: int64(offset), Found: found, Cause: cause}
}
