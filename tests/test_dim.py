"""A size's formula, read and worked out by someone who knows only the config's numbers, gives the size."""

import ast
import operator
import pickle
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from archcount.dim import Dim, arithmetic, atoms, ceil_div, exact_div, formula, round_up, truncated
from archcount.errors import ConfigValueError

NUMBERS = {"hidden_size": 4096, "heads": 32, "kv_heads": 8, "layers": 3, "one": 1, "factor": 1.3}
KEYS = {name: Dim(value, name) for name, value in NUMBERS.items() if isinstance(value, int)}
SIGNS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def worked_out(text: str) -> float:
    """The value of a formula: `÷` rounds down, the last `÷` inside `⌈⌉` rounds up, `int()` truncates."""
    source = text.replace("×", "*").replace("÷", "//").replace("⌈", "up(").replace("⌉", ")").replace(",", "")
    return _value(ast.parse(source, mode="eval").body)


def _value(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return NUMBERS[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=sign, right=right):
            return SIGNS[type(sign)](_value(left), _value(right))
        case ast.Call(func=ast.Name(id="up"), args=[ast.BinOp(left=left, op=ast.FloorDiv(), right=right)]):
            return -(-_value(left) // _value(right))
        case ast.Call(func=ast.Name(id="int"), args=[inside]):
            return int(_value(inside))
    raise AssertionError(ast.dump(node))


def divided(left: int, right: int) -> int:
    assume(right > 0)
    return left // right


def divided_up(left: int, right: int) -> int:
    assume(right > 0)
    return ceil_div(left, right)


def divided_exactly(left: int, right: int) -> int:
    assume(right > 0 and left % right == 0)
    return exact_div(left, right)


def rounded_up(left: int, right: int) -> int:
    assume(right > 0)
    return round_up(left, right)


def widened(left: int, right: int) -> int:
    return truncated(1.3, left, "factor") + right


OPERATIONS = [operator.add, operator.sub, operator.mul, divided, divided_up, divided_exactly, rounded_up, widened]


def combined(parts: st.SearchStrategy[int]) -> st.SearchStrategy[int]:
    return st.builds(lambda operation, left, right: operation(left, right), st.sampled_from(OPERATIONS), parts, parts)


SIZES = st.recursive(st.one_of(st.sampled_from(list(KEYS.values())), st.integers(0, 9)), combined, max_leaves=8)


@given(SIZES)
def test_a_formula_evaluates_to_its_number(size: int) -> None:
    assert worked_out(formula(size)) == size


@given(SIZES)
def test_the_arithmetic_evaluates_to_the_same_number(size: int) -> None:
    assert worked_out(arithmetic(size)) == size


@given(SIZES)
def test_a_size_is_made_of_keys_with_the_numbers_of_the_config(size: int) -> None:
    assert all(NUMBERS[key] == value for key, value in atoms(size).items())


HIDDEN, HEADS, KV = KEYS["hidden_size"], KEYS["heads"], KEYS["kv_heads"]


@pytest.mark.parametrize(
    ("size", "words", "numbers", "value"),
    [
        (HIDDEN, "hidden_size", "4,096", 4096),
        (4 * HIDDEN, "4 × hidden_size", "4 × 4,096", 16384),
        (HIDDEN // HEADS, "hidden_size ÷ heads", "4,096 ÷ 32", 128),
        (KV * (HIDDEN // HEADS), "kv_heads × (hidden_size ÷ heads)", "8 × (4,096 ÷ 32)", 1024),
        ((HEADS + 2 * KV) * 128, "(heads + 2 × kv_heads) × 128", "(32 + 2 × 8) × 128", 6144),
        (HIDDEN - (HEADS - KV), "hidden_size - (heads - kv_heads)", "4,096 - (32 - 8)", 4072),
        (ceil_div(HIDDEN, 100), "⌈hidden_size ÷ 100⌉", "⌈4,096 ÷ 100⌉", 41),
        (round_up(HIDDEN, 100), "⌈hidden_size ÷ 100⌉ × 100", "⌈4,096 ÷ 100⌉ × 100", 4100),
        (truncated(1.3, HIDDEN + 1, "factor"), "int(factor × (hidden_size + 1))", "int(1.3 × (4,096 + 1))", 5326),
    ],
)
def test_a_formula_reads_as_one_would_write_it(size: int, words: str, numbers: str, value: int) -> None:
    assert (formula(size), arithmetic(size), size) == (words, numbers, value)


def test_one_and_nothing_leave_no_trace() -> None:
    assert formula(1 * HIDDEN) == formula(HIDDEN * 1) == formula(HIDDEN // 1) == "hidden_size"
    assert formula(0 + HIDDEN) == formula(HIDDEN + 0) == formula(HIDDEN - 0) == "hidden_size"
    assert formula(HIDDEN * KEYS["one"]) == "hidden_size × one"


def test_a_size_that_is_a_multiple_already_is_not_rounded() -> None:
    assert round_up(HIDDEN, 1024) is HIDDEN


def test_any_other_operation_gives_a_plain_number() -> None:
    assert type(HIDDEN**2) is int
    assert type(-HIDDEN) is int
    assert formula(max(HIDDEN, HEADS)) == "hidden_size"


def test_a_remainder_is_refused_in_the_words_of_the_config() -> None:
    with pytest.raises(ConfigValueError, match=r"^hidden_size \(4096\) does not divide by layers \(3\)$"):
        exact_div(HIDDEN, KEYS["layers"])


def test_a_list_times_a_size_is_a_list() -> None:
    assert ["layer"] * KEYS["layers"] == ["layer", "layer", "layer"]


def test_a_size_survives_pickling_with_its_formula() -> None:
    size = truncated(1.3, 2 * HIDDEN, "factor")
    again = pickle.loads(pickle.dumps(size))
    assert (again, formula(again)) == (10649, "int(factor × 2 × hidden_size)")
