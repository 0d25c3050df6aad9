"""Each fault of a header has its own error; what the format forbids and the reference lets through is a notice."""

from __future__ import annotations

import pytest
from safetensors import SafetensorError, deserialize

from archcount.checkpoint import faults
from archcount.checkpoint.entries import NoticeKind
from archcount.checkpoint.header import header_length, parse_header

from .files import file_of

ONE = b'8\0\0\0\0\0\0\0{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}  0000'

FAULTS = [
    (b"", faults.FileTooShortError),
    (b"\x02\0\0\0\0\0\0", faults.FileTooShortError),
    (b"\x01\xe1\xf5\x05\0\0\0\0{}", faults.HeaderTooLargeError),
    (b"\xff\xff\xff\xff\xff\xff\xff\xff{}", faults.HeaderTooLargeError),
    (b"\0\xe1\xf5\x05\0\0\0\0{}", faults.HeaderTruncatedError),
    (b"\x03\0\0\0\0\0\0\0{}", faults.HeaderTruncatedError),
    (b"\0\0\0\0\0\0\0\0", faults.HeaderNotJsonError),
    (b'\x05\0\0\0\0\0\0\0{"\xff"}', faults.HeaderNotTextError),
    (b'\x06\0\0\0\0\0\0\0{"\xc0\x80"}', faults.HeaderNotTextError),
    (b"\x02\0\0\0\0\0\0\0[]", faults.HeaderNotJsonError),
    (b"\x03\0\0\0\0\0\0\0{},", faults.HeaderNotJsonError),
    (b"\x05\0\0\0\0\0\0\0\xef\xbb\xbf{}", faults.HeaderNotJsonError),
    (b'\x07\0\0\0\0\0\0\0{"a":1 ', faults.HeaderNotJsonError),
    (file_of('{"\\ud800":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', b"0"), faults.HeaderNotJsonError),
    (file_of('{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":NaN}}', b"0"), faults.HeaderNotJsonError),
    (file_of('{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1e999}}', b"0"), faults.HeaderNotJsonError),
    (
        file_of('{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":' + "[" * 126 + "]" * 126 + "}}", b"0"),
        faults.HeaderNotJsonError,
    ),
    (file_of('{"w":' + "[" * 100_000), faults.HeaderNotJsonError),
    (file_of('{"__metadata__":{"format":1}}'), faults.HeaderMetadataError),
    (file_of('{"__metadata__":[]}'), faults.HeaderMetadataError),
    (file_of('{"__metadata__":{},"__metadata__":{}}'), faults.HeaderMetadataError),
    (file_of('{"w":null}'), faults.TensorFieldError),
    (file_of('{"w":{"shape":[1],"data_offsets":[0,4]}}', b"0000"), faults.TensorFieldError),
    (file_of('{"w":{"dtype":4,"shape":[1],"data_offsets":[0,4]}}', b"0000"), faults.TensorFieldError),
    (file_of('{"w":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}', b"0000"), faults.TensorFieldError),
    (file_of('{"w":{"dtype":"F32","shape":[-1,-1],"data_offsets":[0,4]}}', b"0000"), faults.TensorFieldError),
    (file_of('{"w":{"dtype":"F32","shape":[-0],"data_offsets":[0,0]}}'), faults.TensorFieldError),
    (file_of('{"w":{"dtype":"F32","shape":[true],"data_offsets":[0,4]}}', b"0000"), faults.TensorFieldError),
    (
        file_of('{"w":{"dtype":"F32","shape":[18446744073709551616,0],"data_offsets":[0,0]}}'),
        faults.TensorFieldError,
    ),
    (file_of('{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}', b"0000"), faults.TensorFieldError),
    (file_of('{"w":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}', b"0000"), faults.TensorFieldError),
    (
        file_of('{"w":{"dtype":"U8","shape":[18446744073709551615,2,0],"data_offsets":[0,0]}}'),
        faults.SizeOverflowError,
    ),
    (
        file_of('{"w":{"dtype":"U8","shape":[2305843009213693952],"data_offsets":[0,2305843009213693952]}}'),
        faults.SizeOverflowError,
    ),
    (file_of('{"w":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}', b"00"), faults.PartialByteError),
    (file_of('{"w":{"dtype":"F6_E2M3","shape":[5],"data_offsets":[0,4]}}', b"0000"), faults.PartialByteError),
    (file_of('{"w":{"dtype":"F4","shape":[],"data_offsets":[0,1]}}', b"0"), faults.PartialByteError),
    (file_of('{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}', b"0" * 8), faults.ByteLengthError),
    (file_of('{"w":{"dtype":"F6_E3M2","shape":[4],"data_offsets":[0,4]}}', b"0" * 4), faults.ByteLengthError),
    (file_of('{"w":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}', b"0000"), faults.OffsetsReversedError),
    (file_of('{"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', b"0" * 8), faults.OffsetsHoleError),
    (
        file_of(
            '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
            '"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}}',
            b"0" * 6,
        ),
        faults.OffsetsOverlapError,
    ),
    (ONE[:-1], faults.FileLengthError),
    (ONE + b"0", faults.FileLengthError),
    (file_of("{}", b"0"), faults.FileLengthError),
    (b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n", faults.WrongFormatError),
    (b"PK\x03\x04\0\0\x08\x08\0\0archive/data.pkl", faults.WrongFormatError),
    (b"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0", faults.WrongFormatError),
    (b"<!DOCTYPE html><html><body>404</body></html>", faults.WrongFormatError),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", faults.WrongFormatError),
    (b'{"architectures": ["LlamaForCausalLM"]}', faults.WrongFormatError),
]


@pytest.mark.parametrize(("raw", "fault"), FAULTS, ids=[f"{at}-{kind.__name__}" for at, (_, kind) in enumerate(FAULTS)])
def test_one_error_a_fault_and_the_reference_refuses_too(raw: bytes, fault: type[faults.HeaderError]) -> None:
    with pytest.raises(faults.HeaderError) as caught:
        parse_header(raw, len(raw), "model.safetensors")
    assert type(caught.value) is fault
    assert str(caught.value).startswith("model.safetensors: ")
    assert "\n" not in str(caught.value)
    with pytest.raises(SafetensorError):
        deserialize(raw)


def test_every_fault_of_a_header_has_its_bytes_here() -> None:
    drawn = {kind for kind in vars(faults).values() if isinstance(kind, type) and issubclass(kind, faults.HeaderError)}
    assert {fault for _, fault in FAULTS} == drawn - {faults.HeaderError}


ODDITIES = [
    (b"\x03\0\0\0\0\0\0\0 {}", NoticeKind.LEADING_SPACE),
    (
        file_of(
            '{"w":{"dtype":"F32","shape":[9],"data_offsets":[7,4]},'
            '"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
            b"0000",
        ),
        NoticeKind.DUPLICATE_KEY,
    ),
]


@pytest.mark.parametrize(("raw", "kind"), ODDITIES)
def test_what_the_reference_lets_through_is_a_notice(raw: bytes, kind: NoticeKind) -> None:
    header = parse_header(raw, len(raw), "model.safetensors")
    assert [notice.kind for notice in header.notices] == [kind]
    assert {name: list(entry.shape) for name, entry in header.entries.items()} == {
        name: view["shape"] for name, view in deserialize(raw)
    }


ALLOWED = [
    "{}",
    '{"__metadata__":null}',
    '{"__metadata__":{"a":"b","a":"c"}}',
    '{"__metadata__":{"a":"{\\"b\\": 1}"}}',
    '{"__met\\u0061data__":{"a":"b"}}',
    '{"w":{"dtype":"F32","shape":[0,18446744073709551615,2],"data_offsets":[0,0]}}',
    '{"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"x":[{"y":"\\ud83d\\ude00"},0e999]}}',
    '{"w":["F32",[0],[0,0]]}',
    '{"w":{"dtype":{"F32":null},"shape":[0],"data_offsets":[0,0]}}',
    '{"block-0:a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}',
    '\n\t{ "w" : { "shape" : [ 0 ] , "dtype" : "F32" , "data_offsets" : [ 0 , 0 ] } } \r\n',
]


@pytest.mark.parametrize("text", ALLOWED)
def test_what_the_reference_reads_is_read_alike(text: str) -> None:
    raw = file_of(text)
    header = parse_header(raw, len(raw), "model.safetensors")
    expected = {name: (view["dtype"], tuple(view["shape"])) for name, view in deserialize(raw)}
    assert {name: (entry.dtype, entry.shape) for name, entry in header.entries.items()} == expected


def test_an_unknown_dtype_counts_with_a_notice_and_a_width_from_its_offsets() -> None:
    raw = file_of(
        '{"w":{"dtype":"F3","shape":[8],"data_offsets":[0,3]},"x":{"dtype":"Q","shape":[3],"data_offsets":[3,5]}}',
        b"00000",
    )
    header = parse_header(raw, len(raw), "model.safetensors")
    assert {name: (entry.elements, entry.bits) for name, entry in header.entries.items()} == {
        "w": (8, 3),
        "x": (3, None),
    }
    assert [(notice.kind, notice.subject) for notice in header.notices] == [
        (NoticeKind.UNKNOWN_DTYPE, "F3"),
        (NoticeKind.UNKNOWN_DTYPE, "Q"),
    ]
    assert [notice.message for notice in header.notices] == [
        "model.safetensors: dtype 'F3', unknown to the format, on 1 of its tensors: 3 bits by the offsets",
        "model.safetensors: dtype 'Q', unknown to the format, on 1 of its tensors: no whole bits by the offsets",
    ]


def test_sub_byte_tensors_are_measured_in_bits() -> None:
    raw = file_of(
        '{"a":{"dtype":"F4","shape":[3,2],"data_offsets":[0,3]},"b":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[3,6]},'
        '"c":{"dtype":"F8_E8M0","shape":[2],"data_offsets":[6,8]}}',
        b"0" * 8,
    )
    header = parse_header(raw, len(raw), "model.safetensors")
    assert [(entry.elements, entry.bytes, entry.bits) for entry in header.entries.values()] == [
        (6, 3, 4),
        (4, 3, 6),
        (2, 2, 8),
    ]
    assert len(deserialize(raw)) == 3


def test_entries_stand_in_the_order_of_their_bytes() -> None:
    raw = file_of(
        '{"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        b"00",
    )
    assert list(parse_header(raw, len(raw), "f").entries) == ["a", "b"]


def test_the_metadata_is_kept() -> None:
    raw = file_of('{"__metadata__":{"format":"pt","total_parameters":"7"}}')
    header = parse_header(raw, len(raw), "f")
    assert header.metadata == {"format": "pt", "total_parameters": "7"}
    assert header.length == 55


def test_a_file_of_unknown_size_is_read_with_a_notice() -> None:
    header = parse_header(ONE, None, "f")
    assert [notice.kind for notice in header.notices] == [NoticeKind.UNKNOWN_SIZE]


def test_a_length_that_begins_like_a_zip_is_no_zip_where_the_header_is_sound() -> None:
    length = int.from_bytes(b"PK\x03\x04", "little")  # 67,324,752: within the limit
    raw = (length.to_bytes(8, "little") + b"{}").ljust(8 + length)
    assert dict(parse_header(raw, len(raw), "f").entries) == {}
    with pytest.raises(faults.WrongFormatError):
        header_length(raw[:8] + b"\x14\0", len(raw), "f")
