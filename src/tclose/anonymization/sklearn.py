"""A transformer for scikit-learn that recodes quasi-identifiers as a recipe does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tclose.anonymization.anonymize import anonymize
from tclose.anonymization.recipes import Recipe, read_recipe
from tclose.engines.errors import imported
from tclose.errors import InputError
from tclose.policy.roles import Roles

_base = imported("sklearn.base", "RecipeTransformer", "learning")


class RecipeTransformer(_base.TransformerMixin, _base.BaseEstimator):  # type: ignore[misc,name-defined]
    """Quasi-identifiers of a frame as the texts of their cells; every row stays where it is.

    Parameters
    ----------
    recipe
        A recipe, or the file of one; without it, ``fit`` makes one from the rows that it is given.
    roles, require, options
        For making one: as for :func:`tclose.anonymize`, ``options`` its further arguments.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [28, 29, 31, 32], "ill": list("abab")})
    >>> made = RecipeTransformer(roles=Roles("age", "ill"), require={"k": 2}, options={"method": "mondrian"})
    >>> made.fit_transform(people)["age"].tolist()
    ['< 30', '< 30', '≥ 30', '≥ 30']
    """

    def __init__(
        self,
        recipe: Any = None,
        *,
        roles: Roles | None = None,
        require: Any = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.recipe = recipe
        self.roles = roles
        self.require = require
        self.options = options

    def fit(self, X: Any, y: object = None) -> RecipeTransformer:  # noqa: N803 - the name that scikit-learn has
        """Read the recipe, or make one from a frame."""
        del y
        if self.recipe is None:
            release = anonymize(X, self.roles, require=self.require or (), **(self.options or {}))
            if release.recipe is None:
                raise InputError("No release of these rows meets the requirements, so there is no recipe of one.")
            self.recipe_ = release.recipe
        else:
            self.recipe_ = self.recipe if isinstance(self.recipe, Recipe) else read_recipe(self.recipe)
        self.feature_names_in_ = imported("numpy", "RecipeTransformer").array(_names(X), dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803 - the name that scikit-learn has
        """Return a frame with its quasi-identifiers recoded."""
        if not hasattr(self, "recipe_"):
            raise InputError("The transformer has no recipe yet; call fit first.")
        return self.recipe_.recode(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns, which stay as they are."""
        if input_features is None:
            return self.feature_names_in_
        return imported("numpy", "RecipeTransformer").array(list(input_features), dtype=object)


def _names(frame: Any) -> list[str]:
    return [str(name) for name in getattr(frame, "column_names", frame.columns)]
