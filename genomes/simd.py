"""Vectors of sixteen numbers for compiled code, as plain LLVM instructions.

LLVM leaves short loops scalar, and networks here are ten to fifty units wide. With explicit vectors
a layer is a handful of instructions on any processor (a narrower one splits them). Every operation
rounds by itself, nothing is fused or reordered, so the same network gives the same bits on every
machine, and the exported bot can repeat them.

Functions decorated with ``@instruction`` run at compile time: their arguments are types, and
*generate* emits the LLVM code for values.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from evolve_arena.core.compiled import Numba, inlined, instruction
from evolve_arena.core.types import Number

LANES = 16
"""Numbers in a vector; layers are padded to a multiple of it."""

FLOATS = ir.VectorType(ir.FloatType(), LANES)
INTS = ir.VectorType(ir.IntType(32), LANES)
BYTES = ir.VectorType(ir.IntType(8), 64)


class FloatVector(types.Type):
    """Numba's type of a vector of sixteen ``float32``."""

    def __init__(self) -> None:
        super().__init__(name="FloatVector")


class IntVector(types.Type):
    """Numba's type of a vector of sixteen ``int32``."""

    def __init__(self) -> None:
        super().__init__(name="IntVector")


float_vector = FloatVector()
int_vector = IntVector()


@register_model(FloatVector)
class FloatVectorModel(models.PrimitiveModel):
    """Representation of a float vector in LLVM."""

    def __init__(self, manager: Numba, kind: Numba) -> None:
        super().__init__(manager, kind, FLOATS)  # type: ignore[no-untyped-call]


@register_model(IntVector)
class IntVectorModel(models.PrimitiveModel):
    """Representation of an integer vector in LLVM."""

    def __init__(self, manager: Numba, kind: Numba) -> None:
        super().__init__(manager, kind, INTS)  # type: ignore[no-untyped-call]


class Reference(types.Type):
    """Numba's type of a pointer to a value, such as a tuple of arrays."""

    def __init__(self, target: Numba) -> None:
        self.target = target
        super().__init__(name=f"Reference({target})")


@register_model(Reference)
class ReferenceModel(models.PrimitiveModel):
    """Representation of a reference in LLVM: a pointer."""

    def __init__(self, manager: Numba, kind: Numba) -> None:
        value = manager.lookup(kind.target).get_value_type()
        super().__init__(manager, kind, value.as_pointer())  # type: ignore[no-untyped-call]


# Addresses of elements and vectors in arrays.
def _element(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


def _address(context: Numba, builder: Numba, signature: Numba, args: Numba, vector: Numba) -> Numba:
    return builder.bitcast(_element(context, builder, signature, args), vector.as_pointer())


@instruction
def refer(typing: Numba, value: Numba) -> Numba:
    """Make a reference to a *value*, for functions that are called from this one.

    Passing a structure by value copies all of it; a tuple of arrays has hundreds of bytes.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return cgutils.alloca_once_value(builder, args[0])  # type: ignore[no-untyped-call]

    return Reference(value)(value), generate


@instruction
def follow_reference(typing: Numba, reference: Numba) -> Numba:
    """Return the value of a *reference*."""

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.load(args[0])

    return reference.target(reference), generate


def _make_load(kind: Numba, vector: Numba) -> Numba:
    @instruction
    def load_vector(typing: Numba, array: Numba, index: Numba) -> Numba:
        def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            return builder.load(_address(context, builder, signature, args, vector), align=4)

        return kind(array, types.intp), generate

    return load_vector


def _make_store(kind: Numba, vector: Numba) -> Numba:
    @instruction
    def store_vector(typing: Numba, array: Numba, index: Numba, value: Numba) -> Numba:
        def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            address = _address(context, builder, signature, args, vector)
            builder.store(args[2], address, align=4)
            return context.get_dummy_value()

        return types.void(array, types.intp, kind), generate

    return store_vector


def _make_binary(kind: Numba, name: str) -> Numba:
    @instruction
    def binary(typing: Numba, left: Numba, right: Numba) -> Numba:
        def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
            return getattr(builder, name)(args[0], args[1])

        return kind(kind, kind), generate

    return binary


@instruction
def seldom(typing: Numba, condition: Numba) -> Numba:
    """Return the *condition*, and tell the compiler that it is rarely true."""

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        bit = ir.IntType(1)
        kind = ir.FunctionType(bit, [bit, bit])
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], kind)
        return builder.call(expect, [args[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), generate


@instruction
def peek(typing: Numba, array: Numba, index: Numba) -> Numba:
    """Return ``array[index]`` of a flat array, without a check for a negative *index*.

    Args:
        typing: Numba's typing context; callers leave it out.
        array: Flat array.
        index: Place in the array, from 0 on.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.load(_element(context, builder, signature, args))

    return array.dtype(array, types.intp), generate


@instruction
def poke(typing: Numba, array: Numba, index: Numba, value: Numba) -> Numba:
    """Set ``array[index] = value`` in a flat array, without a check for a negative *index*.

    Args:
        typing: Numba's typing context; callers leave it out.
        array: Flat array.
        index: Place in the array, from 0 on.
        value: The new element, converted to the array's type.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        builder.store(args[2], _element(context, builder, signature, args))
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), generate


@instruction
def load_word(typing: Numba, array: Numba, index: Numba) -> Numba:
    """Return the eight bytes from place 8 * *index* of an array's memory, the first one lowest.

    Args:
        typing: Numba's typing context; callers leave it out.
        array: Contiguous array of any type.
        index: Number of the word of eight bytes, from 0 on.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.load(_word_address(context, builder, signature, args), align=1)

    return types.uint64(array, types.intp), generate


@instruction
def store_word(typing: Numba, array: Numba, index: Numba, word: Numba) -> Numba:
    """Store a *word* at the place that :func:`load_word` reads.

    Args:
        typing: Numba's typing context; callers leave it out.
        array: Contiguous array of any type.
        index: Number of the word of eight bytes, from 0 on.
        word: Its new content, ``uint64``.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        builder.store(args[2], _word_address(context, builder, signature, args), align=1)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.uint64), generate


@instruction
def compare_bytes(
    typing: Numba, left: Numba, left_word: Numba, right: Numba, right_word: Numba
) -> Numba:
    """Compare 64 bytes in two arrays' memory: bit k of the result is 1 if byte k differs.

    Args:
        typing: Numba's typing context; callers leave it out.
        left: Contiguous array of any type.
        left_word: The word at which its 64 bytes begin, as :func:`load_word` numbers them.
        right: Contiguous array of any type.
        right_word: The word at which its 64 bytes begin, likewise.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        rows = []
        for at in (0, 2):
            array = context.make_array(signature.args[at])(context, builder, args[at])
            words = builder.bitcast(array.data, ir.IntType(64).as_pointer())
            place = builder.bitcast(builder.gep(words, [args[at + 1]]), BYTES.as_pointer())
            rows.append(builder.load(place, align=1))
        return builder.bitcast(builder.icmp_unsigned("!=", *rows), ir.IntType(64))

    return types.uint64(left, types.intp, right, types.intp), generate


def _word_address(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    words = builder.bitcast(array.data, ir.IntType(64).as_pointer())
    return builder.gep(words, [args[1]])


load = _make_load(float_vector, FLOATS)
load_int = _make_load(int_vector, INTS)
store = _make_store(float_vector, FLOATS)
store_int = _make_store(int_vector, INTS)
add = _make_binary(float_vector, "fadd")
subtract = _make_binary(float_vector, "fsub")
multiply = _make_binary(float_vector, "fmul")
divide = _make_binary(float_vector, "fdiv")
add_int = _make_binary(int_vector, "add")


@instruction
def spread(typing: Numba, value: Numba) -> Numba:
    """Return a vector whose sixteen numbers are all *value*."""

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return _splat(builder, args[0], FLOATS)

    return float_vector(types.float32), generate


@instruction
def scale_int(typing: Numba, vector: Numba, factor: Numba) -> Numba:
    """Return a vector of integers, each times *factor*.

    Args:
        typing: Numba's typing context; callers leave it out.
        vector: Sixteen ``int32``.
        factor: An ``int32``; products that are too large wrap around.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.mul(args[0], _splat(builder, args[1], INTS))

    return int_vector(int_vector, types.int32), generate


@instruction
def maximum(typing: Numba, left: Numba, right: Numba) -> Numba:
    """Return the larger of each pair (*right* where *left* is NaN).

    Args:
        typing: Numba's typing context; callers leave it out.
        left: Sixteen ``float32``.
        right: Sixteen ``float32``.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        larger = builder.fcmp_ordered(">", args[0], args[1])
        return builder.select(larger, args[0], args[1])

    return float_vector(float_vector, float_vector), generate


@instruction
def minimum(typing: Numba, left: Numba, right: Numba) -> Numba:
    """Return the smaller of each pair (*right* where *left* is NaN).

    Args:
        typing: Numba's typing context; callers leave it out.
        left: Sixteen ``float32``.
        right: Sixteen ``float32``.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        smaller = builder.fcmp_ordered("<", args[0], args[1])
        return builder.select(smaller, args[0], args[1])

    return float_vector(float_vector, float_vector), generate


@inlined
def clamp(vector: Numba, low: Number, high: Number) -> Numba:
    """Clip each number to [*low*, *high*] (``float32``).

    Args:
        vector: Sixteen ``float32``.
        low: Lowest result, ``float32``; also that of NaN.
        high: Highest result, ``float32``.
    """
    return minimum(maximum(vector, spread(low)), spread(high))


@instruction
def to_float(typing: Numba, vector: Numba) -> Numba:
    """Convert each integer to the nearest ``float32``."""

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.sitofp(args[0], FLOATS)

    return float_vector(int_vector), generate


@instruction
def bits_of(typing: Numba, vector: Numba) -> Numba:
    """Return the bit pattern of each number."""

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        return builder.bitcast(args[0], INTS)

    return int_vector(float_vector), generate


@instruction
def power_of_two(typing: Numba, vector: Numba, exponent_bits: Numba) -> Numba:
    """Multiply *vector* by two to the power of the number in the low bits of *exponent_bits*.

    Args:
        typing: Numba's typing context; callers leave it out.
        vector: Sixteen normal ``float32``; the results must be normal, too.
        exponent_bits: Sixteen ``int32``; of each, the lowest nine bits count.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        # Adding to a float's exponent, which begins at bit 23, multiplies by a power of two.
        shift = ir.Constant(INTS, [23] * LANES)
        raised = builder.add(builder.bitcast(args[0], INTS), builder.shl(args[1], shift))
        return builder.bitcast(raised, FLOATS)

    return float_vector(float_vector, int_vector), generate


@instruction
def halve_sum(typing: Numba, vector: Numba) -> Numba:
    """Return the sum of the numbers: the upper half is added to the lower one until one is left."""

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        # A fixed order of additions, which every machine and the exported bots repeat.
        value = args[0]
        width = LANES
        while width > 1:
            width //= 2
            lower = _pick_lanes(builder, value, range(width))
            upper = _pick_lanes(builder, value, range(width, 2 * width))
            value = builder.fadd(lower, upper)
        return builder.extract_element(value, _index(0))

    return types.float32(float_vector), generate


@instruction
def first_of_maximum(typing: Numba, vector: Numba, allowed: Numba) -> Numba:
    """Return the first place of the largest number among the *allowed* ones (bit k: place k).

    If no allowed number is above minus infinity, return the first allowed place.

    Args:
        typing: Numba's typing context; callers leave it out.
        vector: Sixteen ``float32``.
        allowed: Mask of places, ``uint64``; at least one bit is 1.
    """

    def generate(context: Numba, builder: Numba, signature: Numba, args: Numba) -> Numba:
        # Forbidden places count as minus infinity.
        flags = ir.IntType(LANES)
        allowed_bits = builder.trunc(args[1], flags)
        mask = builder.bitcast(allowed_bits, ir.VectorType(ir.IntType(1), LANES))
        lowest = ir.Constant(FLOATS, [float("-inf")] * LANES)
        value = builder.select(mask, args[0], lowest)

        def larger(left: Numba, right: Numba) -> Numba:
            return builder.select(builder.fcmp_ordered(">", left, right), left, right)

        # The lowest bit among the places of the maximum; there is none if all are NaN.
        hits = builder.fcmp_ordered("==", value, _combine_all(builder, value, larger))
        found = builder.and_(builder.bitcast(hits, flags), allowed_bits)
        found = builder.select(
            builder.icmp_unsigned("==", found, ir.Constant(flags, 0)), allowed_bits, found
        )
        place = builder.cttz(found, ir.Constant(ir.IntType(1), 0))
        return builder.zext(place, ir.IntType(64))

    return types.int64(float_vector, types.uint64), generate


def _combine_all(builder: Numba, value: Numba, combine: Numba) -> Numba:
    """Reduce all lanes by *combine*, with the result in every lane."""
    width = LANES
    while width > 1:
        width //= 2
        partners = _pick_lanes(builder, value, [lane ^ width for lane in range(LANES)])
        value = combine(value, partners)
    return value


def _pick_lanes(builder: Numba, value: Numba, lanes: Sequence[int]) -> Numba:
    kind = ir.VectorType(ir.IntType(32), len(lanes))
    nothing = ir.Constant(value.type, ir.Undefined)
    return builder.shuffle_vector(value, nothing, ir.Constant(kind, list(lanes)))


def _splat(builder: Numba, value: Numba, vector: Numba) -> Numba:
    empty = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(empty, value, _index(0))
    return builder.shuffle_vector(first, empty, ir.Constant(INTS, [0] * LANES))


def _index(lane: int) -> Numba:
    return ir.Constant(ir.IntType(32), lane)
