"""The social network's entry points, one an access pattern."""

from lambdas.design import social
from lambdas.runtime.endpoint import endpoint

get_person = endpoint(social.GET_PERSON)
list_following = endpoint(social.LIST_FOLLOWING)
list_followers = endpoint(social.LIST_FOLLOWERS)
get_follow = endpoint(social.GET_FOLLOW)
