"""Keyboard shortcuts for save and discard, kept out of the names of the buttons.

Streamlit 1.67 writes a button's own `shortcut` into its accessible name, and does not send the text of an
open field. Leaving the field first, as a mouse click does, sends it.
"""

import streamlit as st

_SCRIPT = """
const keys = (window.__recipientShortcuts ??= { buttons: {}, isInstalled: false })
const named = (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined
  return keys.buttons[`${event.shiftKey ? "Shift+" : ""}${event.key.toUpperCase()}`]
}
if (!keys.isInstalled) {
  keys.isInstalled = true
  document.addEventListener("keydown", (event) => {
    const key = named(event)
    const button = key && document.querySelector(`.st-key-${key} button`)
    if (!button) return
    event.preventDefault()
    if (event.repeat || button.disabled) return
    document.activeElement?.blur()
    button.click()
  })
}
export default function ({ data }) {
  keys.buttons = data?.buttons ?? {}
  for (const [shortcut, key] of Object.entries(keys.buttons)) {
    const button = document.querySelector(`.st-key-${key} button`)
    button?.setAttribute("aria-keyshortcuts", `Control+${shortcut} Meta+${shortcut}`)
  }
  return () => { keys.buttons = {} }
}
"""
_mount_shortcuts = st.components.v2.component("shortcuts", js=_SCRIPT)


def listen_for_shortcuts() -> None:
    """Bind Ctrl+S to save, Ctrl+Shift+X to discard; on a Mac Command."""
    _mount_shortcuts(key="shortcuts", data={"buttons": {"S": "save", "Shift+X": "discard"}}, height=1)
