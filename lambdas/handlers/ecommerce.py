"""The shop's entry points, one an access pattern: read down, they are the list of its questions."""

from lambdas.design import ecommerce
from lambdas.runtime.endpoint import endpoint

get_user = endpoint(ecommerce.GET_USER)
list_user_orders = endpoint(ecommerce.LIST_USER_ORDERS)
list_order_items = endpoint(ecommerce.LIST_ORDER_ITEMS)
get_user_with_orders = endpoint(ecommerce.GET_USER_WITH_ORDERS)
list_pending_orders = endpoint(ecommerce.LIST_PENDING_ORDERS)
find_user_by_email = endpoint(ecommerce.FIND_USER_BY_EMAIL)
