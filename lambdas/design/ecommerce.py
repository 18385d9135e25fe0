"""The shop of the lecture: users, orders with their items, products, sessions, jobs."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from lambdas.design.access import Admin, Anyone, Oneself, Owner, Reserved
from lambdas.design.entity import Entity
from lambdas.design.idempotency import RECALL, REMEMBER
from lambdas.design.keys import While
from lambdas.design.operations import (
    BatchGetItem,
    BeginsWith,
    ConditionCheck,
    DeleteItem,
    FromNow,
    GetItem,
    Parameter,
    PutItem,
    Query,
    Transaction,
    UpdateItem,
    WholeCollection,
    Within,
    Write,
)
from lambdas.design.pattern import (
    IDEMPOTENCY_KEY,
    IF_MATCH,
    AccessPattern,
    NewItem,
    NewParentAndAll,
    Nothing,
    OneItem,
    Page,
    ParentAndAll,
    ParentAndPage,
    PutOrReplaced,
    Technique,
)
from lambdas.design.table import GSI1, GSI2, TABLE
from lambdas.design.values import (
    Amount,
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
    JobOutcome,
    JobStatus,
    Money,
    OrderStatus,
    Period,
    SecondsToLive,
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


ENTITIES: tuple[type[Entity], ...] = (
    User,
    EmailGuard,
    Order,
    OrderItem,
    Product,
    Session,
    Job,
)

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
PRODUCT_ID = Parameter("product_id", Id, "The product.", fills="ProductId", required=True)
SESSION_ID = Parameter("session_id", Id, "The session.", fills="SessionId", required=True)
JOB_ID = Parameter("job_id", Id, "The job.", fills="JobId", required=True)
CATEGORY = Parameter(
    "category", CategoryPath, "The category, from the top.", fills="Category", required=True
)
ERROR_CODE = Parameter("error_code", Code, "Only jobs with this code.", fills="ErrorCode")
BEFORE = Parameter(
    "before", Period, "The end: the beginning of a year, month or day, or a time.", required=True
)
FROM = Parameter("from", Period, "The first period of the range; `to` does not lie before it.")
TO = Parameter("to", Period, "The last period of the range; all of it belongs to the range.")
PERIOD = Parameter(
    "period", CalendarPeriod, "The whole range in one word; not together with `from` or `to`."
)
NEWEST = Parameter("newest", Flag, "Newest first.", default=False)

# --- Access patterns ------------------------------------------------------------------------

GET_USER = AccessPattern(
    id="AP-01",
    name="get_user",
    route="GET /ecommerce/users/{user_id}",
    summary="A user's profile.",
    people=Oneself("UserId"),
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
    people=Oneself("UserId"),
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
    people=Owner("UserId"),
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
    people=Oneself("UserId"),
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
    people=Admin(),
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
    people=Admin(),
    operation=Query(User.by_email, sort=BeginsWith()),
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

GET_ORDER = AccessPattern(
    id="AP-10",
    name="get_order",
    route="GET /ecommerce/orders/{order_id}",
    summary="An order and its items at once.",
    people=Owner("UserId"),
    operation=Query(Order.with_items, OrderItem.with_order, sort=WholeCollection()),
    answer=ParentAndAll("order", "items"),
    own_parameters=(ORDER_ID,),
    shows=(Technique.ONE_TO_MANY, Technique.INDEX_OVERLOADING),
    example={"order_id": "2024-01-15"},
)

GET_PRODUCT = AccessPattern(
    id="AP-11",
    name="get_product",
    route="GET /ecommerce/products/{product_id}",
    summary="A product.",
    people=Anyone(),
    operation=GetItem(Product.primary),
    answer=OneItem(),
    own_parameters=(PRODUCT_ID,),
    shows=(Technique.SINGLE_ITEM,),
    example={"product_id": "P-100"},
)

LIST_PRODUCT_ORDERS = AccessPattern(
    id="AP-12",
    name="list_product_orders",
    route="GET /ecommerce/products/{product_id}/orders",
    summary="The ids of the orders that contain a product.",
    people=Admin(),
    operation=Query(OrderItem.inverted, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(PRODUCT_ID,),
    shows=(Technique.INVERTED_INDEX, Technique.MANY_TO_MANY),
    example={"product_id": "P-100"},
)

LIST_CATEGORY_PRODUCTS = AccessPattern(
    id="AP-13",
    name="list_category_products",
    route="GET /ecommerce/products",
    summary="The products of a category and of all categories below it.",
    people=Anyone(),
    operation=Query(Product.by_category, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(CATEGORY,),
    shows=(Technique.COMPOSITE_SORT_KEY, Technique.INDEX_OVERLOADING),
    example={"category": "electronics/audio"},
)

LIST_VIP_USERS = AccessPattern(
    id="AP-14",
    name="list_vip_users",
    route="GET /ecommerce/vip-users",
    summary="The users who are VIPs.",
    people=Admin(),
    operation=Query(User.vips, sort=WholeCollection()),
    answer=Page(),
    shows=(Technique.SPARSE_INDEX,),
    example={},
)

GET_SESSION = AccessPattern(
    id="AP-15",
    name="get_session",
    route="GET /ecommerce/sessions/{session_id}",
    summary="A session that has not expired.",
    people=Owner("UserId"),
    operation=GetItem(Session.primary),
    answer=OneItem(),
    own_parameters=(SESSION_ID,),
    shows=(Technique.SINGLE_ITEM, Technique.TIME_TO_LIVE),
    example={"session_id": "S-001"},
)

LIST_EXPIRING_SESSIONS = AccessPattern(
    id="AP-16",
    name="list_expiring_sessions",
    route="GET /ecommerce/expiring-sessions",
    summary="The sessions of all users that expire before a time, soonest first.",
    people=Admin(),
    operation=Query(Session.expiring, sort=FromNow("ExpiresAt", BEFORE)),
    answer=Page(),
    shows=(Technique.SPARSE_INDEX, Technique.TIME_TO_LIVE),
    example={"before": "9999"},
)

LIST_USER_SESSIONS = AccessPattern(
    id="AP-17",
    name="list_user_sessions",
    route="GET /ecommerce/users/{user_id}/sessions",
    summary="A user's sessions that have not expired, soonest first.",
    people=Oneself("UserId"),
    operation=Query(Session.of_user, sort=FromNow("ExpiresAt")),
    answer=Page(),
    own_parameters=(USER_ID,),
    shows=(Technique.ONE_TO_MANY, Technique.TIME_RANGE, Technique.TIME_TO_LIVE),
    example={"user_id": "U-001"},
)

LIST_FAILED_JOBS = AccessPattern(
    id="AP-18",
    name="list_failed_jobs",
    route="GET /ecommerce/failed-jobs",
    summary="The jobs that failed, all or those with one error code.",
    people=Admin(),
    operation=Query(Job.failed, sort=BeginsWith()),
    answer=Page(),
    own_parameters=(ERROR_CODE,),
    shows=(Technique.SPARSE_INDEX, Technique.COMPOSITE_SORT_KEY),
    example={},
)

GET_JOB = AccessPattern(
    id="AP-19",
    name="get_job",
    route="GET /ecommerce/jobs/{job_id}",
    summary="A job.",
    people=Admin(),
    operation=GetItem(Job.primary),
    answer=OneItem(),
    own_parameters=(JOB_ID,),
    shows=(Technique.SINGLE_ITEM,),
    example={"job_id": "J-001"},
)

# --- Bodies of writes -----------------------------------------------------------------------


class NewUser(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A user who signs up; the id is made when none is given."""

    Name: Text
    Email: EmailAddress
    UserId: Id | None = None
    VIP: Flag | UnsetType | None = UNSET
    Address: TextMap | None = None


class ChangedUser(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What changes of a user; null removes what is optional."""

    Name: Text | UnsetType = UNSET
    VIP: Flag | UnsetType | None = UNSET
    Address: TextMap | UnsetType | None = UNSET


class NewEmail(Struct, forbid_unknown_fields=True):
    """A user's new address."""

    Email: EmailAddress


class Line(Struct, forbid_unknown_fields=True):
    """So many of a product."""

    ProductId: Id
    Quantity: Count


class NewOrder(Struct, forbid_unknown_fields=True):
    """What is ordered; names and prices are the products'."""

    Items: Annotated[
        list[Line],
        Meta(
            min_length=1,
            max_length=97,  # a transaction has 100 actions: the user, the order, and the key
            description="a list of 1 to 97 lines",
        ),
    ]


class NewStatus(Struct, forbid_unknown_fields=True):
    """Where an order goes."""

    Status: OrderStatus


class ProductAsPut(Struct, forbid_unknown_fields=True):
    """A product as it is to be."""

    Name: Text
    Price: Amount
    Currency: CurrencyCode
    Category: CategoryPath


class NewSession(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A session; it does not expire when no time is given."""

    TtlSeconds: SecondsToLive | None = None


class NewJob(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A job; the id is made when none is given."""

    JobId: Id | None = None


class JobResult(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """How a job ended; what failed has a code."""

    Status: JobOutcome
    ErrorCode: Code | None = None


# --- Writes ---------------------------------------------------------------------------------

CREATE_USER = AccessPattern(
    id="CW-01",
    name="create_user",
    route="POST /ecommerce/users",
    summary="Signs up a user whose id and e-mail address nobody else has.",
    people=Oneself("UserId", (Reserved("VIP"),)),
    operation=Write((Transaction((PutItem(User.primary), PutItem(EmailGuard.primary), REMEMBER)),)),
    answer=NewItem("/ecommerce/users/{UserId}"),
    headers=(IDEMPOTENCY_KEY,),
    refuses=(409,),
    body=NewUser,
    shows=(Technique.UNIQUENESS, Technique.IDEMPOTENCY),
    example={},
    example_body=NewUser(Name="Zoë Zander", Email="zoe@x.de", VIP=True),
)

CHANGE_USER = AccessPattern(
    id="CW-02",
    name="change_user",
    route="PATCH /ecommerce/users/{user_id}",
    summary="Changes a user; becoming a VIP, or no longer being one, moves the index entry.",
    people=Oneself("UserId", (Reserved("VIP"),)),
    operation=Write((UpdateItem(User.primary),)),
    answer=OneItem(),
    own_parameters=(USER_ID,),
    headers=(IF_MATCH,),
    refuses=(404, 409),
    body=ChangedUser,
    shows=(Technique.SPARSE_INDEX, Technique.OPTIMISTIC_LOCKING),
    example={"user_id": "U-002"},
    example_body=ChangedUser(VIP=True),
)

CHANGE_EMAIL = AccessPattern(
    id="CW-03",
    name="change_email",
    route="PUT /ecommerce/users/{user_id}/email",
    summary="Changes a user's address; the old one is free again.",
    people=Oneself("UserId"),
    operation=Write(
        (
            GetItem(User.primary),
            Transaction(
                (
                    UpdateItem(User.primary),
                    DeleteItem(EmailGuard.primary),
                    PutItem(EmailGuard.primary),
                )
            ),
        )
    ),
    answer=OneItem(),
    own_parameters=(USER_ID,),
    headers=(IF_MATCH,),
    refuses=(404, 409),
    body=NewEmail,
    shows=(Technique.UNIQUENESS, Technique.OPTIMISTIC_LOCKING),
    example={"user_id": "U-002"},
    example_body=NewEmail(Email="bob.new@x.de"),
)

DELETE_USER = AccessPattern(
    id="CW-04",
    name="delete_user",
    route="DELETE /ecommerce/users/{user_id}",
    summary="Deletes a user's personal data and sessions; orders stay, the id is not given again.",
    people=Oneself("UserId"),
    operation=Write(
        (
            GetItem(User.primary),
            Transaction((PutItem(User.primary), DeleteItem(EmailGuard.primary))),
            Query(Session.of_user),
            DeleteItem(Session.primary),
        )
    ),
    answer=Nothing(),
    own_parameters=(USER_ID,),
    headers=(IF_MATCH,),
    refuses=(404, 409),
    shows=(Technique.UNIQUENESS,),
    example={"user_id": "U-005"},
)

PLACE_ORDER = AccessPattern(
    id="CW-05",
    name="place_order",
    route="POST /ecommerce/users/{user_id}/orders",
    summary="Places an order with all its items, at the present prices, or nothing of it.",
    people=Oneself("UserId"),
    operation=Write(
        (
            RECALL,
            BatchGetItem(Product.primary),
            Transaction(
                (
                    ConditionCheck(User.primary),
                    PutItem(Order.primary),
                    PutItem(OrderItem.primary),
                    REMEMBER,
                )
            ),
        )
    ),
    answer=NewParentAndAll("order", "items", "/ecommerce/orders/{OrderId}"),
    own_parameters=(USER_ID,),
    headers=(IDEMPOTENCY_KEY,),
    refuses=(404, 409),
    body=NewOrder,
    shows=(Technique.ONE_TO_MANY, Technique.IDEMPOTENCY),
    example={"user_id": "U-001"},
    example_body=NewOrder(Items=[Line(ProductId="P-100", Quantity=1)]),
)

CHANGE_ORDER_STATUS = AccessPattern(
    id="CW-06",
    name="change_order_status",
    route="PUT /ecommerce/users/{user_id}/orders/{order_id}/status",
    summary="Moves an order on; whatever is no longer pending leaves the sparse index.",
    people=Oneself("UserId", (Reserved("Status", unless="CANCELLED"),)),
    operation=Write((UpdateItem(Order.primary),)),
    answer=OneItem(),
    own_parameters=(USER_ID, ORDER_ID),
    headers=(IF_MATCH,),
    refuses=(404, 409),
    body=NewStatus,
    shows=(Technique.SPARSE_INDEX, Technique.OPTIMISTIC_LOCKING),
    example={"user_id": "U-001", "order_id": "2024-01-15"},
    example_body=NewStatus(Status="PAID"),
)

PUT_PRODUCT = AccessPattern(
    id="CW-07",
    name="put_product",
    route="PUT /ecommerce/products/{product_id}",
    summary="Puts a product, new or in place of what it was.",
    people=Admin(),
    operation=Write((UpdateItem(Product.primary),)),
    answer=PutOrReplaced("/ecommerce/products/{ProductId}"),
    own_parameters=(PRODUCT_ID,),
    headers=(IF_MATCH,),
    refuses=(409,),
    body=ProductAsPut,
    shows=(Technique.COMPOSITE_SORT_KEY, Technique.OPTIMISTIC_LOCKING),
    example={"product_id": "P-900"},
    example_body=ProductAsPut(
        Name="Plattenspieler", Price=Amount("249.00"), Currency="EUR", Category="electronics/audio"
    ),
)

START_SESSION = AccessPattern(
    id="CW-08",
    name="start_session",
    route="POST /ecommerce/users/{user_id}/sessions",
    summary="Starts a session of a user.",
    people=Oneself("UserId"),
    operation=Write(
        (Transaction((ConditionCheck(User.primary), PutItem(Session.primary), REMEMBER)),)
    ),
    answer=NewItem("/ecommerce/sessions/{SessionId}"),
    own_parameters=(USER_ID,),
    headers=(IDEMPOTENCY_KEY,),
    refuses=(404, 409),
    body=NewSession,
    shows=(Technique.TIME_TO_LIVE, Technique.IDEMPOTENCY),
    example={"user_id": "U-001"},
    example_body=NewSession(TtlSeconds=3600),
)

END_SESSION = AccessPattern(
    id="CW-09",
    name="end_session",
    route="DELETE /ecommerce/sessions/{session_id}",
    summary="Ends a session, whether or not there is one.",
    people=Owner("UserId"),
    operation=Write((DeleteItem(Session.primary),)),
    answer=Nothing(),
    own_parameters=(SESSION_ID,),
    refuses=(409,),
    shows=(Technique.SINGLE_ITEM,),
    example={"session_id": "S-003"},
)

SUBMIT_JOB = AccessPattern(
    id="CW-10",
    name="submit_job",
    route="POST /ecommerce/jobs",
    summary="Queues a job.",
    people=Admin(),
    operation=Write((Transaction((PutItem(Job.primary), REMEMBER)),)),
    answer=NewItem("/ecommerce/jobs/{JobId}"),
    headers=(IDEMPOTENCY_KEY,),
    refuses=(409,),
    body=NewJob,
    shows=(Technique.IDEMPOTENCY,),
    example={},
    example_body=NewJob(JobId="J-900"),
)

FINISH_JOB = AccessPattern(
    id="CW-11",
    name="finish_job",
    route="PUT /ecommerce/jobs/{job_id}/result",
    summary="Ends a job; what fails enters the sparse index, what succeeds leaves it.",
    people=Admin(),
    operation=Write((UpdateItem(Job.primary),)),
    answer=OneItem(),
    own_parameters=(JOB_ID,),
    headers=(IF_MATCH,),
    refuses=(404, 409),
    body=JobResult,
    shows=(Technique.SPARSE_INDEX, Technique.OPTIMISTIC_LOCKING),
    example={"job_id": "J-001"},
    example_body=JobResult(Status="FAILED", ErrorCode="TIMEOUT"),
)

READS: tuple[AccessPattern, ...] = (
    GET_USER,
    LIST_USER_ORDERS,
    LIST_ORDER_ITEMS,
    GET_USER_WITH_ORDERS,
    LIST_PENDING_ORDERS,
    FIND_USER_BY_EMAIL,
    LIST_USER_ORDERS_IN_RANGE,
    LIST_USER_ORDERS_OF_PERIOD,
    LIST_NEWEST_USER_ORDERS,
    GET_ORDER,
    GET_PRODUCT,
    LIST_PRODUCT_ORDERS,
    LIST_CATEGORY_PRODUCTS,
    LIST_VIP_USERS,
    GET_SESSION,
    LIST_EXPIRING_SESSIONS,
    LIST_USER_SESSIONS,
    LIST_FAILED_JOBS,
    GET_JOB,
)

WRITES: tuple[AccessPattern, ...] = (
    CREATE_USER,
    CHANGE_USER,
    CHANGE_EMAIL,
    DELETE_USER,
    PLACE_ORDER,
    CHANGE_ORDER_STATUS,
    PUT_PRODUCT,
    START_SESSION,
    END_SESSION,
    SUBMIT_JOB,
    FINISH_JOB,
)
