"""Can this recipient see this item? Paste the customer's line and press Enter."""

from components.check import ask_questions, show_answers
from components.session import get_desk

desk = get_desk()

# 1. Ask: a line, or rows of a table. A link with supplier, item and recipient is
# answered at once.
answers = ask_questions(desk)

# 2. Read the lists from the service now, and show each answer.
show_answers(desk, answers)
