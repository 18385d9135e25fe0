"""The university's entry points, one an access pattern."""

from lambdas.design import university
from lambdas.runtime.endpoint import endpoint
from lambdas.writes import university as writes

get_student = endpoint(university.GET_STUDENT)
list_student_seminars = endpoint(university.LIST_STUDENT_SEMINARS)
get_professor = endpoint(university.GET_PROFESSOR)
list_professor_articles = endpoint(university.LIST_PROFESSOR_ARTICLES)
list_professor_seminars = endpoint(university.LIST_PROFESSOR_SEMINARS)
list_seminar_students = endpoint(university.LIST_SEMINAR_STUDENTS)
list_seminar_professors = endpoint(university.LIST_SEMINAR_PROFESSORS)
run_partiql = endpoint(university.RUN_PARTIQL)

enrol = endpoint(university.ENROL, writes.enrol)
set_grade = endpoint(university.SET_GRADE, writes.set_grade)
withdraw = endpoint(university.WITHDRAW, writes.withdraw)
assign_seminar = endpoint(university.ASSIGN_SEMINAR, writes.assign_seminar)
publish_article = endpoint(university.PUBLISH_ARTICLE, writes.publish_article)
move_seminar = endpoint(university.MOVE_SEMINAR, writes.move_seminar)
