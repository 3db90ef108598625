"""The answers to several questions: a table to copy and to download, and the card of the chosen row."""

from collections.abc import Sequence

import streamlit as st

from components.support.answer_card import show_answer
from components.table import show_table
from item_visibility.use_cases.check.answer import Answer
from item_visibility.use_cases.check.answer_words import COLUMNS, answers_as_xlsx, table_rows
from item_visibility.use_cases.desk import Desk


def show_answers(desk: Desk, answers: Sequence[Answer]) -> None:
    """Draw one answer as a card, and several as a table."""
    if len(answers) == 1:
        show_answer(desk, answers[0], 0, is_alone=True)
    if len(answers) < 2:  # noqa: PLR2004  (one is a card)
        return
    rows = table_rows(answers)
    picked = show_table(
        rows,
        COLUMNS,
        key="answers",
        alt="Answers, one row for each question",
        config={"Answer": st.column_config.TextColumn(pinned=True)},  # in view on a phone
        choose="single-row",
        about=[one.question for one in answers],
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover("Copy", key="copy_answers", icon=":material/content_copy:"):
            lines = ["\t".join(row) for row in (COLUMNS, *rows)]
            st.code("\n".join(lines), language=None)
        st.download_button(
            "Download XLSX",
            lambda: answers_as_xlsx(answers),
            file_name="answers.xlsx",
            key="download_answers",
            icon=":material/download:",
            on_click="ignore",
        )
    if picked:
        show_answer(desk, answers[picked[0]], picked[0], is_alone=False)
    else:
        st.caption("Choose a row to see why, and what to send to the customer.")
