"""What can be wrong with a weight file, one class a fault.

CheckpointError
├── HeaderError                 a file that the safetensors format forbids
│   ├── FileTooShortError       fewer than the eight bytes of the header's length
│   ├── HeaderTooLargeError     a header of more than 100,000,000 bytes
│   ├── HeaderTruncatedError    the header runs past the end of the file
│   ├── HeaderNotTextError      the header is not UTF-8
│   ├── HeaderNotJsonError      the header is not a JSON object
│   ├── HeaderMetadataError     __metadata__ is not strings by name
│   ├── TensorFieldError        a tensor without dtype, shape or data_offsets, or with one of the wrong type
│   ├── SizeOverflowError       a shape whose size does not fit in 64 bits
│   ├── PartialByteError        a shape of sub-byte elements that does not fill whole bytes
│   ├── ByteLengthError         shape × width is not the length between the offsets
│   ├── OffsetsReversedError    a tensor that ends before it begins
│   ├── OffsetsHoleError        bytes that belong to no tensor
│   ├── OffsetsOverlapError     bytes that belong to two tensors
│   ├── FileLengthError         the last tensor does not end where the file ends
│   └── WrongFormatError        a pickle, zip, GGUF, HTML page … under a safetensors name
├── IndexFileError              an index that does not map names to files
├── NoWeightsError              nothing there that can be read
├── AmbiguousWeightsError       several sets of weights, and no rule that prefers one
├── GgufError                   a GGUF file that cannot be read
└── MissingExtraError           a package that only this format needs is not installed
"""

from __future__ import annotations

from ..errors import CheckpointError


class HeaderError(CheckpointError):
    """A file that the safetensors format forbids."""


class FileTooShortError(HeaderError):
    """Fewer than the eight bytes that hold the header's length."""


class HeaderTooLargeError(HeaderError):
    """A header of more than 100,000,000 bytes."""


class HeaderTruncatedError(HeaderError):
    """A header that runs past the end of the file."""


class HeaderNotTextError(HeaderError):
    """A header that is not UTF-8."""


class HeaderNotJsonError(HeaderError):
    """A header that is not a JSON object."""


class HeaderMetadataError(HeaderError):
    """A `__metadata__` that is not strings by name, or stands there twice."""


class TensorFieldError(HeaderError):
    """A tensor without dtype, shape or data_offsets, or with one of the wrong type."""


class SizeOverflowError(HeaderError):
    """A shape whose size does not fit in 64 bits."""


class PartialByteError(HeaderError):
    """A shape of sub-byte elements that does not fill whole bytes."""


class ByteLengthError(HeaderError):
    """Shape × width is not the length between the offsets."""


class OffsetsReversedError(HeaderError):
    """A tensor that ends before it begins."""


class OffsetsHoleError(HeaderError):
    """Bytes that belong to no tensor."""


class OffsetsOverlapError(HeaderError):
    """Bytes that belong to two tensors."""


class FileLengthError(HeaderError):
    """The last tensor does not end where the file ends."""


class WrongFormatError(HeaderError):
    """Another format under a safetensors name."""


class IndexFileError(CheckpointError):
    """An index that does not map tensor names to files."""


class NoWeightsError(CheckpointError):
    """No weights that can be read."""


class AmbiguousWeightsError(CheckpointError):
    """Several sets of weights, and no rule that prefers one."""


class GgufError(CheckpointError):
    """A GGUF file that cannot be read."""


class MissingExtraError(CheckpointError):
    """A package that only this format needs is not installed."""
