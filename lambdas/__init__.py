"""The functions behind the API.

`design` declares, `runtime` carries out what is declared, `handlers` has the entry points.
"""

from lambdas.runtime import garbage, settings

if settings.in_lambda():
    garbage.leave()
