"""The papers' own calculations, exact and written to be read; the fast kernels are tested against them.

Two families, all answering with a :class:`~fractions.Fraction`: on two distributions, ``p`` of a class and
``q`` of the table, as equally long lists of shares; and on lists of values (``..._of_values``).
"The tutorial" is Dosselmann, Sadeqi, Hamilton: A Tutorial on Computing t-Closeness; "Li et al." is
t-Closeness (ICDE 2007).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from tclose.data.hierarchies import Hierarchy
from tclose.errors import DomainError, EmptyTableError, InputError
from tclose.policy.exact_numbers import Number, fraction

Shares = Sequence[Number]
"""A distribution: shares that sum to 1, as fractions, decimals or texts such as ``"1/3"``."""


def naive_ordered_distance(p: Shares, q: Shares) -> Fraction:
    """Return the ordered distance by its definition, a sum of sums: O(m²).

    ``E(P, Q) = 1/(m−1) · Σ_{i=1..m} |Σ_{j=1..i} (p_j − q_j)|``; 0 when there is one value only.

    Parameters
    ----------
    p, q
        Two distributions over the same m values, in the order of the values.

    References
    ----------
    The tutorial, section 2.1.1, the equation of the definition; Li et al., section 5.1.

    Examples
    --------
    The toy example of the tutorial, {14, 88} in {14, 27, 88, 101}:

    >>> naive_ordered_distance(["1/2", 0, "1/2", 0], ["1/4", "1/4", "1/4", "1/4"])
    Fraction(1, 6)
    """
    differences = _differences(p, q)
    if len(differences) == 1:
        return Fraction(0)
    total = sum((abs(sum(differences[: i + 1], Fraction(0))) for i in range(len(differences))), Fraction(0))
    return total / (len(differences) - 1)


def one_pass_ordered_distance(p: Shares, q: Shares) -> Fraction:
    """Return the ordered distance by the tutorial's Algorithm 1, one running sum: O(m).

    Parameters
    ----------
    p, q
        Two distributions over the same m values, in the order of the values.

    References
    ----------
    The tutorial, section 6, Algorithm 1 (Efficient EMD), after Cha and Srihari (2002).

    Examples
    --------
    The first class of the salary example, {3k, 4k, 5k} in {3k, ..., 11k}:

    >>> one_pass_ordered_distance(["1/3"] * 3 + [0] * 6, ["1/9"] * 9)
    Fraction(3, 8)

    The first class of the merit points example, in order of frequency:

    >>> one_pass_ordered_distance([0, "1/3", "1/3", "1/3"], ["0.4", "0.3", "0.2", "0.1"])
    Fraction(1, 3)
    """
    distance = running_sum = Fraction(0)
    differences = _differences(p, q)
    for difference in differences:
        running_sum += difference
        distance += abs(running_sum)
    return distance / (len(differences) - 1) if len(differences) > 1 else Fraction(0)


def variational_distance(p: Shares, q: Shares) -> Fraction:
    """Return the variational distance, for values that are all equally far apart: ``1/2 · Σ |p_i − q_i|``.

    Parameters
    ----------
    p, q
        Two distributions over the same values, in any order.

    References
    ----------
    The tutorial, section 2.2; Li et al., section 5.2 (equal distance).

    Examples
    --------
    The second class of the incidents example, zone 4F:

    >>> table = ["5/14", "1/14", "2/14", "1/14", "3/14", "1/14", "1/14"]
    >>> variational_distance([0, "1/4", "2/4", "1/4", 0, 0, 0], table)
    Fraction(5, 7)
    """
    return sum((abs(difference) for difference in _differences(p, q)), Fraction(0)) / 2


def numeric_distance(p: Shares, q: Shares, positions: Sequence[Number]) -> Fraction:
    """Return the earth mover's distance of numbers, in parts of their range.

    ``EMD = Σ_{j<m} |Σ_{i<=j} (p_i − q_i)| · (v_{j+1} − v_j) / (v_m − v_1)``, the values v in ascending order;
    0 when they are all the same.

    Parameters
    ----------
    p, q
        Two distributions over the same m values.
    positions
        The values themselves, each at the place of its share.

    Examples
    --------
    The toy example with its numbers taken at their word:

    >>> numeric_distance(["1/2", 0, "1/2", 0], ["1/4"] * 4, [14, 27, 88, 101])
    Fraction(13, 174)
    """
    differences = _differences(p, q)
    _check_length("positions", len(positions), len(differences))
    places = [_exact(position, "A position") for position in positions]
    ascending = sorted(range(len(places)), key=places.__getitem__)
    span = places[ascending[-1]] - places[ascending[0]]
    if span == 0:
        return Fraction(0)
    flows = accumulate(differences[i] for i in ascending)
    gaps = [places[right] - places[left] for left, right in pairwise(ascending)]
    return sum((abs(flow) * gap for flow, gap in zip(flows, gaps, strict=False)), Fraction(0)) / span


def hierarchical_distance(p: Shares, q: Shares, hierarchy: Hierarchy, values: Sequence[str]) -> Fraction:
    """Return the hierarchical distance by Li et al.'s sum over the inner nodes of the tree.

    A leaf's extra is ``p − q``, a node's is the sum of its children's. What can be settled among the
    children of a node N, ``min(pos(N), neg(N))`` of their surplus and shortage, is settled there, at
    ``height(N)/H`` a unit.

    Parameters
    ----------
    p, q
        Two distributions over the same values.
    hierarchy
        The tree, H its height.
    values
        The leaf that each share belongs to.

    References
    ----------
    Li et al., section 5.2 (hierarchical distance).

    Examples
    --------
    >>> lungs = Hierarchy((("flu", "lung", "*"), ("asthma", "lung", "*"), ("colitis", "colon", "*")))
    >>> flu, asthma, colitis = [1, 0, 0], [0, 1, 0], [0, 0, 1]
    >>> hierarchical_distance(flu, asthma, lungs, lungs.leaves)
    Fraction(1, 2)
    >>> hierarchical_distance(flu, colitis, lungs, lungs.leaves)
    Fraction(1, 1)
    """
    differences = _differences(p, q)
    _check_length("values", len(values), len(differences))
    extras: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for value, difference in zip(values, differences, strict=True):
        extras[tuple(hierarchy.ancestor(value, level) for level in range(hierarchy.height + 1))] += difference
    cost = Fraction(0)
    for height in range(1, hierarchy.height + 1):
        surplus: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        shortage: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
        for node, extra in extras.items():
            (surplus if extra > 0 else shortage)[node[1:]] += abs(extra)
        parents = {node[1:] for node in extras}
        cost += sum((min(surplus[node], shortage[node]) for node in parents), Fraction(0)) * height
        extras = defaultdict(Fraction, {node: surplus[node] - shortage[node] for node in parents})
    return cost / hierarchy.height


def distribution(values: Iterable[Hashable], domain: Sequence[Hashable]) -> list[Fraction]:
    """Return the share of every value of the domain among the values, in the order of the domain.

    Parameters
    ----------
    values
        The values of a class or of a table, repetitions included.
    domain
        The possible values, each once.

    Examples
    --------
    >>> distribution([14, 88], domain=[14, 27, 88, 101])
    [Fraction(1, 2), Fraction(0, 1), Fraction(1, 2), Fraction(0, 1)]
    """
    counts = Counter(values)
    if not counts:
        raise EmptyTableError("There are no values to take shares of; give at least one.")
    if len(set(domain)) != len(domain):
        raise DomainError("The domain names a value twice; name each value once.")
    unmatched = len(counts.keys() - set(domain))
    if unmatched:
        raise DomainError(f"{unmatched} of {len(counts)} values are not in the domain; add them to it.")
    rows = counts.total()
    return [Fraction(counts[value], rows) for value in domain]


def domain_in_order(table_values: Iterable[Hashable], order: str | Sequence[Hashable] = "value") -> list[Hashable]:
    """Return the distinct values of a table in the order in which they are ranked.

    Parameters
    ----------
    table_values
        The values of the whole table.
    order
        ``"value"``: ascending. ``"frequency"``: the most frequent first, ties ascending by value. Or
        the scale itself, a list, which is the domain even where the table lacks some of its values.

    Examples
    --------
    >>> domain_in_order([3, 3, 3, 1, 1, 2, 4], order="frequency")
    [3, 1, 2, 4]
    """
    if not isinstance(order, str):
        return list(order)
    if order not in {"value", "frequency"}:
        raise InputError(f"order must be 'value', 'frequency' or a list of the values, not {order!r}.")
    counts = Counter(table_values)
    if any(_named(value) is None for value in counts):
        raise DomainError("Missing values have no place in an order; leave them out, or give the order.")
    try:
        ascending: list[Hashable] = sorted(counts)  # type: ignore[type-var]
    except TypeError:
        raise DomainError("The values cannot all be compared; give their order as a list.") from None
    if order == "frequency":
        ascending.sort(key=lambda value: -counts[value])
    return ascending


def ordered_distance_of_values(
    class_values: Sequence[Hashable],
    table_values: Sequence[Hashable],
    order: str | Sequence[Hashable] = "value",
) -> Fraction:
    """Return the ordered distance between the values of a class and those of the table.

    Parameters
    ----------
    class_values, table_values
        The values, repetitions included.
    order
        How the values are ranked: see :func:`domain_in_order`.

    Examples
    --------
    >>> ordered_distance_of_values([3, 4, 5], [3, 4, 5, 6, 7, 8, 9, 10, 11])
    Fraction(3, 8)

    Merit points, which the tutorial ranks by frequency and Li et al. would rank by value:

    >>> merit = [1, 4, 2, 3, 3, 4, 3, 1, 4, 3]
    >>> ordered_distance_of_values([1, 4, 2], merit, order="frequency")
    Fraction(1, 3)
    >>> ordered_distance_of_values([1, 4, 2], merit)
    Fraction(8, 45)
    """
    domain = domain_in_order(table_values, order)
    return one_pass_ordered_distance(distribution(class_values, domain), distribution(table_values, domain))


def variational_distance_of_values(class_values: Sequence[Hashable], table_values: Sequence[Hashable]) -> Fraction:
    """Return the variational distance between the values of a class and those of the table.

    Parameters
    ----------
    class_values, table_values
        The values, repetitions included; missing ones (None, NaN) are a value of their own.

    Examples
    --------
    >>> zone_9a = ["sidewalk", "power"]
    >>> table = ["power"] * 5 + ["sidewalk"] * 3 + ["fire"] * 2 + ["theft", "fatal", "pest", "tree"]
    >>> variational_distance_of_values(zone_9a, table)
    Fraction(3, 7)
    """
    in_class, in_table = list(map(_named, class_values)), list(map(_named, table_values))
    domain = list(dict.fromkeys(in_table))
    return variational_distance(distribution(in_class, domain), distribution(in_table, domain))


def numeric_distance_of_values(class_values: Sequence[Number], table_values: Sequence[Number]) -> Fraction:
    """Return the numeric distance between the numbers of a class and those of the table.

    Parameters
    ----------
    class_values, table_values
        The numbers, repetitions included.
    """
    in_class = [_exact(value, "A value") for value in class_values]
    in_table = [_exact(value, "A value") for value in table_values]
    domain = sorted(set(in_table))
    return numeric_distance(distribution(in_class, domain), distribution(in_table, domain), domain)


def hierarchical_distance_of_values(
    class_values: Sequence[str], table_values: Sequence[str], hierarchy: Hierarchy
) -> Fraction:
    """Return the hierarchical distance between the values of a class and those of the table.

    Parameters
    ----------
    class_values, table_values
        The values, repetitions included.
    hierarchy
        The tree that has them as leaves.
    """
    domain = list(dict.fromkeys(table_values))
    p, q = distribution(class_values, domain), distribution(table_values, domain)
    return hierarchical_distance(p, q, hierarchy, domain)


def t_closeness_of_values(
    classes: Sequence[Sequence[Hashable]], distance: Callable[..., Fraction], **options: object
) -> Fraction:
    """Return the t of a table: the largest distance between one of its classes and the whole.

    Parameters
    ----------
    classes
        The sensitive values of each class; together they are the table.
    distance
        One of the functions ``..._of_values`` of this module.
    **options
        What else the distance asks for: ``order``, ``hierarchy``.

    Examples
    --------
    >>> diseases = [["gastric ulcer", "gastritis", "stomach cancer"], ["gastritis", "flu", "bronchitis"],
    ...             ["bronchitis", "pneumonia", "stomach cancer"]]
    >>> t_closeness_of_values(diseases, variational_distance_of_values)
    Fraction(4, 9)
    >>> t_closeness_of_values([[3, 4, 5], [6, 11, 8], [7, 9, 10]], ordered_distance_of_values)
    Fraction(3, 8)
    >>> merit = [[1, 4, 2], [3], [3, 4, 3, 1], [4, 3]]
    >>> t_closeness_of_values(merit, ordered_distance_of_values, order="frequency")
    Fraction(1, 3)
    """
    table_values = [value for values in classes for value in values]
    if not classes:
        raise EmptyTableError("There are no classes to measure; give at least one.")
    return max(distance(values, table_values, **options) for values in classes)


def _named(value: Hashable) -> Hashable:
    """Return the value, or None for NaN, the only value that differs from itself."""
    return value if value == value else None


def _differences(p: Shares, q: Shares) -> list[Fraction]:
    _check_length("shares of q", len(q), len(p))
    in_class, in_table = _distribution(p, "p"), _distribution(q, "q")
    return [mine - whole for mine, whole in zip(in_class, in_table, strict=True)]


def _distribution(shares: Shares, name: str) -> list[Fraction]:
    exact = [_exact(share, f"A share of {name}") for share in shares]
    if any(share < 0 for share in exact):
        raise InputError(f"A share of {name} is negative; shares lie between 0 and 1.")
    if sum(exact) != 1:
        raise InputError(
            f"The {len(exact)} shares of {name} do not sum to 1; "
            "write a share that is no decimal as a fraction, such as '1/3', or give counts to distribution()."
        )
    return exact


def _exact(number: Number, name: str) -> Fraction:
    """Return the number a person meant, with plain Python integers whatever its type was."""
    read = fraction(number, name)
    return Fraction(int(read.numerator), int(read.denominator))


def _check_length(what: str, found: int, expected: int) -> None:
    if found != expected:
        raise InputError(f"There are {found} {what} for {expected} shares of p; give as many of one as of the other.")
