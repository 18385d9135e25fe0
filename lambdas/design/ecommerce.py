"""The shop of the lecture: users, orders with their items, products, sessions, jobs."""

from lambdas.design.entity import Entity
from lambdas.design.keys import While
from lambdas.design.pattern import (
    AccessPattern,
    BeginsWith,
    GetItem,
    OneItem,
    Page,
    Parameter,
    ParentAndPage,
    Query,
    Technique,
    WholeCollection,
    Within,
)
from lambdas.design.table import GSI1, GSI2, TABLE
from lambdas.design.values import (
    CalendarPeriod,
    CategoryPath,
    Code,
    Count,
    CurrencyCode,
    DatedId,
    EmailAddress,
    EpochSeconds,
    Flag,
    Id,
    JobStatus,
    Money,
    OrderStatus,
    Period,
    Text,
    TextMap,
    Time,
)

# --- Entities -------------------------------------------------------------------------------


class User(Entity):
    """A person with an account. The orders lie in the same item collection."""

    primary = TABLE.key("USER#{UserId}", "PROFILE")
    by_email = GSI1.key("EMAIL#{Email:lower}", "USER#{UserId}")
    vips = GSI2.key("VIP", "USER#{UserId}", only_while=While("VIP", True))

    UserId: Id
    Name: Text
    Email: EmailAddress
    CreatedAt: Time
    VIP: Flag | None = None
    Address: TextMap | None = None


class EmailGuard(Entity):
    """Makes an e-mail address unique: only one item can have this key."""

    primary = TABLE.key("EMAIL#{Email:lower}", "EMAIL#{Email:lower}")

    Email: EmailAddress
    UserId: Id


class Order(Entity):
    """An order, kept with its user. Its id begins with its date, so that sort-key order is the
    order of time."""

    primary = TABLE.key("USER#{UserId}", "ORDER#{OrderId}")
    pending = GSI1.key("STATUS#PENDING", "{OrderId}", only_while=While("Status", "PENDING"))
    with_items = GSI2.key("ORDER#{OrderId}", "ORDER")

    UserId: Id
    OrderId: DatedId
    Status: OrderStatus
    Total: Money
    Currency: CurrencyCode
    PlacedAt: Time


class OrderItem(Entity):
    """A line of an order: the product's name and price as they were when it was placed."""

    primary = TABLE.key("ORDER#{OrderId}", "ITEM#{ProductId}")
    with_order = GSI2.key("ORDER#{OrderId}", "ITEM#{ProductId}")

    OrderId: DatedId
    ProductId: Id
    UserId: Id
    Name: Text
    Quantity: Count
    UnitPrice: Money


class Product(Entity):
    """Something to buy. Its place in the category hierarchy is a composite sort key."""

    primary = TABLE.key("PRODUCT#{ProductId}", "PRODUCT#{ProductId}")
    by_category = GSI1.key("CATEGORY#{Category:first-level}", "{Category:lower-levels}#{ProductId}")

    ProductId: Id
    Name: Text
    Price: Money
    Currency: CurrencyCode
    Category: CategoryPath


class Session(Entity):
    """A login. Without `ExpiresAt` it does not expire and stays out of the sparse index."""

    primary = TABLE.key("SESSION#{SessionId}", "SESSION#{SessionId}")
    expiring = GSI1.key(
        "SESSION#EXPIRING", "{ExpiresAt:time}#{SessionId}", only_while=While("ExpiresAt")
    )
    of_user = GSI2.key("USER#{UserId}", "SESSION#{ExpiresAt:time-or-never}#{SessionId}")

    SessionId: Id
    UserId: Id
    CreatedAt: Time
    ExpiresAt: EpochSeconds | None = None


class Job(Entity):
    """Background work. Only a failed one has an `ErrorCode` and stands in the sparse index."""

    primary = TABLE.key("JOB#{JobId}", "JOB#{JobId}")
    failed = GSI1.key("JOB#FAILED", "{ErrorCode}#{FailedAt}#{JobId}", only_while=While("ErrorCode"))

    JobId: Id
    Status: JobStatus
    CreatedAt: Time
    ErrorCode: Code | None = None
    FailedAt: Time | None = None


ENTITIES: tuple[type[Entity], ...] = (User, EmailGuard, Order, OrderItem, Product, Session, Job)

# --- Parameters -----------------------------------------------------------------------------

USER_ID = Parameter("user_id", Id, "The user.", fills="UserId", required=True)
ORDER_ID = Parameter("order_id", DatedId, "The order.", fills="OrderId", required=True)
EMAIL = Parameter(
    "email",
    EmailAddress,
    "The address; upper and lower case are the same.",
    fills="Email",
    required=True,
)
FROM = Parameter("from", Period, "The first period of the range.")
TO = Parameter("to", Period, "The last period of the range; all of it belongs to the range.")
PERIOD = Parameter("period", CalendarPeriod, "The whole range in one word.")
NEWEST = Parameter("newest", Flag, "Newest first.", default=False)

# --- Access patterns ------------------------------------------------------------------------

GET_USER = AccessPattern(
    id="AP-01",
    name="get_user",
    route="GET /ecommerce/users/{user_id}",
    summary="A user's profile.",
    operation=GetItem(User.primary),
    answer=OneItem(),
    own_parameters=(USER_ID,),
    shows=(Technique.SINGLE_ITEM,),
    example={"user_id": "U-001"},
)

LIST_USER_ORDERS = AccessPattern(
    id="AP-02",
    name="list_user_orders",
    route="GET /ecommerce/users/{user_id}/orders",
    summary="All orders of a user, oldest first.",
    operation=Query(Order.primary, sort=Within("OrderId", FROM, TO, PERIOD), descending=NEWEST),
    answer=Page(),
    own_parameters=(USER_ID,),
    shows=(Technique.ONE_TO_MANY,),
    example={"user_id": "U-001"},
)

LIST_ORDER_ITEMS = AccessPattern(
    id="AP-03",
    name="list_order_items",
    route="GET /ecommerce/orders/{order_id}/items",
    summary="The items of an order.",
    operation=Query(OrderItem.primary, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(ORDER_ID,),
    shows=(Technique.ONE_TO_MANY,),
    example={"order_id": "2024-01-15"},
)

GET_USER_WITH_ORDERS = AccessPattern(
    id="AP-04",
    name="get_user_with_orders",
    route="GET /ecommerce/users/{user_id}/overview",
    summary="A user and all orders, newest first, in one request.",
    # Backwards, since PROFILE sorts after every ORDER#: first the user, then the newest order.
    operation=Query(User.primary, Order.primary, sort=WholeCollection(), descending=True),
    answer=ParentAndPage("user", "orders"),
    own_parameters=(USER_ID,),
    shows=(Technique.ONE_TO_MANY, Technique.NEWEST_FIRST),
    example={"user_id": "U-001"},
)

LIST_PENDING_ORDERS = AccessPattern(
    id="AP-05",
    name="list_pending_orders",
    route="GET /ecommerce/pending-orders",
    summary="The orders of all users that wait for payment, oldest first.",
    operation=Query(Order.pending, sort=Within("OrderId", FROM, TO)),
    answer=Page(),
    shows=(Technique.SPARSE_INDEX, Technique.INDEX_OVERLOADING),
    example={},
)

FIND_USER_BY_EMAIL = AccessPattern(
    id="AP-06",
    name="find_user_by_email",
    route="GET /ecommerce/user-by-email",
    summary="The user who has an e-mail address.",
    operation=Query(User.by_email, sort=WholeCollection()),
    answer=OneItem(),
    own_parameters=(EMAIL,),
    shows=(Technique.INDEX_OVERLOADING,),
    example={"email": "alice@x.de"},
)

LIST_USER_ORDERS_IN_RANGE = LIST_USER_ORDERS.variant(
    id="AP-07",
    name="list_user_orders_in_range",
    summary="A user's orders of a time range, both ends inclusive.",
    shows=(Technique.TIME_RANGE,),
    example={"user_id": "U-001", "from": "2024-01-01", "to": "2024-01-31"},
)

LIST_USER_ORDERS_OF_PERIOD = LIST_USER_ORDERS.variant(
    id="AP-08",
    name="list_user_orders_of_period",
    summary="A user's orders of one year, month or day.",
    shows=(Technique.TIME_RANGE,),
    example={"user_id": "U-001", "period": "2024"},
)

LIST_NEWEST_USER_ORDERS = LIST_USER_ORDERS.variant(
    id="AP-09",
    name="list_newest_user_orders",
    summary="A user's newest orders.",
    shows=(Technique.NEWEST_FIRST,),
    example={"user_id": "U-001", "newest": "true", "limit": "5"},
)

ACCESS_PATTERNS: tuple[AccessPattern, ...] = (
    GET_USER,
    LIST_USER_ORDERS,
    LIST_ORDER_ITEMS,
    GET_USER_WITH_ORDERS,
    LIST_PENDING_ORDERS,
    FIND_USER_BY_EMAIL,
    LIST_USER_ORDERS_IN_RANGE,
    LIST_USER_ORDERS_OF_PERIOD,
    LIST_NEWEST_USER_ORDERS,
)
