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
