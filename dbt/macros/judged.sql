{#- What the tests of this package share: how thresholds, texts and dialects are written, and which figures fail. -#}

{%- macro tclose_dialect() -%}
{{ {'redshift': 'postgres', 'databricks': 'spark'}.get(target.type, target.type) }}
{%- endmacro -%}

{#- A threshold as a fraction, two whole numbers with a blank between them: '0.2', '1/3', 0.2. -#}
{%- macro tclose_fraction(threshold) -%}
{%- set text = threshold | string | trim -%}
{%- if not modules.re.fullmatch('[0-9]+([.][0-9]+)?|[0-9]+/0*[1-9][0-9]*', text) -%}
{{ exceptions.raise_compiler_error("tclose: write the threshold as a text such as '0.00001' or '1/3', not " ~ text) }}
{%- endif -%}
{%- if '/' in text -%}
{{ text.split('/')[0] | int }} {{ text.split('/')[1] | int }}
{%- else -%}
{%- set places = text.split('.')[1] if '.' in text else '' -%}
{{ (text.split('.')[0] ~ places) | int }} {{ 10 ** (places | length) }}
{%- endif -%}
{%- endmacro -%}

{%- macro tclose_text(text) -%}
'{{ (text | string).replace("'", "''") if tclose.tclose_dialect() in ('duckdb', 'postgres', 'sqlite') else (text | string).replace('\\', '\\\\').replace("'", "\\'") }}'
{%- endmacro -%}

{%- macro tclose_sensitive(column, distance, order, nulls, l, t) -%}
{%- if distance not in ('ordered', 'nominal') -%}
{{ exceptions.raise_compiler_error("tclose: distance is 'ordered' or 'nominal', not " ~ distance) }}
{%- endif -%}
{%- set texts = [] -%}
{%- if order is not string -%}{%- for value in order -%}{%- do texts.append(tclose.tclose_text(value)) -%}{%- endfor -%}{%- endif -%}
{%- set fraction = (tclose.tclose_fraction(t) | trim).split(' ') if t is not none else none -%}
{{ return({
  'column': column, 'label': tclose.tclose_text(column), 'distance': distance,
  'order': order if order is string else texts,
  'nulls': nulls or ('category' if distance == 'nominal' else 'error'),
  'l': l, 't': [fraction[0] | int, fraction[1] | int] if fraction else none,
}) }}
{%- endmacro -%}

{#- The figures that do not hold, or could not be judged: a test passes where there is none. -#}
{%- macro tclose_failing(model, quasi, attributes, k, person) -%}
SELECT * FROM (
{{ tclose.tclose_audit(model, [quasi] if quasi is string else quasi, attributes, k, person, tclose.tclose_dialect() | trim) }}
) AS tclose_judged
WHERE required IS NOT NULL AND (holds IS NULL OR holds = 0)
{%- endmacro -%}
