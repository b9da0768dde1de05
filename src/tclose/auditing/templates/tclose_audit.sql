{#- One SELECT that judges a table where it is: k, distinct l and t, in whole numbers, from GROUP BY and windows.

    tclose_audit(relation, quasi, attributes, k, person, dialect)

    relation    what stands after FROM
    quasi       the quasi-identifiers, quoted
    attributes  the sensitive attributes, each a mapping:
                column (quoted), label (an SQL text), distance ('ordered' or 'nominal'),
                order ('value', 'frequency' or a list of SQL texts), nulls ('error', 'drop', 'first', 'last', 'category'),
                l (a whole number or none), t (none, or the threshold's numerator and denominator)
    k           the least size of a class, or none
    person      the column that tells people apart, quoted, or none: then people are counted
    dialect     'bigquery', 'duckdb', 'postgres', 'snowflake', 'spark' or 'sqlite'

    A class of n has, of attribute a, the distance x / (n · N · (m - 1)) where it is ordered and x / (n · N) where it is
    nominal; N is how many the table has, m how many values. Between two values that a class has, its running count stays
    the same, so all terms of such a gap are added up at once, unless their sign changes within it.

    Where people are counted and somebody has several values, l is 1 in a class whose people all have a value in common,
    and a class is as far from the table as the larger of that distance and of the largest difference, over all values v,
    of the mean distances d(v, V) in the class and in the table, V being the values that a person has in any row. Each of
    the two is compared with the threshold by itself, which keeps the products small.
-#}

{%- macro tclose_types(dialect) -%}
{{ {
    'bigquery': 'BIGNUMERIC FLOAT64 STRING 1e37', 'duckdb': 'HUGEINT DOUBLE VARCHAR 1e37',
    'postgres': 'NUMERIC FLOAT8 TEXT 1e300', 'snowflake': 'DECIMAL(38,0) DOUBLE VARCHAR 1e36',
    'spark': 'DECIMAL(38,0) DOUBLE STRING 1e36', 'sqlite': 'INTEGER REAL TEXT 4e18',
}[dialect] }}
{%- endmacro -%}

{%- macro tclose_names(stem, number, before='', after='') -%}
{%- for at in range(number) %}{{ before }}{{ stem }}{{ at }}{{ after }}{% if not loop.last %}, {% endif %}{% endfor -%}
{%- endmacro -%}

{#- A cell; where it is a number that is none (NaN), it is missing, as in an audit. -#}
{%- macro tclose_cell(column, dialect) -%}
{%- set kinds = {
    'duckdb': "typeof(" ~ column ~ ") IN ('DOUBLE', 'FLOAT') AND CAST(" ~ column ~ " AS VARCHAR) = 'nan'",
    'postgres': "CAST(pg_typeof(" ~ column ~ ") AS TEXT) IN ('double precision', 'real', 'numeric') AND CAST(" ~ column ~ " AS TEXT) = 'NaN'",
    'spark': "typeof(" ~ column ~ ") IN ('double', 'float') AND CAST(" ~ column ~ " AS STRING) = 'NaN'",
    'snowflake': "SYSTEM$TYPEOF(" ~ column ~ ") LIKE 'FLOAT%' AND CAST(" ~ column ~ " AS VARCHAR) = 'NaN'",
    'bigquery': column ~ ' <> ' ~ column,
} -%}
{%- if dialect in kinds -%}
CASE WHEN {{ kinds[dialect] }} THEN NULL ELSE {{ column }} END
{%- else -%}
{{ column }}
{%- endif -%}
{%- endmacro -%}

{#- Whether a value is a text, whose order nobody has given; dates are texts in SQLite. BigQuery cannot be asked. -#}
{%- macro tclose_is_text(value, dialect) -%}
{{ {
    'duckdb': "typeof(" ~ value ~ ") = 'VARCHAR'",
    'postgres': "CAST(pg_typeof(" ~ value ~ ") AS TEXT) IN ('text', 'character varying', 'character', 'name')",
    'spark': "typeof(" ~ value ~ ") = 'string'",
    'snowflake': "SYSTEM$TYPEOF(" ~ value ~ ") LIKE 'VARCHAR%'",
    'sqlite': "typeof(" ~ value ~ ") = 'text' AND " ~ value ~ " NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'",
    'bigquery': '1 = 0',
}[dialect] }}
{%- endmacro -%}

{#- Whether a value may be a number, if it is a text. -#}
{%- macro tclose_has_digit(value, types) -%}
{% for digit in range(10) %}{% if not loop.first %} OR {% endif %}CAST({{ value }} AS {{ types[2] }}) LIKE '%{{ digit }}%'{% endfor %}
{%- endmacro -%}

{#- The whole part of half a whole number. -#}
{%- macro tclose_half(number, dialect) -%}
{{ {
    'duckdb': '(' ~ number ~ ') // 2', 'postgres': '(' ~ number ~ ') / 2', 'sqlite': '(' ~ number ~ ') / 2',
    'bigquery': 'DIV(' ~ number ~ ', 2)', 'spark': '(' ~ number ~ ') DIV 2', 'snowflake': 'FLOOR((' ~ number ~ ') / 2)',
}[dialect] }}
{%- endmacro -%}

{%- macro tclose_value(attribute, dialect) -%}
{%- if attribute.order is string -%}
{{ tclose.tclose_cell(attribute.column, dialect) }}
{%- else -%}
CASE {% for text in attribute.order %}WHEN {{ attribute.column }} = {{ text }} THEN {{ loop.index }} {% endfor %}END
{%- endif -%}
{%- endmacro -%}

{%- macro tclose_place(attribute, dialect) -%}
{%- if attribute.nulls == 'first' %}CASE WHEN v IS NULL THEN 0 ELSE 1 END, {% endif -%}
{%- if attribute.nulls == 'last' %}CASE WHEN v IS NULL THEN 1 ELSE 0 END, {% endif -%}
{%- if attribute.order is string and attribute.order == 'frequency' %}y DESC, {% endif -%}
{%- if dialect == 'postgres' %}CASE WHEN {{ tclose.tclose_is_text('v', dialect) }} THEN CAST(v AS TEXT) END COLLATE "C", {% endif -%}
v
{%- endmacro -%}

{%- macro tclose_too_large() -%}
'the whole numbers are too large for this database'
{%- endmacro -%}

{#- How far the people of each class and of the table are from one value: the largest difference of the two means.

    Nobody is looked at where everybody has one value: then it never exceeds the earth mover's distance.

    nominal     a person is at 0 from the values that they have and at 1 from others. Of the values that nobody in a class
                has, the one that most people of the table have differs most: of the values in the order of y, y being the
                people who have one, the class has the first ones, as many as 'held' says, and lacks the next.
    ordered     between a person's values u < w and halfway between two of them, their distance from v is linear in v, so
                the sum over people is known from where its slope and level change: at the start by -1 and u for the first
                u, at u by 2 and -2u, and behind the middle of u and w by -2 and u + w.
-#}
{%- macro tclose_apart(at, attribute, number, whole, dialect) -%}
{%- set keys = tclose.tclose_names('q', number) -%}
{%- set by_keys = (keys ~ ', ') if number else '' -%}
{%- set in_class = ('PARTITION BY ' ~ keys) if number else '' -%}
{%- set upto_place = in_class ~ ' ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW' -%}
a{{ at }}_values AS (
  {%- if attribute.distance == 'nominal' %}
  SELECT v, y, DENSE_RANK() OVER (ORDER BY v) AS r, COUNT(*) OVER (ORDER BY y DESC) AS upto,
    ROW_NUMBER() OVER (ORDER BY y DESC) AS place
  FROM a{{ at }}_whole WHERE of_class = 0
  {%- else %}
  SELECT v, r FROM a{{ at }}_ranked WHERE of_class = 0
  {%- endif %}
),
a{{ at }}_had AS (
  SELECT p, r FROM (
    SELECT of_person, p, MAX(r) OVER (PARTITION BY v) AS r FROM (
      SELECT 1 AS of_person, p, v, NULL AS r FROM a{{ at }}_once
      UNION ALL
      SELECT 0 AS of_person, NULL AS p, v, r FROM a{{ at }}_values
    ) AS every_value
  ) AS numbered WHERE of_person = 1
),
a{{ at }}_members AS (
  SELECT {{ by_keys }}p, COUNT(*) OVER ({{ in_class }}) AS n FROM (
    SELECT DISTINCT {{ by_keys }}p FROM tclose_source
    WHERE (SELECT MAX(different) FROM (
      SELECT COUNT(DISTINCT s{{ at }}) + MAX(CASE WHEN s{{ at }} IS NULL THEN 1 ELSE 0 END) AS different
      FROM tclose_source GROUP BY p
    ) AS everyone) > 1
    {%- if attribute.nulls in ('drop', 'error') %} AND p IN (SELECT p FROM a{{ at }}_once){% endif %}
  ) AS appearing
),
{%- if attribute.distance == 'nominal' %}
a{{ at }}_shared AS (
  SELECT {{ by_keys }}n, r, COUNT(*) AS c
  FROM a{{ at }}_members AS members JOIN a{{ at }}_had AS had ON had.p = members.p GROUP BY {{ by_keys }}n, r
),
a{{ at }}_prevalences AS (
  SELECT {{ by_keys }}n, CAST(c AS {{ whole }}) AS c, y, upto, COUNT(*) OVER ({{ in_class }} ORDER BY y DESC) AS held
  FROM a{{ at }}_shared AS shared JOIN a{{ at }}_values AS known ON known.r = shared.r
),
a{{ at }}_apart AS (
  SELECT {{ by_keys }}n AS people, MAX(apart) AS apart FROM (
    SELECT {{ by_keys }}n, ABS(c * everybody - y * n) AS apart FROM a{{ at }}_prevalences CROSS JOIN a{{ at }}_total
    UNION ALL
    SELECT {{ by_keys }}n, y * n AS apart FROM (
      SELECT {{ by_keys }}n, MAX(CASE WHEN held = upto THEN held ELSE 0 END) AS had
      FROM a{{ at }}_prevalences GROUP BY {{ by_keys }}n
    ) AS foremost JOIN a{{ at }}_values AS known ON known.place = had + 1
  ) AS differences GROUP BY {{ by_keys }}n
),
{%- else %}
a{{ at }}_following AS (
  SELECT p, r, LAG(r) OVER (PARTITION BY p ORDER BY r) AS before FROM a{{ at }}_had
),
a{{ at }}_turns AS (
  SELECT p, r AS place, 2 AS slope, -2 * r AS level FROM a{{ at }}_following
  UNION ALL
  SELECT p, CASE WHEN before IS NULL THEN 1 ELSE {{ tclose.tclose_half('before + r', dialect) }} + 1 END AS place,
    CASE WHEN before IS NULL THEN -1 ELSE -2 END AS slope, COALESCE(before, 0) + r AS level
  FROM a{{ at }}_following
),
a{{ at }}_usual AS (
  SELECT place, SUM(slope) AS slope, SUM(level) AS level FROM (
    SELECT place, slope, level FROM a{{ at }}_turns
    UNION ALL
    SELECT r AS place, 0 AS slope, 0 AS level FROM a{{ at }}_values
  ) AS changes GROUP BY place
),
a{{ at }}_added AS (
  SELECT {{ by_keys }}n, place, CAST(SUM(slope) AS {{ whole }}) AS slope, CAST(SUM(level) AS {{ whole }}) AS level,
    CAST(SUM(usual_slope) AS {{ whole }}) AS usual_slope, CAST(SUM(usual_level) AS {{ whole }}) AS usual_level
  FROM (
    SELECT {{ by_keys }}n, place, slope, level, 0 AS usual_slope, 0 AS usual_level
    FROM a{{ at }}_members AS members JOIN a{{ at }}_turns AS turns ON turns.p = members.p
    UNION ALL
    SELECT {{ by_keys }}n, place, 0 AS slope, 0 AS level, slope AS usual_slope, level AS usual_level
    FROM (SELECT DISTINCT {{ by_keys }}n FROM a{{ at }}_members) AS every_class CROSS JOIN a{{ at }}_usual
  ) AS changes GROUP BY {{ by_keys }}n, place
),
a{{ at }}_apart AS (
  SELECT {{ by_keys }}n AS people, MAX(ABS(apart)) AS apart FROM (
    SELECT {{ by_keys }}n, place * SUM(slope * everybody - usual_slope * n) OVER ({{ upto_place }})
      + SUM(level * everybody - usual_level * n) OVER ({{ upto_place }}) AS apart
    FROM a{{ at }}_added CROSS JOIN a{{ at }}_total
  ) AS differences GROUP BY {{ by_keys }}n
),
{%- endif %}
{%- endmacro -%}

{%- macro tclose_attribute(at, attribute, number, person, types, dialect) -%}
{%- set whole = types[0] -%}
{%- set keys = tclose.tclose_names('q', number) -%}
{%- set by_keys = (keys ~ ', ') if number else '' -%}
{%- set in_class = ('PARTITION BY ' ~ keys) if number else '' -%}
{%- set carried = 'WHERE s' ~ at ~ ' IS NOT NULL' if attribute.nulls in ('drop', 'error') else '' -%}
{%- set everybody = ', (SELECT CAST(COUNT(DISTINCT p) AS ' ~ whole ~ ') FROM a' ~ at ~ '_once) AS everybody' if person else '' -%}
{%- set factor = [attribute.t[0] if attribute.t else 1, attribute.t[1] if attribute.t else 1, 4 if person else 1] | max -%}
{%- set most = 'MAX(CASE WHEN n >= people THEN n ELSE people END)' if person else 'MAX(n)' -%}
a{{ at }}_cells AS (
  SELECT {% if person %}DISTINCT p, {% endif %}{{ by_keys }}s{{ at }} AS v FROM tclose_source {{ carried }}
),
{%- if person %}
a{{ at }}_once AS (
  SELECT DISTINCT p, v FROM a{{ at }}_cells
),
{%- endif %}
a{{ at }}_counted AS (
  SELECT 1 AS of_class, {{ by_keys }}v, COUNT(*) AS c FROM a{{ at }}_cells GROUP BY {{ by_keys }}v
  UNION ALL
  SELECT 0 AS of_class, {% for key in range(number) %}NULL AS q{{ key }}, {% endfor %}v, SUM(c) AS c FROM (
    SELECT v, COUNT(*) AS c FROM a{{ at }}_{{ 'once' if person else 'cells' }} GROUP BY v
    {%- if attribute.order is not string %}{% for text in attribute.order %}
    UNION ALL SELECT {{ loop.index }} AS v, 0 AS c{% endfor %}{% endif %}
  ) AS occurring GROUP BY v
),
a{{ at }}_whole AS (
  SELECT of_class, {{ by_keys }}v, CAST(c AS {{ whole }}) AS c,
    MAX(CASE WHEN of_class = 0 THEN CAST(c AS {{ whole }}) END) OVER (PARTITION BY v) AS y
  FROM a{{ at }}_counted
),
{%- if attribute.distance == 'nominal' %}
a{{ at }}_total AS (
  SELECT SUM(y) AS total, CAST(1 AS {{ whole }}) AS steps, COUNT(*) AS m{{ everybody }} FROM a{{ at }}_whole WHERE of_class = 0
),
a{{ at }}_shares AS (
  SELECT {{ by_keys }}c, y, SUM(c) OVER ({{ in_class }}) AS n FROM a{{ at }}_whole WHERE of_class = 1
),
a{{ at }}_terms AS (
  SELECT {{ by_keys }}n, 1 AS l, CASE WHEN c * total > y * n THEN c * total - y * n ELSE 0 END AS x
  FROM a{{ at }}_shares CROSS JOIN a{{ at }}_total
),
{%- else %}
a{{ at }}_ranked AS (
  SELECT of_class, {{ by_keys }}v, c, y, DENSE_RANK() OVER (ORDER BY {{ tclose.tclose_place(attribute, dialect) }}) AS r
  FROM a{{ at }}_whole
),
a{{ at }}_running AS (
  SELECT r, SUM(y) OVER (ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto
  FROM a{{ at }}_ranked WHERE of_class = 0
),
a{{ at }}_reference AS (
  SELECT r, upto, SUM(upto) OVER (ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS area
  FROM a{{ at }}_running
),
a{{ at }}_total AS (
  SELECT MAX(upto) AS total, CAST(CASE WHEN MAX(r) > 1 THEN MAX(r) - 1 ELSE 1 END AS {{ whole }}) AS steps, MAX(r) AS m{{ everybody }}
  FROM a{{ at }}_reference
),
a{{ at }}_held AS (
  SELECT {{ by_keys }}r, SUM(c) OVER ({{ in_class }}) AS n,
    SUM(c) OVER ({{ in_class }} ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS held,
    LAG(r) OVER ({{ in_class }} ORDER BY r) AS before, LEAD(r) OVER ({{ in_class }} ORDER BY r) AS after
  FROM a{{ at }}_ranked WHERE of_class = 1
),
a{{ at }}_gaps AS (
  SELECT {{ by_keys }}n, held, before, r AS low, COALESCE(after, m) - 1 AS high, total
  FROM a{{ at }}_held CROSS JOIN a{{ at }}_total
),
a{{ at }}_sums AS (
  SELECT {{ by_keys }}n, held, before, low, high, total, CAST(high - low + 1 AS {{ whole }}) AS width,
    b.area - b.upto AS area_below, t.area AS area_upto,
    CASE WHEN high < low THEN 0
      WHEN held * total >= n * t.upto THEN 1
      WHEN held * total <= n * b.upto THEN -1 END AS side
  FROM a{{ at }}_gaps
  JOIN a{{ at }}_reference AS b ON b.r = low
  LEFT JOIN a{{ at }}_reference AS t ON t.r = high
),
a{{ at }}_terms AS (
  SELECT {{ by_keys }}n, 1 AS l,
    CASE WHEN before IS NULL THEN n * area_below ELSE 0 END
    + CASE WHEN side IN (-1, 1) THEN side * (width * held * total - n * (area_upto - area_below)) ELSE 0 END AS x
  FROM a{{ at }}_sums
  UNION ALL
  SELECT {{ by_keys }}n, 0 AS l, ABS(held * total - n * upto) AS x
  FROM a{{ at }}_sums JOIN a{{ at }}_reference ON r BETWEEN low AND high WHERE side IS NULL
),
{%- endif %}
{%- if person %}
{{ tclose.tclose_apart(at, attribute, number, whole, dialect) }}
a{{ at }}_classes AS (
  SELECT n, CASE WHEN l > 1 AND common = valued THEN 1 ELSE l END AS l, x, size, people, apart FROM (
    SELECT MAX(n) AS n, CASE WHEN MAX(n) IS NOT NULL THEN CAST(SUM(l) AS {{ whole }}) END AS l, SUM(x) AS x,
      CAST(MAX(size) AS {{ whole }}) AS size, MAX(common) AS common, MAX(valued) AS valued, MAX(people) AS people,
      MAX(apart) AS apart
    FROM (
      SELECT {{ by_keys }}n, l, x, 0 AS size, 0 AS common, 0 AS valued, 0 AS people, 0 AS apart FROM a{{ at }}_terms
      UNION ALL
      SELECT {{ by_keys }}CAST(NULL AS {{ whole }}) AS n, 0 AS l, 0 AS x, n AS size, 0 AS common, 0 AS valued, 0 AS people, 0 AS apart
      FROM tclose_classes
      UNION ALL
      SELECT {{ by_keys }}CAST(NULL AS {{ whole }}) AS n, 0 AS l, 0 AS x, 0 AS size, c AS common, 0 AS valued, 0 AS people, 0 AS apart
      FROM a{{ at }}_whole WHERE of_class = 1
      UNION ALL
      SELECT {{ by_keys }}CAST(NULL AS {{ whole }}) AS n, 0 AS l, 0 AS x, 0 AS size, 0 AS common, COUNT(DISTINCT p) AS valued, 0 AS people, 0 AS apart
      FROM a{{ at }}_cells{% if number %} GROUP BY {{ keys }}{% endif %}
      UNION ALL
      SELECT {{ by_keys }}CAST(NULL AS {{ whole }}) AS n, 0 AS l, 0 AS x, 0 AS size, 0 AS common, 0 AS valued, people, apart FROM a{{ at }}_apart
    ) AS parts{% if number %} GROUP BY {{ keys }}{% endif %}
  ) AS sums WHERE n IS NOT NULL OR people > 0
),
a{{ at }}_distances AS (
  SELECT x, n, total FROM (
    SELECT CASE WHEN of_values = 1 THEN x ELSE apart END AS x, CASE WHEN of_values = 1 THEN n ELSE people END AS n,
      CASE WHEN of_values = 1 THEN total ELSE everybody END AS total
    FROM a{{ at }}_classes CROSS JOIN a{{ at }}_total CROSS JOIN (SELECT 1 AS of_values UNION ALL SELECT 0 AS of_values) AS both_sides
  ) AS every_distance WHERE n > 0
),
{%- else %}
a{{ at }}_classes AS (
  SELECT n, l, x, size FROM (
    SELECT MAX(n) AS n, CAST(SUM(l) AS {{ whole }}) AS l, SUM(x) AS x, CAST(MAX(size) AS {{ whole }}) AS size FROM (
      SELECT {{ by_keys }}n, l, x, 0 AS size FROM a{{ at }}_terms
      UNION ALL
      SELECT {{ by_keys }}CAST(NULL AS {{ whole }}) AS n, 0 AS l, 0 AS x, n AS size FROM tclose_classes
    ) AS parts{% if number %} GROUP BY {{ keys }}{% endif %}
  ) AS sums WHERE n IS NOT NULL
),
a{{ at }}_distances AS (
  SELECT x, n, total FROM a{{ at }}_classes CROSS JOIN a{{ at }}_total
),
{%- endif %}
a{{ at }}_near AS (
  SELECT x, n, total, CASE WHEN MIN(total) OVER () = MAX(total) OVER () THEN 0
    ELSE CAST(MAX(x) OVER () AS {{ types[1] }}) * CAST(MAX(n) OVER () AS {{ types[1] }}) * CAST(MAX(total) OVER () AS {{ types[1] }}) END AS product
  FROM (
    SELECT DISTINCT x, n, total FROM (
      SELECT x, n, total, share, MAX(share) OVER () AS largest FROM (
        SELECT x, n, total, CAST(x AS {{ types[1] }}) / CAST(n AS {{ types[1] }}) / CAST(total AS {{ types[1] }}) AS share FROM a{{ at }}_distances
      ) AS shares
    ) AS every_share WHERE share >= largest * 0.999999999
  ) AS near_the_largest
),
a{{ at }}_worst AS (
  SELECT MIN(x) AS x, MIN(n) AS n, total, MAX(product) AS product
  FROM a{{ at }}_near
  WHERE NOT EXISTS (
    SELECT 1 FROM a{{ at }}_near AS other
    WHERE CASE WHEN other.total = a{{ at }}_near.total THEN other.x * a{{ at }}_near.n
        ELSE other.x * a{{ at }}_near.n * a{{ at }}_near.total END
      > CASE WHEN other.total = a{{ at }}_near.total THEN a{{ at }}_near.x * other.n
        ELSE a{{ at }}_near.x * other.n * other.total END
  )
  GROUP BY total ORDER BY total DESC LIMIT 1
),
{%- if attribute.t %}
{%- set too_far = 'x * ' ~ attribute.t[1] ~ ' > n * total * steps * ' ~ attribute.t[0] -%}
{%- if person %}{% set too_far = too_far ~ ' OR apart * ' ~ attribute.t[1] ~ ' > people * everybody * steps * ' ~ attribute.t[0] %}{% endif -%}
{%- endif %}
a{{ at }}_found AS (
  SELECT COUNT(*) AS classes, COUNT(l) AS with_values, MIN(l) AS least, MAX(steps) AS steps,
    SUM(CASE WHEN l < {{ attribute.l or 0 }} THEN 1 ELSE 0 END) AS few,
    SUM(CASE WHEN l < {{ attribute.l or 0 }} THEN size ELSE 0 END) AS few_rows,
    {%- if attribute.t %}
    SUM(CASE WHEN {{ too_far }} THEN 1 ELSE 0 END) AS far,
    SUM(CASE WHEN {{ too_far }} THEN size ELSE 0 END) AS far_rows,
    {%- else %}
    0 AS far, 0 AS far_rows,
    {%- endif %}
    CAST({{ most }} AS {{ types[1] }}) * CAST(MAX(total) AS {{ types[1] }}) * (CAST(MAX(m) AS {{ types[1] }}) + 1)
      * CASE WHEN {{ most }} > {{ factor }} THEN CAST({{ most }} AS {{ types[1] }})
        ELSE {{ factor }} END AS largest
  FROM a{{ at }}_classes CROSS JOIN a{{ at }}_total
),
a{{ at }}_problem AS (
  SELECT CASE
    WHEN COUNT(*) = 0 THEN 'the table has no rows'
    {%- if person %}
    WHEN SUM(CASE WHEN p IS NULL THEN 1 ELSE 0 END) > 0 THEN 'rows name no person'
    {%- endif %}
    {%- if attribute.nulls == 'error' %}
    WHEN SUM(CASE WHEN s{{ at }} IS NULL THEN 1 ELSE 0 END) > 0 THEN
      {% if attribute.order is string %}'values are missing: say what that means'{% else %}'values are missing, or not in the order that is given'{% endif %}
    {%- elif attribute.order is not string %}
    WHEN SUM(CASE WHEN s{{ at }} IS NULL AND given{{ at }} = 1 THEN 1 ELSE 0 END) > 0 THEN 'values are not in the order that is given'
    {%- endif %}
    {%- if attribute.distance == 'ordered' and attribute.order == 'value' %}
    WHEN SUM(CASE WHEN {{ tclose.tclose_is_text('s' ~ at, dialect) }} THEN 1 ELSE 0 END) > 0 THEN 'values are texts: give their order'
    {%- endif %}
    {%- if attribute.distance == 'ordered' and attribute.order == 'frequency' %}
    WHEN SUM(CASE WHEN {{ tclose.tclose_is_text('s' ~ at, dialect) }} THEN 1 ELSE 0 END) > 0
      AND (SELECT COUNT(*) - COUNT(DISTINCT y) FROM a{{ at }}_whole WHERE of_class = 0 AND v IS NOT NULL) > 0
      AND (SELECT COUNT(*) FROM a{{ at }}_whole WHERE of_class = 0 AND NOT ({{ tclose.tclose_has_digit('v', types) }})) = 0
      THEN 'equally frequent texts may be numbers: give their order'
    {%- endif %}
    WHEN COUNT(s{{ at }}) = 0 AND {{ 1 if attribute.nulls in ('drop', 'error') else 0 }} = 1 THEN 'no row has a value'
    WHEN (SELECT largest FROM a{{ at }}_found) > {{ types[3] }} THEN {{ tclose.tclose_too_large() }}
  END AS problem FROM tclose_source
){% endmacro -%}

{#- How many people are in failing classes at the most: somebody may be in several of them. -#}
{%- macro tclose_at_most_everybody(rows, unit, types) -%}
{%- if unit == 'people' -%}
CASE WHEN {{ rows }} > (SELECT COUNT(DISTINCT p) FROM tclose_source)
      THEN (SELECT CAST(COUNT(DISTINCT p) AS {{ types[0] }}) FROM tclose_source) ELSE {{ rows }} END
{%- else -%}
{{ rows }}
{%- endif -%}
{%- endmacro -%}

{%- macro tclose_rows(at, attribute, unit, types) -%}
  SELECT 'l' AS model, {{ attribute.label }} AS attribute, '{{ unit }}' AS counts,
    CASE WHEN problem IS NULL THEN least END AS numerator, CASE WHEN problem IS NULL THEN CAST(1 AS {{ types[0] }}) END AS denominator,
    {% if attribute.l is not none %}'l >= {{ attribute.l }}'{% else %}CAST(NULL AS {{ types[2] }}){% endif %} AS required,
    {% if attribute.l is not none %}CASE WHEN problem IS NULL THEN CASE WHEN few = 0 THEN 1 ELSE 0 END END{% else %}CAST(NULL AS INTEGER){% endif %} AS holds,
    CASE WHEN problem IS NULL THEN few END AS failing_classes, CASE WHEN problem IS NULL THEN {{ tclose.tclose_at_most_everybody('few_rows', unit, types) }} END AS failing_rows, with_values AS classes, problem
  FROM a{{ at }}_found CROSS JOIN a{{ at }}_problem
  UNION ALL
  SELECT 't' AS model, {{ attribute.label }} AS attribute, '{{ unit }}' AS counts,
    CASE WHEN problem IS NULL THEN x END AS numerator, CASE WHEN problem IS NULL THEN n * total * steps END AS denominator,
    {% if attribute.t %}'t <= {{ attribute.t[0] }}/{{ attribute.t[1] }}'{% else %}CAST(NULL AS {{ types[2] }}){% endif %} AS required,
    {% if attribute.t %}CASE WHEN problem IS NULL THEN CASE WHEN far = 0 THEN 1 ELSE 0 END END{% else %}CAST(NULL AS INTEGER){% endif %} AS holds,
    CASE WHEN problem IS NULL THEN far END AS failing_classes, CASE WHEN problem IS NULL THEN {{ tclose.tclose_at_most_everybody('far_rows', unit, types) }} END AS failing_rows, classes, problem
  FROM (
    SELECT x, n, total, steps, far, far_rows, classes,
      CASE WHEN problem IS NULL AND product > {{ types[3] }} THEN {{ tclose.tclose_too_large() }} ELSE problem END AS problem
    FROM a{{ at }}_found CROSS JOIN a{{ at }}_problem LEFT JOIN a{{ at }}_worst ON 1 = 1
  ) AS judged
{%- endmacro -%}

{%- macro tclose_audit(relation, quasi, attributes, k, person, dialect) -%}
{%- set types = tclose.tclose_types(dialect).split(' ') -%}
{%- set unit = 'people' if person else 'rows' -%}
{%- set keys = tclose.tclose_names('q', quasi | length) -%}
WITH tclose_source AS (
  SELECT
    {%- for column in quasi %} {{ tclose.tclose_cell(column, dialect) }} AS q{{ loop.index0 }},{% endfor %}
    {%- for attribute in attributes %} {{ tclose.tclose_value(attribute, dialect) }} AS s{{ loop.index0 }},
    {%- if attribute.order is not string %} CASE WHEN {{ attribute.column }} IS NULL THEN 0 ELSE 1 END AS given{{ loop.index0 }},{% endif %}
    {%- endfor %} {{ tclose.tclose_cell(person, dialect) if person else '1' }} AS p
  FROM {{ relation }}
),
tclose_classes AS (
  SELECT {{ keys ~ ', ' if quasi else '' }}{{ 'COUNT(DISTINCT p)' if person else 'COUNT(*)' }} AS n
  FROM tclose_source{% if quasi %} GROUP BY {{ keys }}{% endif %}
),
tclose_sizes AS (
  SELECT CASE WHEN COUNT(*) = 0 OR MAX(n) = 0 THEN 'the table has no rows'
    {%- if person %} WHEN (SELECT COUNT(*) FROM tclose_source WHERE p IS NULL) > 0 THEN 'rows name no person'{% endif %} END AS problem,
    MIN(n) AS least, COUNT(*) AS classes,
    SUM(CASE WHEN n < {{ k or 0 }} THEN 1 ELSE 0 END) AS small, SUM(CASE WHEN n < {{ k or 0 }} THEN n ELSE 0 END) AS small_rows
  FROM tclose_classes
)
{%- for attribute in attributes %},
{{ tclose.tclose_attribute(loop.index0, attribute, quasi | length, person, types, dialect) }}
{%- endfor %}
SELECT model, attribute, counts, numerator, denominator, required, holds, failing_classes, failing_rows, classes, problem FROM (
  SELECT 'k' AS model, CAST(NULL AS {{ types[2] }}) AS attribute, '{{ unit }}' AS counts,
    CASE WHEN problem IS NULL THEN CAST(least AS {{ types[0] }}) END AS numerator,
    CASE WHEN problem IS NULL THEN CAST(1 AS {{ types[0] }}) END AS denominator,
    {% if k is not none %}'k >= {{ k }}'{% else %}CAST(NULL AS {{ types[2] }}){% endif %} AS required,
    {% if k is not none %}CASE WHEN problem IS NULL THEN CASE WHEN small = 0 THEN 1 ELSE 0 END END{% else %}CAST(NULL AS INTEGER){% endif %} AS holds,
    CASE WHEN problem IS NULL THEN small END AS failing_classes, CASE WHEN problem IS NULL THEN CAST({{ tclose.tclose_at_most_everybody('small_rows', unit, types) }} AS {{ types[0] }}) END AS failing_rows, classes, problem
  FROM tclose_sizes
{%- for attribute in attributes %}
  UNION ALL
{{ tclose.tclose_rows(loop.index0, attribute, unit, types) }}
{%- endfor %}
) AS tclose_figures
{%- endmacro -%}
