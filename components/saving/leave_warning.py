"""The browser's question before a window with unsaved staged changes is closed."""

import streamlit as st

_SCRIPT = """
const unsaved = (window.__unsavedRecipients ??= { isDirty: false, isInstalled: false })
if (!unsaved.isInstalled) {
  unsaved.isInstalled = true
  window.addEventListener("beforeunload", (event) => {
    if (unsaved.isDirty) { event.preventDefault() }
  })
}
export default function ({ data }) {
  unsaved.isDirty = Boolean(data?.isDirty)
  return () => { unsaved.isDirty = false }
}
"""
_mount_warning = st.components.v2.component("leave_warning", js=_SCRIPT)


def warn_before_leaving(*, is_dirty: bool) -> None:
    """Have the browser ask before it leaves while something is staged."""
    _mount_warning(key="leave_warning", data={"isDirty": is_dirty}, height=1)
