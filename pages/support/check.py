"""Can this recipient see this item? Paste the customer's line and press Enter."""

from components.session import get_desk
from components.support.answer_card import show_answers
from components.support.question_box import ask_questions

desk = get_desk()

# 1. Ask: a line, or rows of a table. A link with supplier, item and recipient is answered at once.
answers = ask_questions(desk)

# 2. Show each answer, read from the service now.
show_answers(desk, answers)
