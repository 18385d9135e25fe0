"""The functions behind the API.

`design` declares, `runtime` carries out what is declared, `writes` has what writes do beyond that,
and `handlers` has the entry points.
"""

from lambdas.runtime import garbage, settings

if settings.in_lambda():
    garbage.leave()
