"""The page: its routes, and what each shows.

All state is in the address, so that a view can be kept, shared and gone back to. What a write has
moved no address can say: the last outcomes are kept in memory, each under a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl
from uuid import uuid4

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bench import units
from explorer import asking, changes, exports, pages, placement, reading, rows, workbench
from explorer.captions import LANGUAGES, Captions, preferred
from explorer.connection import Connection
from explorer.guard import Guard
from explorer.pages import View, href
from explorer.reading import COLLECTION_ITEMS, Filter, Page, Unreadable
from explorer.rows import Collection, Marks
from lambdas.design import ENTITIES
from lambdas.design.keys import Index
from lambdas.design.pattern import IDEMPOTENCY_KEY, IF_MATCH, AccessPattern
from lambdas.design.table import TABLE
from lambdas.runtime import items
from lambdas.runtime.items import Item

ROOT: Final = Path(__file__).resolve().parent.parent
HTMX: Final = ROOT / "node_modules" / "htmx.org" / "dist" / "htmx.min.js"

ALL: Final = "all"
"""The four views side by side."""

LONGEST_BODY: Final = 1024 * 1024

MOST_KEPT: Final = 20
"""Of how many writes the outcome is kept, for whoever loads its page again."""

PREFERENCES: Final = {"lang": LANGUAGES, "theme": pages.THEMES, "by": ("dataset", "technique")}
A_YEAR: Final = 365 * 24 * 60 * 60


def explorer(connection: Connection, port: int) -> Starlette:
    """The page for a table, which answers to this machine's names at the port alone."""
    app = Starlette(
        routes=[
            Route("/", overview),
            Route("/rows/{name}", more_rows),
            Route("/patterns/{id}", pattern_page),
            Route("/patterns/{id}", try_change, methods=["POST"]),
            Route("/item", item_page),
            Route("/preferences", preferences),
            Route("/export/explorer.html", export_page),
            Route("/export/workbench.json", export_workbench),
            Route("/export/{name}.png", export_picture),
            Route("/static/htmx.min.js", htmx),
            Mount("/static", StaticFiles(directory=Path(__file__).with_name("static"))),
        ],
        middleware=[Middleware(Guard, port=port)],
        exception_handlers={
            HTTPException: _said,
            Unreadable: _unreadable,
            changes.NoAnswer: _unreadable,
            exports.NoBrowser: _unreadable,
        },
    )
    app.state.connection = connection
    app.state.tried = {}
    return app


# --- Pages ----------------------------------------------------------------------------------


def overview(request: Request) -> Response:
    """The table, four ways side by side or one at a time."""
    chosen = request.query_params.get("view", ALL)
    partition = request.query_params.get("partition")
    if (index := rows.index_of(chosen)) and partition is not None:
        views = [_one_collection(index, partition)]
    else:
        partition = None
        views = [_view(request, each) for each in _chosen(chosen, rows.VIEWS)]
    return _page(request, "overview.html", views=views, view=chosen, partition=partition)


def more_rows(request: Request) -> Response:
    """What follows in a view, to be put in the place of the link to it."""
    index = _index(request.path_params["name"])
    view = _rest(request, index, request.query_params.get("after"))
    return _page(request, "rows.html", view=view)


def pattern_page(request: Request) -> Response:
    """An access pattern; with `run` it is asked, and what it reads lights up; with `tried` it shows
    what a call of it has moved."""
    pattern = _pattern(request)
    if tried := _tried(request, pattern):
        return _outcome(request, tried)
    given = _given(request.query_params) or asking.example(pattern)
    asked = None
    if "run" in request.query_params and asking.is_read(pattern):
        asked = asking.ask(pattern, given)
    index = asked.index if asked else pattern.index
    chosen = request.query_params.get("view") or rows.name_of(index)
    lit = _lit(asked) if asked and asked.exchanges else {}
    views = [
        _view(request, each, lit.get(rows.name_of(each), ()), is_dimmed=bool(lit))
        for each in sorted(_chosen(chosen, rows.VIEWS), key=lambda each: each != index)
    ]
    return _page(
        request,
        "pattern.html",
        pattern=pattern,
        given=given,
        asked=asked,
        item_count=reading.item_count() if asked else 0,
        tried_from=request.query_params.get("from", ""),
        tried=None,
        is_forgotten="tried" in request.query_params,
        views=views,
        view=chosen,
    )


def _outcome(request: Request, tried: changes.Tried) -> Response:
    """Where the items of a write were and are; what has moved comes first."""
    chosen = request.query_params.get("view", ALL)
    indexes = sorted(rows.VIEWS, key=tried.stillness)
    return _page(
        request,
        "pattern.html",
        pattern=tried.pattern,
        given=tried.given_next,
        asked=None,
        item_count=0,
        tried_from="\n".join(tried.tried_from or ()),
        tried=tried,
        tried_name=request.query_params["tried"],
        is_forgotten=False,
        indexes=indexes,
        views=[_changed(request, index, tried) for index in _chosen(chosen, indexes)],
        view=chosen,
    )


async def try_change(request: Request) -> Response:
    """Calls a write of the local cloud's API, and leads to what it has moved, at an address that
    can be loaded again without calling again."""
    sent = await request.body()
    if len(sent) > LONGEST_BODY:
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    if not sent.isascii():  # a form is percent-encoded
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    return await run_in_threadpool(_try_change, request, dict(parse_qsl(sent.decode())))


def _try_change(request: Request, form: Mapping[str, str]) -> Response:
    pattern = _pattern(request)
    api_url = _connection(request).api_url
    if asking.is_read(pattern) or api_url is None:
        raise HTTPException(HTTPStatus.METHOD_NOT_ALLOWED)
    given = _given(form)
    headers = [given.get(each.name, "") for each in (IDEMPOTENCY_KEY, IF_MATCH)]
    if not all(text.isascii() and text.isprintable() for text in headers):
        raise HTTPException(HTTPStatus.BAD_REQUEST)
    # A browser writes a line's end as it wants; JSON does not care.
    partition, _, sort = form.get("from", "").partition("\n")
    tried_from = (partition.strip(), sort.strip()) if sort else None
    name = uuid4().hex
    kept: dict[str, changes.Tried] = request.app.state.tried
    kept[name] = changes.attempt(api_url, pattern, given, tried_from)
    for oldest in list(kept)[:-MOST_KEPT]:
        kept.pop(oldest, None)
    address = href(f"/patterns/{pattern.id}", tried=name)
    return RedirectResponse(f"{address}#outcome", HTTPStatus.SEE_OTHER)


def item_page(request: Request) -> Response:
    """One item: its attributes, its places, the patterns that return it, and what it costs."""
    query = request.query_params
    item = reading.item(query.get("pk", ""), query.get("sk", "")) if _names_item(query) else None
    if item is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    entity = rows.entity_of(item)
    return _page(
        request,
        "item.html",
        item_key=rows.primary_key(item),
        entity=entity,
        type_name=items.type_of(item) or "",
        attributes=rows.attributes(item, entity, None),
        places=placement.places(item),
        readers=placement.readers(item),
        writers=placement.writers(item),
        size=items.size(item),
        largest=items.MAX_ITEM_BYTES,
        read_units=units.read_units(items.size(item)),
        write_units=placement.write_units(item),
    )


def preferences(request: Request) -> Response:
    """Remembers language, theme or order, and goes back to where the choice was made."""
    back = request.query_params.get("back", "/")
    is_ours = back.startswith("/") and not back.startswith(("//", "/\\"))
    answer = RedirectResponse(back if is_ours else "/", HTTPStatus.SEE_OTHER)
    for name, choices in PREFERENCES.items():
        if (value := request.query_params.get(name)) in choices:
            answer.set_cookie(name, value, max_age=A_YEAR, samesite="strict", httponly=True)
    return answer


# --- Exports --------------------------------------------------------------------------------


def export_page(request: Request) -> Response:
    """The views as one file that works without this server."""
    text = exports.page_of_table(_connection(request).table, _filter(request), _captions(request))
    return _download(text.encode(), "text/html; charset=utf-8", "explorer.html")


def export_picture(request: Request) -> Response:
    """A view as a picture."""
    index = _index(request.path_params["name"])
    text = exports.page_of_table(_connection(request).table, _filter(request), _captions(request))
    [(_, picture)] = exports.pictures(text, [index], theme=_preference(request, "theme"))
    return _download(picture, "image/png", f"{rows.name_of(index)}.png")


def export_workbench(request: Request) -> Response:
    """The table as a model of NoSQL Workbench."""
    found, _ = reading.everything(TABLE, _filter(request), exports.MOST_ITEMS)
    text = workbench.written(workbench.model(_connection(request).table, found))
    return _download(text.encode(), "application/json", "workbench.json")


def htmx(_request: Request) -> Response:
    """The browser's library, from the package that npm has installed."""
    return FileResponse(HTMX, media_type="text/javascript")


def _download(content: bytes, media_type: str, name: str) -> Response:
    disposition = f'attachment; filename="{name}"'
    return Response(content, media_type=media_type, headers={"Content-Disposition": disposition})


# --- Views ----------------------------------------------------------------------------------


def _chosen(name: str, indexes: Sequence[Index]) -> list[Index]:
    return [index for index in indexes if name in (ALL, rows.name_of(index))] or list(indexes)


def _view(
    request: Request, index: Index, first: Sequence[Collection] = (), *, is_dimmed: bool = False
) -> View:
    """A view's first page. With four of them that of the table itself stands in the page, and the
    others come as soon as they are read; so does the rest below what is lit."""
    chosen = request.query_params.get("view")
    is_alone = chosen not in (None, ALL)
    if not is_dimmed and (is_alone or index == TABLE):
        return _rest(request, index, request.query_params.get("after"))
    return View(
        index,
        first=first,
        more=_more(request, index, skip=[each.partition for each in first], dim=is_dimmed),
        is_lazy=True,
        is_dimmed=is_dimmed,
    )


def _rest(request: Request, index: Index, after: str | None) -> View:
    """A page of what an index has, without the collections that are shown already."""
    query = request.query_params
    found = _read(index, _filter(request), after)
    skipped = query.getlist("skip")
    shown = [each for each in rows.collections(index, found.items) if each.partition not in skipped]
    is_dimmed = bool(query.get("dim"))
    more = more_page = None
    if found.after:
        more = _more(request, index, after=found.after, skip=skipped, dim=is_dimmed)
        more_page = href("/", view=rows.name_of(index), after=found.after, **_filters(request))
    return View(index, shown, (), more, more_page, False, found.looked_at, is_dimmed)


def _read(index: Index, wanted: Filter, after: str | None) -> Page:
    try:
        return reading.page(index, wanted, after)
    except ValueError:
        raise HTTPException(HTTPStatus.BAD_REQUEST) from None


def _more(request: Request, index: Index, **parameters: Any) -> str:
    dim = "1" if parameters.pop("dim") else ""
    return href(f"/rows/{rows.name_of(index)}", **parameters, dim=dim, **_filters(request))


def _one_collection(index: Index, partition: str) -> View:
    found = reading.collection(index, partition)
    return View(index, _whole(index, found.items, found.after is None))


def _lit(asked: asking.Asked) -> dict[str, list[Collection]]:
    """The collections that a pattern has read, in the index in which it did."""
    lit = [
        collection
        for partition in asked.partitions
        for collection in _with_neighbours(asked, partition)
    ]
    return {rows.name_of(asked.index): lit}


def _with_neighbours(asked: asking.Asked, partition: str) -> list[Collection]:
    """What was read of a collection, and what lies around it."""
    index = asked.index
    around = reading.collection(index, partition, backwards=asked.is_backwards)
    by_key = {rows.primary_key(item): item for item in around.items}
    found = (item for item in asked.found if index.partition_key in item)
    own = {rows.primary_key(i): i for i in found if i[index.partition_key]["S"] == partition}
    whole = around.after is None
    return _whole(index, [*(by_key | own).values()], whole, asked.marks)


def _whole(
    index: Index,
    found: Sequence[Item],
    is_whole: bool,
    marks: Marks | None = None,
    gone: Sequence[Item] = (),
) -> list[Collection]:
    made = rows.collections(index, found, marks, gone)
    return [each._replace(is_whole=is_whole) for each in made]


def _changed(request: Request, index: Index, tried: changes.Tried) -> View:
    """A view after a write: the collections in which something has moved, then the rest."""
    marks = tried.marks(index)
    gone = tried.gone(index)
    first: list[Collection] = []
    for partition in tried.partitions(index):
        around = reading.collection(index, partition)
        ghosts = [item for item in gone if item[index.partition_key]["S"] == partition]
        first += _whole(index, around.items, around.after is None, marks, ghosts)
    skip = [each.partition for each in first]
    more = _more(request, index, skip=skip, dim=bool(tried.changes))
    return View(index, (), first, more, None, True, 0, bool(tried.changes))


# --- What is asked for ----------------------------------------------------------------------


def _pattern(request: Request) -> AccessPattern:
    if pattern := asking.pattern_of(request.path_params["id"]):
        return pattern
    raise HTTPException(HTTPStatus.NOT_FOUND)


def _tried(request: Request, pattern: AccessPattern) -> changes.Tried | None:
    """The write whose outcome the address names; None when it is not known any more."""
    kept: dict[str, changes.Tried] = request.app.state.tried
    tried = kept.get(request.query_params.get("tried", ""))
    return tried if tried and tried.pattern is pattern else None


def _index(name: str) -> Index:
    if index := rows.index_of(name):
        return index
    raise HTTPException(HTTPStatus.NOT_FOUND)


def _names_item(query: Mapping[str, str]) -> bool:
    """Whether both parts of the key are given; DynamoDB takes no empty ones."""
    return bool(query.get("pk") and query.get("sk"))


def _given(form: Mapping[str, str]) -> dict[str, str]:
    """A pattern's parameters among those of the page."""
    return {name[2:]: value for name, value in form.items() if name.startswith("p.")}


def _filter(request: Request) -> Filter:
    query = request.query_params
    names = query.getlist("entity")
    chosen = tuple(entity for entity in ENTITIES if entity.__name__ in names)
    return Filter(chosen, query.get("prefix", ""), query.get("sort", ""))


def _filters(request: Request) -> dict[str, Any]:
    """The filter as parameters of a link."""
    wanted = _filter(request)
    names = [entity.__name__ for entity in wanted.entities]
    return {"entity": names, "prefix": wanted.partition, "sort": wanted.sort}


def _connection(request: Request) -> Connection:
    connection: Connection = request.app.state.connection
    return connection


def _captions(request: Request) -> Captions:
    accepted = request.headers.get("accept-language", "")
    return Captions(_preference(request, "lang", preferred(accepted)))


def _preference(request: Request, name: str, otherwise: str = "") -> str:
    choices = PREFERENCES[name]
    value = request.cookies.get(name)
    return value if value in choices else otherwise or choices[0]


# --- Answers --------------------------------------------------------------------------------


def _page(
    request: Request, template: str, code: HTTPStatus = HTTPStatus.OK, **values: Any
) -> Response:
    by = _preference(request, "by")
    query = f"?{request.url.query}" if request.url.query else ""
    text = pages.render(
        template,
        _captions(request),
        **{"pattern": None, "view": None, "partition": None, **values},
        connection=_connection(request),
        theme=_preference(request, "theme"),
        here=request.url.path + query if request.method == "GET" else request.url.path,
        by=by,
        groups=pages.groups(by),
        filter=_filter(request),
        filters=_filters(request),
        most=COLLECTION_ITEMS,
    )
    return HTMLResponse(text, code)


def _said(request: Request, error: Exception) -> Response:
    """An error page of our own."""
    status = HTTPStatus(error.status_code if isinstance(error, HTTPException) else 500)
    return _page(request, "error.html", status, status=status, reason="")


def _unreadable(request: Request, error: Exception) -> Response:
    status = HTTPStatus.BAD_GATEWAY
    return _page(request, "error.html", status, status=status, reason=str(error))
