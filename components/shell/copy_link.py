"""Buttons that copy: the link to what is open, so that somebody else sees the same, or a text."""

from collections.abc import Mapping

import streamlit as st

_HTML = """
<button type="button"></button>
<span role="status" aria-live="polite"></span>
"""
_CSS = """
:host { display: block; font: inherit; color: var(--st-text-color); }
button { min-height: 2rem; padding: 0.125rem 0.75rem; font: inherit; font-size: 0.875rem; color: inherit;
  cursor: pointer; white-space: nowrap; background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); }
button.text { min-height: 2.5rem; } /* as high as the buttons beside it */
button:hover { border-color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (pointer: coarse) { button, button.text { min-height: 44px; } }
"""
_SCRIPT = """
const SHOWN_MS = 2500
const copied = async (text) => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copiedTheOldWay(text)
  }
}
const copiedTheOldWay = (text) => {
  const field = document.createElement("textarea")
  field.value = text
  const root = document.querySelector("[role=dialog]") ?? document.body  // a dialog keeps the focus to itself
  root.append(field)
  field.select()
  const isCopied = document.execCommand("copy")
  field.remove()
  return isCopied
}
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button")
  const said = parentElement.querySelector("span")
  const { label, done, failed } = data
  const link = new URL(location.pathname, location.origin)
  link.search = new URLSearchParams(data.parts ?? {})
  const text = data.text ?? link.href
  button.className = data.text === undefined ? "link" : "text"
  let timer
  const rest = () => { button.textContent = label; said.textContent = "" }
  rest()
  button.onclick = async () => {
    const isCopied = await copied(text)
    button.textContent = isCopied ? done : failed
    said.textContent = isCopied ? done : `It could not be copied. ${failed}.`
    button.focus()
    clearTimeout(timer)
    timer = setTimeout(rest, SHOWN_MS)
  }
  return () => clearTimeout(timer)
}
"""
_mount_button = st.components.v2.component("copy_link", html=_HTML, css=_CSS, js=_SCRIPT)


def offer_link(parts: Mapping[str, str]) -> None:
    """Draw the button. The link is this page's address with these parts.

    A browser copies by itself at a secure address only; at others an older way is taken.
    """
    words = {"label": "Copy link", "done": "Link copied", "failed": "Copy the address above"}
    _mount_button(key="copy_link", data=words | {"parts": dict(parts)}, width="content")


def offer_text(text: str, *, label: str, key: str) -> None:
    """Draw a button that copies a text, which also stands below it."""
    words = {"label": label, "done": "Copied", "failed": "Copy the text below"}
    _mount_button(key=key, data=words | {"text": text}, width="content")
