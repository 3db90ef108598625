"""Can this recipient see this item? Paste the customer's line, press Enter, read the answer out."""

from components.answer_card import show_answer
from components.question_box import ask_question
from components.wiring import get_desk

desk = get_desk()

# 1. Ask. A link with supplier, item and recipient asks by itself.
question = ask_question(desk)

# 2. Answer, read now from the service.
if question is not None:
    show_answer(desk, question)
