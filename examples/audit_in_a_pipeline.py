"""A step of a pipeline: audit a release, say what was found, and go on only if it holds.

Run it as it is: it audits a built-in example, once with requirements that it meets and once with one that it misses.
"""

import sys

import tclose

ROLES = tclose.Roles(
    quasi=["zip", "age"],
    sensitive={"salary": tclose.Ordered(), "disease": tclose.Nominal()},
)


def release_if_close(table, require):
    """Return whether a table may be published, and report why not."""
    audit = tclose.audit(table, ROLES, require=require, drivers=False)
    for verdict in audit.verdicts:
        if not verdict.holds:
            of_what = verdict.attribute or "the table"
            rows = f"{verdict.failing_rows} of {audit.rows} rows"
            sys.stdout.write(f"{of_what}: {verdict.requirement.text} does not hold; {rows} are in failing classes.\n")
    return audit.holds is True  # None would mean that nothing was required


def main():
    """Audit twice, and leave with 0 if both come out as they should."""
    try:
        published = release_if_close("example:salary", {"k": 3, "t": {"salary": "3/8", "disease": "4/9"}})
        held_back = not release_if_close("example:salary", {"k": 3, "t": "0.2"})
    except tclose.InputError as problem:
        sys.exit(f"Nothing was judged: {problem}")
    sys.stdout.write(f"published: {published}, held back: {held_back}\n")
    return 0 if published and held_back else 1


if __name__ == "__main__":
    sys.exit(main())
