// What translated Python needs to run in a browser; see runs/export/javascript.py.
//
// Whole numbers are numbers up to 2**53 and BigInts beyond; words of 64 bits are objects of their
// own, two halves each. Lists and tuples are arrays, NumPy arrays are typed arrays. Names are
// those of Python where there is one.

const py = (() => {
  const MOST = Number.MAX_SAFE_INTEGER, HALF = 4294967296;

  class PyError extends Error {}
  const errors = {};
  for (const name of ["Exception", "ValueError", "TypeError", "OverflowError", "ZeroDivisionError",
    "KeyError", "IndexError"]) {
    errors[name] = class extends (name === "Exception" ? PyError : errors.Exception) {
      name = name;
    };
  }
  const fail = (kind, text) => { throw new errors[kind](text); };

  // Words of 64 bits

  class Word {
    constructor(high, low) { this.high = high; this.low = low; }
    valueOf() { return BigInt(this.high) * 4294967296n + BigInt(this.low); }
    toString() { return String(this.valueOf()); }
  }
  const word = (high, low) => new Word(high >>> 0, low >>> 0);
  const cut = (big) => {
    const bits = BigInt.asUintN(64, big);
    return word(Number(bits >> 32n), Number(bits & 0xffffffffn));
  };
  const toWord = (x = 0) => {
    if (x instanceof Word) return x;
    if (typeof x === "bigint") return cut(x);
    const whole = Math.trunc(Number(x));
    return word(Math.floor(whole / HALF), whole);
  };

  // An array of words: what is put there becomes one.
  class Words extends Array {}

  // Whole numbers

  const shrink = (big) => (big >= -MOST && big <= MOST ? Number(big) : big);
  const bothNumbers = (a, b) => typeof a === "number" && typeof b === "number";
  const isNumber = (x) => typeof x === "number" || typeof x === "boolean";
  const isWhole = (x) => typeof x === "bigint" || typeof x === "boolean" || Number.isInteger(x);
  const isList = (x) => Array.isArray(x) || ArrayBuffer.isView(x);
  const scalar = (x) => {
    if (isNumber(x) || typeof x === "bigint") return x;
    return fail("TypeError", `a number is wanted, not ${repr(x)}`);
  };

  // What an operation gives that was not done with small numbers alone.
  function operate(plain, big, onWords) {
    return (a, b) => {
      if (a instanceof Word || b instanceof Word) {
        return onWords ? onWords(toWord(a), toWord(b)) : cut(big(BigInt(a), BigInt(b)));
      }
      scalar(a);
      scalar(b);
      if (isWhole(a) && isWhole(b)) return shrink(big(BigInt(a), BigInt(b)));
      return plain(Number(a), Number(b));
    };
  }
  const addRest = operate((a, b) => a + b, (a, b) => a + b, (a, b) => {
    const low = a.low + b.low;
    return word(a.high + b.high + (low >= HALF ? 1 : 0), low);
  });
  const subRest = operate((a, b) => a - b, (a, b) => a - b, (a, b) => {
    return word(a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low);
  });
  const mulRest = operate((a, b) => a * b, (a, b) => a * b);
  const isSmall = (r) => r <= MOST && r >= -MOST;

  function add(a, b) {
    if (typeof a === "number" && typeof b === "number") {
      const r = a + b;
      return isSmall(r) ? r : addRest(a, b);
    }
    if (typeof a === "string") return a + b;
    if (isList(a)) return [...a, ...b];
    return addRest(a, b);
  }
  function sub(a, b) {
    if (typeof a === "number" && typeof b === "number") {
      const r = a - b;
      return isSmall(r) ? r : subRest(a, b);
    }
    return subRest(a, b);
  }
  function mul(a, b) {
    if (typeof a === "number" && typeof b === "number") {
      const r = a * b;
      return isSmall(r) ? r : mulRest(a, b);
    }
    if (typeof a === "string") return a.repeat(Math.max(0, Number(b)));
    if (isList(a)) return Array.from({ length: Math.max(0, Number(b)) }, () => [...a]).flat();
    if (typeof b === "string" || isList(b)) return mul(b, a);
    return mulRest(a, b);
  }
  // The same where the numbers are floating-point ones.
  const fadd = (a, b) => (bothNumbers(a, b) ? a + b : add(a, b));
  const fsub = (a, b) => (bothNumbers(a, b) ? a - b : sub(a, b));
  const fmul = (a, b) => (bothNumbers(a, b) ? a * b : mul(a, b));

  function div(a, b) {
    const below = Number(b);
    if (below === 0) fail("ZeroDivisionError", "division by zero");
    return Number(a) / below;
  }
  const floorBig = (a, b) => {
    const q = a / b;
    return a % b !== 0n && a < 0n !== b < 0n ? q - 1n : q;
  };
  const modBig = (a, b) => a - floorBig(a, b) * b;
  const modPlain = (a, b) => {
    const r = a % b;
    return r !== 0 && r < 0 !== b < 0 ? r + b : r;
  };
  const floorPlain = (a, b) => {
    const r = a % b, q = Math.round((a - r) / b);
    return r !== 0 && r < 0 !== b < 0 ? q - 1 : q;
  };
  const floordivRest = operate(floorPlain, floorBig), modRest = operate(modPlain, modBig);
  function floordiv(a, b) {
    if (b == 0) fail("ZeroDivisionError", "division by zero");
    return bothNumbers(a, b) ? floorPlain(a, b) : floordivRest(a, b);
  }
  function mod(a, b) {
    if (b == 0) fail("ZeroDivisionError", "division by zero");
    return bothNumbers(a, b) ? modPlain(a, b) : modRest(a, b);
  }
  function pow(a, b) {
    if (a instanceof Word || b instanceof Word) return cut(BigInt(a) ** BigInt(b));
    if (isWhole(a) && isWhole(b) && b >= 0) return shrink(BigInt(a) ** BigInt(b));
    return fpow(Number(a), Number(b));
  }
  function fpow(a, b) {
    const r = b === 2 ? a * a : Math.pow(a, b);
    if (!Number.isFinite(r) && Number.isFinite(a) && Number.isFinite(b)) {
      fail(a === 0 ? "ZeroDivisionError" : "OverflowError", "the result is too large");
    }
    return r;
  }

  const keep = (r) => (isSmall(r) ? r : BigInt(r));
  const combine = (high, low) => keep(high * HALF + (low >>> 0));
  const upper = (x) => Math.floor(x / HALF);
  const areBits = (a, b) => bothNumbers(a, b) && (a | 0) === a && (b | 0) === b;
  const andRest = operate(
    (a, b) => fail("TypeError", "bits of a floating-point number"), (a, b) => a & b,
    (a, b) => word(a.high & b.high, a.low & b.low));
  const orRest = operate(
    (a, b) => fail("TypeError", "bits of a floating-point number"), (a, b) => a | b,
    (a, b) => word(a.high | b.high, a.low | b.low));
  const xorRest = operate(
    (a, b) => fail("TypeError", "bits of a floating-point number"), (a, b) => a ^ b,
    (a, b) => word(a.high ^ b.high, a.low ^ b.low));
  const areSafe = (a, b) => Number.isSafeInteger(a) && Number.isSafeInteger(b);
  function and(a, b) {
    if (areBits(a, b)) return a & b;
    return areSafe(a, b) ? combine(upper(a) & upper(b), a & b) : andRest(a, b);
  }
  function or(a, b) {
    if (areBits(a, b)) return a | b;
    return areSafe(a, b) ? combine(upper(a) | upper(b), a | b) : orRest(a, b);
  }
  function xor(a, b) {
    if (areBits(a, b)) return a ^ b;
    return areSafe(a, b) ? combine(upper(a) ^ upper(b), a ^ b) : xorRest(a, b);
  }
  function shl(a, b) {
    if (typeof a === "number" && typeof b === "number" && b < 1000) {
      const r = a * 2 ** b;
      return isSmall(r) ? r : shrink(BigInt(a) << BigInt(b));
    }
    if (!(a instanceof Word || b instanceof Word)) return shrink(BigInt(a) << BigInt(b));
    const { high, low } = toWord(a), by = Number(b);
    if (by >= 64) return word(0, 0);
    if (by >= 32) return word(low << (by - 32), 0);
    return by === 0 ? word(high, low) : word((high << by) | (low >>> (32 - by)), low << by);
  }
  function shr(a, b) {
    if (typeof a === "number" && typeof b === "number" && b < 1000) return Math.floor(a / 2 ** b);
    if (!(a instanceof Word || b instanceof Word)) return shrink(BigInt(a) >> BigInt(b));
    const { high, low } = toWord(a), by = Number(b);
    if (by >= 64) return word(0, 0);
    if (by >= 32) return word(0, high >>> (by - 32));
    return by === 0 ? word(high, low) : word(high >>> by, (low >>> by) | (high << (32 - by)));
  }
  function invert(a) {
    if (typeof a === "number") return keep(-1 - a);
    return a instanceof Word ? word(~a.high, ~a.low) : shrink(~BigInt(a));
  }
  function neg(a) {
    if (typeof a === "number") return -a;
    return a instanceof Word ? cut(-a.valueOf()) : shrink(-BigInt(a));
  }
  const pos = (a) => (typeof a === "boolean" ? Number(a) : a);

  // Comparisons

  function eq(a, b) {
    if (a === b) return true;
    if (bothNumbers(a, b)) return false;
    if (a === null || b === null) return false;
    if (isList(a)) {
      return isList(b) && a.length === b.length && a.every((item, place) => eq(item, b[place]));
    }
    if (typeof a === "string" || typeof b === "string" || isList(b)) return false;
    return a instanceof Word && b instanceof Word ? a.high === b.high && a.low === b.low : a == b;
  }
  function compare(a, b) {
    if (isList(a)) {
      for (let place = 0; place < a.length && place < b.length; place++) {
        const order = compare(a[place], b[place]);
        if (order !== 0) return order;
      }
      return a.length - b.length;
    }
    return a < b ? -1 : a > b ? 1 : 0;
  }
  const lt = (a, b) => (isList(a) ? compare(a, b) < 0 : a < b);
  const le = (a, b) => (isList(a) ? compare(a, b) <= 0 : a <= b);
  const gt = (a, b) => (isList(a) ? compare(a, b) > 0 : a > b);
  const ge = (a, b) => (isList(a) ? compare(a, b) >= 0 : a >= b);
  function truth(a) {
    if (typeof a === "number") return a !== 0;
    if (a instanceof Word) return (a.high | a.low) !== 0;
    if (isList(a)) return a.length > 0;
    return a instanceof Dict ? a.found.size > 0 : Boolean(a);
  }

  // Collections

  const keyOf = (x) => {
    if (typeof x === "number") return x;
    if (typeof x === "string") return `s${x}`;
    if (isList(x)) return `(${Array.from(x, keyOf)})`;
    return x === null ? x : x instanceof Word ? shrink(x.valueOf()) : pos(x);
  };
  class Dict {
    constructor(pairs) {
      this.found = new Map();
      for (const [key, value] of pairs) this.set(key, value);
    }
    set(key, value) { this.found.set(keyOf(key), [key, value]); }
    get(key, missing = null) {
      const pair = this.found.get(keyOf(key));
      return pair === undefined ? missing : pair[1];
    }
    has(key) { return this.found.has(keyOf(key)); }
    keys() { return Array.from(this.found.values(), (pair) => pair[0]); }
  }
  const dict = (pairs = []) => new Dict(pairs instanceof Dict ? pairs.found.values() : pairs);

  function iter(x) {
    if (x instanceof Dict) return x.keys();
    if (x !== null && x !== undefined && typeof x[Symbol.iterator] === "function") return x;
    return fail("TypeError", `${repr(x)} can't be looped over`);
  }
  const list = (x = []) => (Array.isArray(x) ? x.slice() : Array.from(iter(x)));
  const asArray = (x) => (isList(x) ? x : Array.from(iter(x)));
  function place(length, index) {
    const at = Number(index);
    const found = at < 0 ? at + length : at;
    if (found >= 0 && found < length) return found;
    return fail("IndexError", `index ${at} of ${length}`);
  }
  function at(x, index) {
    if (x instanceof Dict) {
      return x.has(index) ? x.get(index) : fail("KeyError", repr(index));
    }
    if (isList(index)) return index.reduce(at, x);
    return x[place(x.length, index)];
  }
  function put(x, index, value) {
    if (x instanceof Dict) x.set(index, value);
    else if (isList(index)) put(index.slice(0, -1).reduce(at, x), index[index.length - 1], value);
    else if (x instanceof Words) x[place(x.length, index)] = toWord(value);
    else x[place(x.length, index)] = ArrayBuffer.isView(x) ? Number(value) : value;
  }
  function slice(x, from, to, step) {
    const by = step === null ? 1 : Number(step), size = x.length;
    const limit = (end, usual) => {
      if (end === null) return usual;
      const found = Number(end) < 0 ? Number(end) + size : Number(end);
      return by > 0 ? Math.min(Math.max(found, 0), size) : Math.min(Math.max(found, -1), size - 1);
    };
    const first = limit(from, by > 0 ? 0 : size - 1), last = limit(to, by > 0 ? size : -1);
    if (by === 1) return x.slice(first, Math.max(first, last));
    const found = [];
    for (let i = first; by > 0 ? i < last : i > last; i += by) found.push(x[i]);
    return typeof x === "string" ? found.join("") : found;
  }
  function contains(x, item) {
    if (typeof x === "string") return x.includes(item);
    if (x instanceof Dict) return x.has(item);
    if (typeof item === "number" && x.includes(item)) return true;
    return Array.from(x).some((other) => eq(other, item));
  }
  function unpack(x, count) {
    const found = list(x);
    return found.length === count ? found : fail("ValueError", `${count} values are wanted`);
  }
  const iadd = (a, b) => {
    if (!Array.isArray(a)) return add(a, b);
    for (const item of iter(b)) a.push(item);
    return a;
  };
  const index = (x) => Number(x);
  function range(first, last, step = 1) {
    const [from, to] = last === undefined ? [0, first] : [first, last];
    const found = [], by = Number(step);
    for (let i = Number(from); by > 0 ? i < to : i > to; i += by) found.push(i);
    return found;
  }

  // Text

  const repr = (x) => (typeof x === "string" ? `'${x.replace(/[\\']/g, "\\$&")}'` : str(x));
  function str(x = "") {
    if (typeof x === "boolean") return x ? "True" : "False";
    if (x === null || x === undefined) return "None";
    return isList(x) ? `[${Array.from(x, repr).join(", ")}]` : String(x);
  }
  function format(x, form) {
    const found = /^(.?[<>^])?(\+)?(0)?(\d*)(,)?(?:\.(\d+))?([dfs]?)$/.exec(form);
    if (!found) fail("ValueError", `the format ${form} is not known`);
    const [, aligned, plus, zero, width, comma, digits, kind] = found;
    const wide = Number(width || 0), isText = typeof x === "string";
    let text = digits === undefined || isText ? str(kind === "d" ? pos(x) : x)
      : Number(x).toFixed(Number(digits));
    if (kind === "f" && digits === undefined) text = Number(x).toFixed(6);
    if (comma) text = text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    if (plus && x >= 0) text = `+${text}`;
    if (zero && !aligned) return text.padStart(wide, "0");
    const way = aligned ? aligned.slice(-1) : isText ? "<" : ">";
    const fill = aligned && aligned.length > 1 ? aligned[0] : " ";
    if (way === "<") return text.padEnd(wide, fill);
    if (way === ">") return text.padStart(wide, fill);
    return text.padStart(text.length + Math.max(0, wide - text.length) / 2 | 0, fill)
      .padEnd(wide, fill);
  }

  const sortBy = (x, { key = null, reverse = false } = {}) => {
    const pairs = Array.from(iter(x), (item) => [key ? key(item) : item, item]);
    pairs.sort((a, b) => (truth(reverse) ? compare(b[0], a[0]) : compare(a[0], b[0])));
    return pairs.map((pair) => pair[1]);
  };
  // The first item that is better than all before it. What is not a number is better than none.
  const pick = (better) => (given, { key = null, default: missing } = {}) => {
    const items = given.length === 1 ? list(given[0]) : given;
    if (!items.length) {
      return missing === undefined ? fail("ValueError", "there is nothing to choose") : missing;
    }
    let best = items[0], most = key ? key(best) : best;
    for (let i = 1; i < items.length; i++) {
      const value = key ? key(items[i]) : items[i];
      if (better(value, most)) [best, most] = [items[i], value];
    }
    return best;
  };
  function toInt(x = 0) {
    if (typeof x === "string") return shrink(BigInt(x.trim()));
    if (typeof x === "number") return isSmall(x) ? Math.trunc(x) : shrink(BigInt(x));
    return x instanceof Word ? shrink(x.valueOf()) : pos(x);
  }
  function round(x, digits) {
    if (digits !== undefined && digits !== null) return Number(Number(x).toFixed(digits));
    if (typeof x !== "number") return x;
    if (!Number.isFinite(x)) fail("OverflowError", "infinity can't be rounded");
    const down = Math.floor(x), rest = x - down;
    const r = rest < 0.5 ? down : rest > 0.5 || down % 2 !== 0 ? down + 1 : down;
    return toInt(r);
  }
  const countBits32 = (bits) => {
    let n = bits - ((bits >>> 1) & 0x55555555);
    n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
    return (((n + (n >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
  };
  function countBits(x) {
    if (x instanceof Word) return countBits32(x.high) + countBits32(x.low);
    if (Number.isSafeInteger(x) && x >= 0) return countBits32(x | 0) + countBits32(upper(x) | 0);
    return BigInt(x).toString(2).replace(/[^1]/g, "").length;
  }
  function bitLength(x) {
    const size = typeof x === "number" ? Math.abs(x) : BigInt(x) < 0n ? -BigInt(x) : BigInt(x);
    return size == 0 ? 0 : size.toString(2).length;
  }
  function lowestBit(x) {
    const bits = toWord(x);
    if (bits.low !== 0) return 31 - Math.clz32(bits.low & -bits.low);
    return bits.high !== 0 ? 63 - Math.clz32(bits.high & -bits.high) : 64;
  }

  const TYPES = {
    b: Int8Array, B: Uint8Array, h: Int16Array, H: Uint16Array, i: Int32Array, I: Uint32Array,
    f: Float32Array, d: Float64Array,
    int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array,
    int32: Int32Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array,
    int64: Array, uint64: Words, q: Array, Q: Words,
  };
  function array(kind, numbers) {
    const { [kind]: Type } = TYPES, given = asArray(numbers);
    if (Type === Array) return list(given);
    if (Type === Words) return Words.from(given, toWord);
    const found = new Type(given.length);
    for (let i = 0; i < found.length; i++) found[i] = Number(given[i]);
    return found;
  }
  // The numbers whose bytes stand in little-endian order.
  function readBytes(kind, bytes) {
    const Type = TYPES[kind], size = Type.BYTES_PER_ELEMENT;
    const view = new DataView(bytes.buffer), read = `get${Type.name.replace("Array", "")}`;
    const found = new Type(bytes.length / size);
    for (let i = 0; i < found.length; i++) found[i] = view[read](i * size, true);
    return found;
  }
  const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  // Numbers in base64. Where only those are given that are not zero, the bits of `places` say
  // which of `count` numbers they are.
  function numbers(kind, asList, text, places, count) {
    let found = readBytes(kind, fromBase64(text));
    if (places !== undefined) {
      const { [kind]: Type } = TYPES, bits = fromBase64(places), all = new Type(count);
      for (let i = 0, next = 0; i < count; i++) {
        if (bits[i >> 3] >> (i & 7) & 1) all[i] = found[next++];
      }
      found = all;
    }
    return asList ? Array.from(found) : found;
  }
  function toBytes(x, count) {
    const text = BigInt.asUintN(8 * count, BigInt(x)).toString(16).padStart(2 * count, "0");
    const bytes = new Uint8Array(count);
    for (let i = 0, end = text.length; i < count; i += 4, end -= 8) {
      const part = parseInt(text.slice(Math.max(0, end - 8), end), 16);
      for (let j = 0; j < 4 && i + j < count; j++) bytes[i + j] = part >>> (8 * j);
    }
    return bytes;
  }

  const pairUp = (lists, call) => {
    const [first, second, ...others] = lists.map(asArray), found = [];
    const length = Math.min(first.length, second.length, ...others.map((each) => each.length));
    for (let i = 0; i < length; i++) {
      found.push(call(first[i], second[i], ...others.map((each) => each[i])));
    }
    return found;
  };

  const builtins = {
    ...errors,
    abs: (x) => (x < 0 ? neg(x) : pos(x)),
    all: (x) => list(x).every(truth),
    any: (x) => list(x).some(truth),
    bin: (x) => `${x < 0 ? "-" : ""}0b${(x < 0 ? -BigInt(x) : BigInt(x)).toString(2)}`,
    bool: (x = false) => truth(x),
    dict,
    divmod: (a, b) => [floordiv(a, b), mod(a, b)],
    enumerate: (x, { start = 0 } = {}) => {
      const given = asArray(x), found = [];
      for (let i = 0; i < given.length; i++) found.push([i + start, given[i]]);
      return found;
    },
    float: (x = 0) => {
      if (typeof x !== "string") return Number(x);
      return Number(x.replace(/^([+-]?)inf$/i, "$1Infinity"));
    },
    int: toInt,
    isinstance: () => fail("TypeError", "isinstance is not known here"),
    len: (x) => (x instanceof Dict ? x.found.size : x.length),
    list,
    map: (call, ...lists) => {
      if (lists.length > 1) return pairUp(lists, call);
      return Array.from(asArray(lists[0]), (item) => call(item));
    },
    max: pick((a, b) => gt(a, b)),
    min: pick((a, b) => lt(a, b)),
    next: (x, missing) => {
      for (const item of iter(x)) return item;
      return missing === undefined ? fail("ValueError", "nothing is left") : missing;
    },
    range,
    repr,
    reversed: (x) => list(x).reverse(),
    round,
    set: (x = []) => dict(Array.from(iter(x), (item) => [item, true])),
    sorted: sortBy,
    str,
    sum: (x, start = 0) => list(x).reduce((a, b) => add(a, b), start),
    tuple: list,
    zip: (...lists) => pairUp(lists, (...items) => items),
  };

  const lib = {
    math: {
      e: Math.E, exp: (x) => Math.exp(Number(x)), inf: Infinity, nan: NaN, pi: Math.PI,
      floor: (x) => toInt(Math.floor(x)), ceil: (x) => toInt(Math.ceil(x)),
      isnan: (x) => Number.isNaN(Number(x)), ldexp: (x, by) => x * 2 ** Number(by),
      log: (x) => Math.log(Number(x)), sin: (x) => Math.sin(Number(x)),
      cos: (x) => Math.cos(Number(x)), sqrt: (x) => Math.sqrt(Number(x)),
      tanh: (x) => Math.tanh(Number(x)),
    },
    numpy: {
      uint64: toWord, int64: toInt, int32: toInt, int16: toInt, int8: toInt, intp: toInt,
      uint8: toInt, uint16: toInt, uint32: toInt, bool_: truth, float64: (x = 0) => Number(x),
      abs: (x) => builtins.abs(x), sign: (x) => (x > 0) - (x < 0),
      minimum: (a, b) => (lt(b, a) ? b : a), maximum: (a, b) => (gt(b, a) ? b : a),
    },
    bits: {
      count_bits: countBits, lowest_bit: lowestBit,
      make_words: (count) => Words.from({ length: Number(count) }, () => word(0, 0)),
      make_array: array,
    },
    operator: {
      add, sub, mul, fadd, fsub, fmul,
      itemgetter: (...keys) => (x) => (keys.length === 1 ? at(x, keys[0])
        : keys.map((key) => at(x, key))),
    },
    array: { array },
    random: { randrange: (count) => Math.floor(Math.random() * count) },
    struct: {
      unpack: (form, bytes) => {
        const found = /^<(\d*)([bBhHiIfd])$/.exec(form) || fail("ValueError", form);
        return Array.from(readBytes(found[2], bytes));
      },
    },
    time: {
      monotonic: () => performance.now() / 1000, time_ns: () => BigInt(Date.now()) * 1000000n,
    },
  };

  const methods = {
    append: (x, item) => { x.push(item); return null; },
    bit_count: countBits,
    bit_length: bitLength,
    clear: (x) => { if (x instanceof Dict) x.found.clear(); else x.length = 0; return null; },
    copy: (x) => (x instanceof Dict ? dict(x) : x.slice()),
    count: (x, item) => {
      if (typeof x === "string") return x.split(item).length - 1;
      return list(x).filter((other) => eq(other, item)).length;
    },
    extend: (x, items) => { x.push(...iter(items)); return null; },
    get: (x, key, missing = null) => x.get(key, missing),
    index: (x, item) => {
      const found = typeof x === "string" ? x.indexOf(item)
        : list(x).findIndex((other) => eq(other, item));
      return found >= 0 ? found : fail("ValueError", `${repr(item)} is not there`);
    },
    items: (x) => Array.from(x.found.values()),
    join: (x, items) => list(items).join(x),
    keys: (x) => x.keys(),
    ljust: (x, width) => x.padEnd(width),
    lower: (x) => x.toLowerCase(),
    pop: (x, from = -1) => x.splice(place(x.length, from), 1)[0],
    popitem: (x) => {
      const pair = [...x.found.values()].pop();
      x.found.delete(keyOf(pair[0]));
      return pair;
    },
    replace: (x, from, to) => x.split(from).join(to),
    reverse: (x) => { x.reverse(); return null; },
    rjust: (x, width) => x.padStart(width),
    rstrip: (x) => x.trimEnd(),
    setdefault: (x, key, value = null) => {
      if (!x.has(key)) x.set(key, value);
      return x.get(key);
    },
    sort: (x, order) => { x.splice(0, x.length, ...sortBy(x, order)); return null; },
    split: (x, by = null) => (by === null ? x.split(/\s+/).filter(Boolean) : x.split(by)),
    strip: (x) => x.trim(),
    to_bytes: toBytes,
    tolist: (x) => Array.from(x),
    update: (x, other) => { for (const [k, v] of other.found.values()) x.set(k, v); return null; },
    upper: (x) => x.toUpperCase(),
    values: (x) => Array.from(x.found.values(), (pair) => pair[1]),
  };

  // A method of a value of Python's, or of an object that was translated.
  const invoke = (x, name, ...given) => (x !== null && typeof x === "object" && name in x
    && !isList(x) && !(x instanceof Dict) ? x[name](...given) : methods[name](x, ...given));

  return {
    invoke, add, sub, mul, fadd, fsub, fmul, div, floordiv, mod, pow, fpow, and, or, xor, shl, shr, invert,
    neg, pos, eq, lt, le, gt, ge, truth, iter, at, put, slice, contains, unpack, iadd, index, str,
    repr, format, word, numbers, array, dict, builtins, lib, methods, PyError,
  };
})();
