"""Proves facts about the tables that scripts/prove reads from the code. Each proof covers all inputs. If a proof fails, the program ends."""

import sys

import z3

tables = {}
for line in open(sys.argv[1]):
    name, *numbers = line.split()
    tables[name] = [int(number) for number in numbers]


def proven(claim_in_words, claim):
    """Proves that `claim`, an expression of z3, holds for all values of its variables."""
    solver = z3.Solver()
    solver.add(z3.Not(claim))
    result = solver.check()
    if result != z3.unsat:
        sys.exit(f"NOT PROVEN: {claim_in_words}\n{solver.model() if result == z3.sat else result}")
    print(f"proven: {claim_in_words}")


def counted(claim_in_words, cases):
    """Checks that the claim holds for each of the cases."""
    count = 0
    for case, holds in cases:
        if not holds:
            sys.exit(f"NOT TRUE: {claim_in_words}, for {case}")
        count += 1
    print(f"checked: {claim_in_words} ({count} cases, which are all)")


def rows_of(name, length):
    numbers = tables[name]
    return [numbers[at : at + length] for at in range(0, len(numbers), length)]


def byte(number):
    return z3.BitVecVal(number, 8)


def lookup(row, lane):
    """Looks up `lane` in a row of 16, as the CPU does: a lane of 0x80 or above gives 0, any other lane selects by its low nibble."""
    value = row[15]
    for number in range(14, -1, -1):
        value = z3.If(lane & 15 == number, row[number], value)
    return z3.If(z3.UGE(lane, 0x80), byte(0), value)


def table(name):
    return [byte(number) for number in tables[name]]


def high_nibble(lane):
    return z3.LShR(lane, 4)


# ------------------------------------------------------------------------------------------------------- membership

b = z3.BitVec("b", 8)
members = [z3.Bool(f"has_{number}") for number in range(256)]
singles = rows_of("rows", 32)
rows = []
for at in range(32):
    row = byte(0)
    for number in range(256):
        if singles[number][at]:
            row = row | z3.If(members[number], byte(singles[number][at]), byte(0))
    rows.append(row)


def is_member(half, lane):
    bit = lookup(table("nibble_bit"), high_nibble(lane))
    return lookup(half, lane) & bit == bit


# If a lane is 0x80 or above, the lookup gives 0, and then `0 & bit` differs from `bit`. So the lookup in the wrong half finds
# no lane.
found = z3.Or(z3.And(b & 0x80 == 0, is_member(rows[:16], b)), z3.And(b & 0x80 != 0, is_member(rows[16:], b ^ 0x80)))
for number in range(256):
    solver = z3.Solver()
    solver.add(b == number, found != members[number])
    if solver.check() != z3.unsat:
        sys.exit(f"NOT PROVEN: membership of {number}")
print("proven: the classifier is membership, for every byte of each of the 2^256 sets")
proven(
    "a byte of 0x80 or above is in no half that is looked up without its top bit",
    z3.Implies(b & 0x80 != 0, z3.And(z3.Not(is_member(rows[:16], b)), lookup(table("nibble_bit"), high_nibble(b)) != 0)),
)

# --------------------------------------------------------------------------------------------------------- triplets


def saturated_sub(a, c):
    return z3.If(z3.UGE(a, c), a - c, byte(0))


def saturated_add(a, c):
    return z3.If(z3.UGT(a, 255 - c), byte(255), a + c)


def least(a, c):
    return z3.If(z3.ULE(a, c), a, c)


def hex_value(v):
    """Computes the same as `hex_value` in src/isa/vec16.rs."""
    digit = saturated_sub(v + (0xFF - ord("9")), byte(6)) + 0x10
    letter = (v & 0xDF) + (256 - ord("A"))
    return least(digit, saturated_add(letter, byte(10)))


digits = {ord(digit): int(digit, 16) for digit in "0123456789abcdefABCDEF"}


def is_hex(v):
    return z3.Or(*(v == digit for digit in digits))


def value_of(v):
    value = byte(0)
    for digit, number in digits.items():
        value = z3.If(v == digit, byte(number), value)
    return value


high, low = z3.BitVecs("high low", 8)
proven("a hexadecimal digit gives its value, and every other byte gives 16 or more", z3.And(
    is_hex(b) == z3.ULT(hex_value(b), 16), z3.Implies(is_hex(b), hex_value(b) == value_of(b))))
either = hex_value(high) | hex_value(low)
proven("a triplet starts where the two bytes after its % are digits, and its value is 16 * high + low", z3.And(
    (least(either, byte(15)) == either) == z3.And(is_hex(high), is_hex(low)),
    z3.Implies(z3.And(is_hex(high), is_hex(low)),
               ((hex_value(high) & 15) << 4) | hex_value(low) == 16 * value_of(high) + value_of(low))))
counted("the table of digits is right", (
    (number, tables["hex"][number] == digits.get(number, tables["not_hex"][0])) for number in range(256)))
counted("a pair gives not_hex exactly if one of its bytes is no digit", (
    ((h, l), (tables["hex"][h] | tables["hex"][l] != tables["not_hex"][0]) == (h in digits and l in digits))
    for h in range(256) for l in range(256)))

# ------------------------------------------------------------------------------------------------------------ carry

# `starts` has a bit for each lane of two successive blocks, as one number of 128 bits: 1 if a triplet starts there.
starts = z3.BitVec("starts", 128)
before = z3.BitVec("before", 64)


def carried(block):
    """Computes the same as the shifts of `digits_of` in src/kernel/mod.rs."""
    return z3.LShR(block, 63) | z3.LShR(block, 62)


apart = z3.And(starts & (starts << 1) == 0, starts & (starts << 2) == 0)
first, second = z3.Extract(63, 0, starts), z3.Extract(127, 64, starts)
whole = starts << 1 | starts << 2
proven("a block carries to the next the lanes that its triplets cover there", z3.And(
    z3.Extract(63, 0, whole) == first << 1 | first << 2,
    z3.Extract(127, 64, whole) == second << 1 | second << 2 | carried(first)))
proven("if no triplet starts inside another, none is dropped, and no two share a lane", z3.Implies(
    apart, z3.And(starts & whole == 0, (starts << 1) & (starts << 2) == 0)))
proven("a multiplication finds the digits of triplets that do not overlap, and the carried digits", z3.Implies(
    apart, z3.ZeroExt(64, first) * 6 == z3.Concat(carried(first), first << 1 | first << 2)))
proven("only the next two lanes are carried", z3.ULE(carried(before), 3))

# ----------------------------------------------------------------------------------------------------------- tables


def expanded(row, escaped):
    """Returns true if a row of EXPAND4 turns four bytes into the expected output. Each byte is given as [byte, high, low, %]."""
    quads = [(lane, part) for lane in range(4) for part in ("byte", "high", "low", "%")]
    wanted = []
    for lane in range(4):
        if escaped >> lane & 1:
            wanted += [(lane, "%"), (lane, "high"), (lane, "low")]
        else:
            wanted += [(lane, "byte")]
    got = [quads[shuffle] for shuffle in row[: len(wanted)] if shuffle < 16]
    return got == wanted


counted("each row of the table that expands", (
    (escaped, expanded(row, escaped)) for escaped, row in enumerate(rows_of("expand4", 16))))
counted("each row of compact8", (
    (keep, [row >> 8 * at & 255 for at in range(bin(keep).count("1"))] == [lane for lane in range(8) if keep >> lane & 1])
    for keep, row in enumerate(tables["compact8"])))
counted("each shift of a tail", (
    (n, tables["tail_shift"][16 - n :][:16] == [16 - n + at if at < n else 0x80 for at in range(16)])
    for n in range(1, 16)))
for case in ("upper", "lower"):
    form = "%02X" if case == "upper" else "%02x"
    counted(f"each triplet in {case} case", (
        (number, bytes(word[:3]) == b"%" + (form % number).encode())
        for number, word in enumerate(rows_of(f"{case}_words", 4))))

# ------------------------------------------------------------------------------------------------------------ UTF-8

# The code flags an error at a byte if no well-formed text has this byte after the three bytes before it. An automaton
# of the grammar (RFC 3629 4) finds the first byte that can't follow in well-formed text. The code must flag this byte
# or the next one: the automaton sometimes knows from the first byte of a pair that the pair is wrong, but the code
# needs both bytes. We run automaton and code over all strings at once. A state consists of the automaton's state and
# the classes of the last three bytes. Two bytes are in the same class if the automaton treats both alike, and the code
# treats both alike, too.

GOOD, BAD = "", "bad"
LEADS = {}
for number in range(0xC2, 0xE0):
    LEADS[number] = ((0x80, 0xBF),)
for number in range(0xE1, 0xF0):
    LEADS[number] = ((0x80, 0xBF), (0x80, 0xBF))
LEADS[0xE0] = ((0xA0, 0xBF), (0x80, 0xBF))
LEADS[0xED] = ((0x80, 0x9F), (0x80, 0xBF))
for number in range(0xF1, 0xF4):
    LEADS[number] = ((0x80, 0xBF),) * 3
LEADS[0xF0] = ((0x90, 0xBF), (0x80, 0xBF), (0x80, 0xBF))
LEADS[0xF4] = ((0x80, 0x8F), (0x80, 0xBF), (0x80, 0xBF))


def step(state, number):
    if state == BAD:
        return BAD
    if state == GOOD:
        return GOOD if number < 0x80 else LEADS.get(number, BAD)
    (least_, most), rest = state[0], state[1:]
    return (rest or GOOD) if least_ <= number <= most else BAD


def flagged(three, two, one, number):
    """Computes the same as `utf8_error` of src/isa/vec16.rs, for one lane."""
    wrong = (tables["first_high"][one >> 4] & tables["first_low"][one & 15]) & tables["second_high"][number >> 4]
    must = (max(two - tables["third"][0], 0) | max(three - tables["fourth"][0], 0)) & 0x80
    return must ^ wrong != 0


states = {GOOD, BAD} | {rest for lead in LEADS.values() for rest in (lead, lead[1:], lead[2:]) if rest}


def signature(number):
    return (
        tuple(step(state, number) for state in sorted(states, key=str)),
        tables["first_high"][number >> 4], tables["first_low"][number & 15], tables["second_high"][number >> 4],
        max(number - tables["third"][0], 0) & 0x80, max(number - tables["fourth"][0], 0) & 0x80,
    )


classes = {}
for number in range(256):
    classes.setdefault(signature(number), number)
classes = sorted(classes.values())
# Before the text, the last three bytes count as zeros.
reached, agenda, cases = set(), [(GOOD, 0, 0, 0)], 0
while agenda:
    here = agenda.pop()
    if here in reached:
        continue
    reached.add(here)
    state, three, two, one = here
    # After the text, at least one zero follows. The code must flag this zero if and only if the text cuts off a character.
    if flagged(three, two, one, 0) != (state != GOOD):
        sys.exit(f"NOT PROVEN: UTF-8 that ends after {three:02X} {two:02X} {one:02X}")
    for number in classes:
        cases += 1
        after, flag = step(state, number), flagged(three, two, one, number)
        if flag and after != BAD or state == BAD and not flag:
            sys.exit(f"NOT PROVEN: UTF-8 after {three:02X} {two:02X} {one:02X}, {number:02X}")
        if not flag:
            agenda.append((after, two, one, number))
print(f"proven: the lanes flag exactly the text that is not UTF-8, at its first impossible byte or the next"
      f" ({len(classes)} classes, {len(reached)} states, {cases} steps)")
