"""Text tables and JSON lines that Spark reads: every cell as text first, and typed as all other readers type it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as T

from tclose.data.sources import ReadOptions
from tclose.engines.text_types import Looking, Sql, infer, kinds_of, marked, plain, problem, types_of
from tclose.errors import EmptyTableError, SourceError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tclose.engines.text_types import TextType


# Text columns on Spark, and what its SQL calls what every engine asks of them.


_BARE = "_bare"
MALFORMED = "malformed"
"""The column that says whether a row could not be cut into its cells."""
_TYPES = {"HUGEINT": "DECIMAL(38,0)", "TIMESTAMP": "TIMESTAMP_NTZ"}
_EPOCH = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"
_UTC = "(?:Z|[-+]00(?::?00)?)"


class SparkSql(Sql):
    """Spark's words; patterns are Java's."""

    def matches(self, text: str, pattern: str) -> str:
        """Return the SQL of whether a pattern matches the whole of a text."""
        return rf"regexp_like({text}, r'^(?:{pattern})\z')"

    def trimmed(self, text: str) -> str:
        """Return the SQL of a text without the blanks around it: a column that :func:`with_bare` has made."""
        return f"{text}{_BARE}"

    def cast(self, text: str, kind: str) -> str:
        """Return the SQL of a text as a value of a type; null where it is none."""
        return f"try_cast({text} AS {_TYPES.get(kind, kind)})"

    def day(self, text: str, form: str) -> str:
        """Return the SQL of a text as a date written in a form such as ``%d.%m.%Y``; null where it is none."""
        mark, parts = form[2], form.split(form[2])
        year, month, day = (f"split_part({text}, '{mark}', {parts.index(part) + 1})" for part in ("%Y", "%m", "%d"))
        return self.cast(f"concat_ws('-', {year}, lpad({month}, 2, '0'), lpad({day}, 2, '0'))", "DATE")

    def moment(self, text: str) -> str:
        """Return the SQL of a point in time that says it is in UTC; null where it is none."""
        bare = self.cast(rf"regexp_replace({text}, r'{_UTC}\z', '')", "TIMESTAMP")
        return f"timestamp_micros(timestampdiff(MICROSECOND, {_EPOCH}, {bare}))"


SQL = SparkSql()


def with_bare(frame: DataFrame) -> DataFrame:
    """Return text columns, and beside each its text without the blanks around it, so that it is made only once."""
    bare = (
        rf"regexp_replace({name}, r'^\p{{Zs}}+|\p{{Zs}}+\z', '') AS {name}{_BARE}"
        for name in frame.columns
        if name != MALFORMED
    )
    return frame.selectExpr("*", *bare)


class SparkTexts(Looking):
    """A frame of text columns.

    Parameters
    ----------
    frame
        The columns, and one called :data:`MALFORMED`.
    refusal
        What to say where a row is malformed.
    """

    at_once = 100

    def __init__(self, frame: DataFrame, refusal: str) -> None:
        super().__init__(SQL)
        self._frame = with_bare(frame)
        self._refusal = refusal

    def seen(self, aggregates: Sequence[str]) -> Sequence[Any]:
        """Return what aggregates over all rows give; refuse malformed rows."""
        found = self._frame.selectExpr(*aggregates, f"bool_or({MALFORMED})").first()
        if found is None or found[-1]:
            raise SourceError(self._refusal)
        return tuple(found[:-1])


SPELLING, PROBLEM = "tclose.spelling", "tclose.problem"
"""What a column of a frame carries besides its type: how its file writes numbers and dates; why it cannot be used."""
_UTF_8 = "UTF-8"
_STRING_OR_NUMBER = r"""r'"(?:[^"\\]++|\\.)*+"|-?(?:[0-9][0-9.eE+-]*+|Infinity)|NaN'"""
"""A string or a number of JSON; it gives nothing back, so that no text is too long for Java."""
_SURROUNDED = f"regexp_replace(value, {_STRING_OR_NUMBER}, concat(chr(1), '$0', chr(2)))"
_END = '"end"'
"""What stands behind a line while it is read, so that nothing after its first value is dropped; its own strings begin
with a mark, so that none of them is this one."""
_STRICT = {"allowSingleQuotes": "false"}
_PLUS = "regexp_replace({0}, '[eE]([0-9])', 'e+$1')"
_MEND = "Mend it, or read the table without Spark."
_NOT_UTF_8 = "is not valid UTF-8. Save it as UTF-8, or read the table without Spark, which finds its encoding."


def read_csv(spark: SparkSession, path: str, options: Mapping[str, Any], read: ReadOptions) -> DataFrame:
    """Return a text table; a decimal comma is recognised where the comma does not separate cells.

    Parameters
    ----------
    spark
        The session that reads.
    path
        What Spark takes for a path.
    options
        Spark's own options.
    read
        What else is said about reading.
    """
    names = spark.read.csv(path, **options).columns
    malformed = "_malformed" + "_" * max(map(len, names), default=0)
    schema = T.StructType([T.StructField(name, T.StringType()) for name in [*names, malformed]])
    broken = _has_broken_lines(spark, path, options)
    reader = spark.read.options(columnNameOfCorruptRecord=malformed, multiLine=broken, enforceSchema=False)
    found = reader.csv(path, schema=schema, **options)
    cells = found.toDF(*(f"c{at}" for at in range(len(found.columns))))
    at = found.columns.index(malformed)
    given = [f"c{place}" for place in range(len(found.columns)) if place != at]
    texts = cells.select(
        *(F.when(~F.col(cell).isin(*read.null), F.col(cell)).alias(cell) for cell in given),
        F.col(f"c{at}").isNotNull().alias(MALFORMED),
    )
    looking = SparkTexts(texts, f"{path} cannot be read: a row has more or fewer cells than the first line.")
    types = infer(looking, given, decimal=read.decimal, commas=options["sep"] != ",")
    titles = [name for name in found.columns if name != malformed]
    if not options["header"]:
        titles = [f"column_{at}" for at in range(1, len(titles) + 1)]
    return with_bare(texts).select(*(_value(cell, name, types[cell]) for cell, name in zip(given, titles, strict=True)))


def _has_broken_lines(spark: SparkSession, path: str, options: Mapping[str, Any]) -> bool:
    """Say whether a cell may go on in the next line, a quote being open; refuse bytes that the encoding has not."""
    quote, line = F.lit(options["quote"]), F.col("value")
    quotes = F.length(line) - F.length(F.replace(line, quote, F.lit("")))
    valid = F.is_valid_utf8(line) if options["encoding"] == _UTF_8 else F.lit(True)
    found = spark.read.text(path).select(F.bool_or(quotes % 2 == 1), F.bool_and(valid)).first() or (False, True)
    if found[1] is False:
        raise SourceError(f"{path} {_NOT_UTF_8}")
    return bool(options["quote"] and found[0])


def _value(cell: str, name: str, kind: TextType, trouble: str | None = None) -> Any:
    """Return the value of a cell under its name."""
    said = {SPELLING: kind.meaning} | ({} if trouble is None else {PROBLEM: trouble})
    return F.expr(kind.value(cell, SQL)).alias(name, metadata=said)


def read_json(spark: SparkSession, path: str, *, lists: bool) -> DataFrame:
    """Return JSON lines, each an object or a list of objects; a list over several lines too, where that is allowed."""
    lines = spark.read.text(path)
    if lines.columns != ["value"]:
        raise SourceError(f"The folders of {path} add columns to JSON files, which is not read. Use CSV or Parquet.")
    refusal = f"{path} is not a table of JSON lines: each line must be one object, or a list of objects. {_MEND}"
    if lists and _has_open_lists(lines):
        lines = spark.read.text(path, wholetext=True).select(F.regexp_replace("value", "^\ufeff", "").alias("value"))
        refusal = f"{path} is JSON but not a table: each of its files must be one list of objects. {_MEND}"
    objects = _objects(lines, path)
    names = _names(objects, path, refusal)
    schema = T.StructType([T.StructField(name, T.StringType()) for name in names])
    parsed = objects.select(F.from_json("object", schema).alias("cells"))
    aliases = [f"c{at}" for at in range(len(names))]
    cells = parsed.select(
        *(F.col("cells").getField(name).alias(alias) for name, alias in zip(names, aliases, strict=True)),
        F.col("cells").isNull().alias(MALFORMED),
    )
    looked = SparkTexts(cells, refusal).seen([kinds_of(alias) for alias in aliases])
    kinds = dict(zip(aliases, looked, strict=True))
    bare = cells.selectExpr(*(f"{plain(alias, kinds[alias], _PLUS)} AS {alias}" for alias in aliases), MALFORMED)
    types = types_of(SparkTexts(bare, refusal), kinds)
    return with_bare(bare).select(
        *(
            _value(alias, name[1:], types[alias], problem(kinds[alias], types[alias]))
            for alias, name in zip(aliases, names, strict=True)
        )
    )


def _has_open_lists(lines: DataFrame) -> bool:
    """Say whether a list goes on in the next line."""
    found = lines.select(F.bool_or(F.expr("trim(value) LIKE '[%' AND NOT rtrim(value) LIKE '%]'"))).first()
    return bool(found and found[0])


def _objects(lines: DataFrame, path: str) -> DataFrame:
    """Return the objects of all lines, their strings and numbers marked; null where a line is not one value alone."""
    full = lines.where("trim(value) <> ''")
    valid = full.select(F.bool_and(F.is_valid_utf8("value"))).first()
    if valid is not None and valid[0] is False:
        raise SourceError(f"{path} {_NOT_UTF_8}")
    cells = full.selectExpr(f"{marked(_SURROUNDED)} AS marked")
    ended = cells.select(
        F.from_json(F.concat(F.lit("["), "marked", F.lit(f",{_END}]")), "array<string>", _STRICT).alias("line")
    )
    alone = ended.selectExpr("CASE WHEN size(line) = 2 AND line[1] = 'end' THEN line[0] END AS one")
    listed = "CASE WHEN one LIKE '[%' THEN one ELSE concat('[', one, ']') END"
    lists = alone.select(F.from_json(F.expr(listed), "array<string>", _STRICT).alias("objects"))
    return lists.select(F.explode(F.coalesce("objects", F.array(F.lit(None).cast("string")))).alias("object"))


def _names(objects: DataFrame, path: str, refusal: str) -> Sequence[str]:
    """Return the keys of all objects: those of the objects with most keys first, in the order that these have them."""
    keys = objects.select(F.json_object_keys("object").alias("keys")).distinct()
    found: dict[str, None] = {}
    for (own,) in keys.orderBy(F.size("keys").desc(), "keys").toLocalIterator():
        if own is None:
            raise SourceError(refusal)
        if len({*own}) < len(own):
            raise SourceError(f"{path}: a key is given twice in one object. Rename one of them.")
        found |= dict.fromkeys(own)
    if objects.isEmpty():
        raise EmptyTableError(f"{path} has no records. There is nobody in it to protect.")
    if not found:
        raise SourceError(refusal)
    if len({name.lower() for name in found}) < len(found):
        raise SourceError(f"Two columns of {path} differ in large and small letters alone. Rename one of them.")
    return list(found)
