"""The keys that add, save and discard, without a word of them in the names of the buttons.

Streamlit 1.67 writes a button's own `shortcut` into its accessible name, and does not take along what
still stands in an open field. Leaving the field first, as a mouse click does, hands it over.
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
    const isInBox = event.target?.closest?.(".st-key-add_recipients")
    const key = isInBox && (event.ctrlKey || event.metaKey) && event.key === "Enter" ? "add" : named(event)
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
    """Let Ctrl+S save, Ctrl+Shift+X discard, Ctrl+Enter add from its box; on a Mac with the command key."""
    _mount_shortcuts(key="shortcuts", data={"buttons": {"S": "save", "Shift+X": "discard"}}, height=1)
