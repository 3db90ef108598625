// Streamlit 1.67 gives the area for files a name and the role of something that has none.
const FILES = '[data-testid="stFileUploaderDropzone"][role="presentation"]'
const mend = () => {
  for (const area of document.querySelectorAll(FILES)) area.setAttribute("role", "group")
}
export default function () {
  mend()
  const watch = new MutationObserver(mend)
  watch.observe(document.body, { childList: true, subtree: true })
  return () => watch.disconnect()
}
