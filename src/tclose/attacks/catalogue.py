"""The catalogue of attackers: who they are, what they know, and where they come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tclose.attacks.attack_input import AttackInput, Conclusion
from tclose.errors import Ask, Hint, InputError, listed, meant


@dataclass(frozen=True)
class Attacker:
    """An attacker as people choose it."""

    key: str
    conclude: Callable[[AttackInput], Conclusion]
    """Imports the attack when it is first run, and returns what it concludes about everybody."""
    knows: str
    concludes: str
    source: str
    collects: bool = False
    """Whether it needs another release about these people."""
    thresholds: bool = False
    """Whether it needs to know what the release was made to meet."""
    local: bool = False
    """Whether it needs to know that cells are no coarser than their people ask for, which not every tool does."""
    follows: bool = False
    """Whether it follows people through all of their rows, and so needs a value that is the same in them."""

    def applies(self, *, collecting: bool, made: bool, required: bool, following: bool) -> bool:
        """Say whether it can conclude something; the arguments are as for :func:`attackers_named`."""
        known = (following or not self.follows) and (required or not self.thresholds)
        return known and (collecting or not self.collects) and (made or not self.local)


def _reader(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.reader import posteriors

    return Conclusion(posteriors(given.seen))


def _register(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.register import posteriors

    return Conclusion(posteriors(given.seen))


def _method(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.minimality import posteriors

    return Conclusion(posteriors(given.seen))


def _method_share(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.minimality import posteriors_by_share

    return Conclusion(posteriors_by_share(given.seen))


def _model(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.definetti import posteriors

    return Conclusion(posteriors(given.seen))


def _method_model(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.learner import posteriors

    return Conclusion(posteriors(given.seen))


def _finer(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.downcoding import posteriors

    return Conclusion(posteriors(given.seen))


def _corrupted(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.corrupted import conclude

    return conclude(given)


def _two_releases(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.composition import conclude

    return conclude(given)


def _history(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.history import conclude

    return conclude(given)


def _reconstruct(given: AttackInput) -> Conclusion:
    from tclose.attacks.attackers.reconstruct import conclude

    return conclude(given)


ATTACKERS: dict[str, Attacker] = {
    attacker.key: attacker
    for attacker in (
        Attacker(
            "reader",
            _reader,
            "one person's quasi-identifiers",
            "reads all classes that cover them",
            "tclose",
        ),
        Attacker(
            "register",
            _register,
            "everybody's quasi-identifiers",
            "fits who is in which class to the numbers of people",
            "Deming, Stephan 1940",
        ),
        Attacker(
            "method",
            _method,
            "the register, the method and its thresholds",
            "takes a value that a finer class had room for as unlikely in a coarser one",
            "Wong, Fu, Wang, Pei 2007",
            thresholds=True,
        ),
        Attacker(
            "method-share",
            _method_share,
            "the register, the method and its thresholds",
            "the same, where the finer class is the one whose cells cover fewer combinations",
            "Wong, Fu, Wang, Pei 2007",
            thresholds=True,
        ),
        Attacker(
            "model",
            _model,
            "the register",
            "learns from the release which values go with which people (deFinetti)",
            "Kifer 2009",
        ),
        Attacker(
            "method-model",
            _method_model,
            "the register, the method and its thresholds",
            "takes what finer classes had room for as unlikely, and learns from few people which values go with them",
            "Wong, Fu, Wang, Pei 2007; Kifer 2009",
            thresholds=True,
        ),
        Attacker(
            "finer",
            _finer,
            "the register, and that cells are minimal",
            "takes somebody to be at both ends of every cell (downcoding)",
            "Cohen 2022",
            local=True,
        ),
        Attacker(
            "corrupted",
            _corrupted,
            "the register, and the values of one person in ten",
            "takes them out of their classes and looks again",
            "Martin, Kifer, Machanavajjhala, Gehrke, Halpern 2007",
        ),
        Attacker(
            "two-releases",
            _two_releases,
            "the register, and another release about the same people",
            "multiplies what the two releases say",
            "Ganta, Kasiviswanathan, Smith 2008",
            collects=True,
        ),
        Attacker(
            "history",
            _history,
            "all quasi-identifiers of one person, row by row",
            "multiplies what all classes of the person say of a value that never changes",
            "tclose",
            follows=True,
        ),
        Attacker(
            "reconstruct",
            _reconstruct,
            "the register",
            "solves for one value of each person that explains the counts of all classes, by belief propagation",
            "Dinur, Nissim 2003; Pearl 1988",
            follows=True,
        ),
    )
}


def attackers_named(
    keys: object, *, collecting: bool, made: bool, required: bool, following: bool
) -> tuple[Attacker, ...]:
    """Return the attackers of some keys; all that apply where None.

    Parameters
    ----------
    keys
        The keys, or None.
    collecting
        Whether there is another release about these people.
    made
        Whether the release is made here, so that it is known how.
    required
        Whether it is known what the release was made to meet.
    following
        Whether it is known whose the rows are, so that somebody may have several.
    """

    def applies(attacker: Attacker) -> bool:
        return attacker.applies(collecting=collecting, made=made, required=required, following=following)

    if keys is None:
        return tuple(each for each in ATTACKERS.values() if applies(each))
    if isinstance(keys, str) or not hasattr(keys, "__iter__"):
        raise InputError("The attackers are a list of their names, such as ['reader', 'method'].")
    named = tuple(dict.fromkeys(keys))
    for key in named:
        if key not in ATTACKERS:
            problem = f"{key!r} is not an attacker; there are {listed(ATTACKERS, 30)}."
            raise InputError(problem, field="attackers", hint=meant(key, ATTACKERS))
        if not applies(ATTACKERS[key]):
            lacking, hint = _lacks(ATTACKERS[key], collecting=collecting, required=required, following=following)
            raise InputError(f"The attacker {key!r} {lacking}.", field="attackers", hint=hint)
    if not named:
        raise InputError(f"No attacker is named; there are {listed(ATTACKERS, 30)}.", field="attackers")
    return tuple(ATTACKERS[key] for key in named)


def _lacks(attacker: Attacker, *, collecting: bool, required: bool, following: bool) -> tuple[str, Hint | None]:
    if attacker.follows and not following:
        return "follows people who have several rows", Hint("Say whose the rows are: {}.", Ask("person"))
    if attacker.collects and not collecting:
        hint = Hint("Make it with {} or name it with {}.", Ask("twice", value=True), Ask("previous"))
        return "needs another release about the same people", hint
    if attacker.thresholds and not required:
        return "needs to know what the release was made to meet", Hint("Say so, such as {}.", Ask("k", 5))
    return "takes every cell for as fine as its people allow, which is not known of a release that exists", None
