"""The university's entry points, one an access pattern."""

from lambdas.design import university
from lambdas.runtime.endpoint import endpoint

get_student = endpoint(university.GET_STUDENT)
list_student_seminars = endpoint(university.LIST_STUDENT_SEMINARS)
get_professor = endpoint(university.GET_PROFESSOR)
list_professor_articles = endpoint(university.LIST_PROFESSOR_ARTICLES)
list_professor_seminars = endpoint(university.LIST_PROFESSOR_SEMINARS)
list_seminar_students = endpoint(university.LIST_SEMINAR_STUDENTS)
list_seminar_professors = endpoint(university.LIST_SEMINAR_PROFESSORS)
run_partiql = endpoint(university.RUN_PARTIQL)
