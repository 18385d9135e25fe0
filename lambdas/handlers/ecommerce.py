"""The shop's entry points, one an access pattern: read down, they are the list of its questions."""

from lambdas.design import ecommerce
from lambdas.runtime.endpoint import endpoint
from lambdas.writes import ecommerce as writes

get_user = endpoint(ecommerce.GET_USER)
list_user_orders = endpoint(ecommerce.LIST_USER_ORDERS)
list_order_items = endpoint(ecommerce.LIST_ORDER_ITEMS)
get_user_with_orders = endpoint(ecommerce.GET_USER_WITH_ORDERS)
list_pending_orders = endpoint(ecommerce.LIST_PENDING_ORDERS)
find_user_by_email = endpoint(ecommerce.FIND_USER_BY_EMAIL)
get_order = endpoint(ecommerce.GET_ORDER)
get_product = endpoint(ecommerce.GET_PRODUCT)
list_product_orders = endpoint(ecommerce.LIST_PRODUCT_ORDERS)
list_category_products = endpoint(ecommerce.LIST_CATEGORY_PRODUCTS)
list_vip_users = endpoint(ecommerce.LIST_VIP_USERS)
get_session = endpoint(ecommerce.GET_SESSION)
list_expiring_sessions = endpoint(ecommerce.LIST_EXPIRING_SESSIONS)
list_user_sessions = endpoint(ecommerce.LIST_USER_SESSIONS)
list_failed_jobs = endpoint(ecommerce.LIST_FAILED_JOBS)
get_job = endpoint(ecommerce.GET_JOB)

create_user = endpoint(ecommerce.CREATE_USER, writes.create_user)
change_user = endpoint(ecommerce.CHANGE_USER, writes.change_user)
change_email = endpoint(ecommerce.CHANGE_EMAIL, writes.change_email)
delete_user = endpoint(ecommerce.DELETE_USER, writes.delete_user)
place_order = endpoint(ecommerce.PLACE_ORDER, writes.place_order)
change_order_status = endpoint(ecommerce.CHANGE_ORDER_STATUS, writes.change_order_status)
put_product = endpoint(ecommerce.PUT_PRODUCT, writes.put_product)
start_session = endpoint(ecommerce.START_SESSION, writes.start_session)
end_session = endpoint(ecommerce.END_SESSION, writes.end_session)
submit_job = endpoint(ecommerce.SUBMIT_JOB, writes.submit_job)
finish_job = endpoint(ecommerce.FINISH_JOB, writes.finish_job)
