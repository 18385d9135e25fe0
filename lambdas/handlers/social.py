"""The social network's entry points, one an access pattern."""

from lambdas.design import social
from lambdas.runtime.endpoint import endpoint
from lambdas.writes import social as writes

get_person = endpoint(social.GET_PERSON)
list_following = endpoint(social.LIST_FOLLOWING)
list_followers = endpoint(social.LIST_FOLLOWERS)
get_follow = endpoint(social.GET_FOLLOW)

create_person = endpoint(social.CREATE_PERSON, writes.create_person)
follow = endpoint(social.FOLLOW, writes.follow)
unfollow = endpoint(social.UNFOLLOW, writes.unfollow)
