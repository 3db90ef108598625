"""Puts the caret into the field for a question, and keeps the lines of a paste apart.

A text field of Streamlit 1.67 has no parameter for the caret, and the browser joins pasted lines. Without
this script all still works: with one click more, and rows are told apart by their ids.
"""

import streamlit as st

LINE_END = "\N{RETURN SYMBOL}"
"""Stands in the field where a pasted line ended."""

_SCRIPT = """
const seen = new WeakSet()
const prepare = (field, lineEnd) => {
  if (seen.has(field)) return
  seen.add(field)
  const isFree = document.activeElement === document.body || document.activeElement === null
  if (isFree) field.focus({ preventScroll: true })
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain").trim() ?? ""
    if (!/[\\r\\n]/.test(text)) return
    event.preventDefault()
    document.execCommand("insertText", false, text.replace(/[ ]*(\\r\\n|\\r|\\n)+[ ]*/g, ` ${lineEnd} `))
  })
}
export default function ({ data }) {
  const field = () => document.querySelector(`.st-key-${data.field} input`)
  const found = field()
  if (found) prepare(found, data.lineEnd)
  const watch = new MutationObserver(() => { const now = field(); if (now) prepare(now, data.lineEnd) })
  watch.observe(document.body, { childList: true, subtree: true })
  return () => watch.disconnect()
}
"""
_mount_script = st.components.v2.component("caret_and_paste", js=_SCRIPT)


def with_line_ends(text: str) -> str:
    """Return the text of the field with the ends of the pasted lines."""
    return text.replace(LINE_END, "\n")


def prepare_field(field: str) -> None:
    """Put the caret into the field with this key when the page opens, and keep pasted lines apart."""
    _mount_script(key="caret_and_paste", data={"field": field, "lineEnd": LINE_END}, height=1)
