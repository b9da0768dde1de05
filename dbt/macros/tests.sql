{#- Every class of the quasi-identifiers has at least k rows, or k people where a column tells people apart. -#}
{% test k_anonymous(model, quasi, k, person=none) %}
{{ tclose.tclose_failing(model, quasi, [], k, person) }}
{% endtest %}

{#- Every class has at least l different values of the column. -#}
{% test l_diverse(model, column_name, quasi, l, nulls='category', person=none) %}
{%- set attribute = tclose.tclose_sensitive(column_name, 'nominal', 'value', nulls, l, none) -%}
{{ tclose.tclose_failing(model, quasi, [attribute], none, person) }}
{% endtest %}

{#- Every class is at most t away from the whole table in the column: the earth mover's distance. -#}
{% test t_close(model, column_name, quasi, t, distance, order='value', nulls=none, person=none) %}
{%- set attribute = tclose.tclose_sensitive(column_name, distance, order, nulls, none, t) -%}
{{ tclose.tclose_failing(model, quasi, [attribute], none, person) }}
{% endtest %}

{#- The model has no column but those that are listed; each column that it has besides is a row of the result.

    Names are compared as the database tells them apart: PostgreSQL by their case, others not. A name that is listed
    stands for one column.
-#}
{% test only_columns(model, columns) %}
{%- if execute -%}
{%- if model is string -%}
{{ exceptions.raise_compiler_error("tclose: only_columns looks at a whole model; take its 'where' away") }}
{%- endif -%}
{%- set found = adapter.get_columns_in_relation(model) -%}
{%- if not found -%}
{{ exceptions.raise_compiler_error("tclose: the database names no column of the model; only_columns needs a table or a view") }}
{%- endif -%}
{%- set exact = (tclose.tclose_dialect() | trim) == 'postgres' -%}
{%- set left = (columns if exact else columns | map('lower')) | list -%}
{%- set others = [] -%}
{%- for column in found -%}
{%- set name = column.name if exact else column.name | lower -%}
{%- if name in left %}{% do left.remove(name) %}{% else %}{% do others.append(column.name) %}{% endif -%}
{%- endfor -%}
{%- for name in others %}
SELECT {{ tclose.tclose_text(name) }} AS column_name{% if not loop.last %} UNION ALL{% endif %}
{%- endfor %}
{%- if not others %}
SELECT column_name FROM (SELECT 'none' AS column_name) AS every_column WHERE 1 = 0
{%- endif %}
{%- else -%}
SELECT 1 AS column_name
{%- endif -%}
{% endtest %}
