"""The browser's question before a window with unsaved staged changes is closed."""

import streamlit as st

_SCRIPT = """
const guard = (window.__unsavedRecipients ??= { isDirty: false, isInstalled: false })
if (!guard.isInstalled) {
  guard.isInstalled = true
  window.addEventListener("beforeunload", (event) => {
    if (guard.isDirty) { event.preventDefault() }
  })
}
export default function ({ data }) {
  guard.isDirty = Boolean(data?.isDirty)
  return () => { guard.isDirty = false }
}
"""
_mount_guard = st.components.v2.component("unsaved_guard", js=_SCRIPT)


def guard_unsaved(*, is_dirty: bool) -> None:
    """Have the browser ask before it leaves while something is staged."""
    _mount_guard(key="unsaved_guard", data={"isDirty": is_dirty}, height=1)
