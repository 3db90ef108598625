// Streamlit 1.67 gives the area for files a name and the role of something that has none.
const FILES = '[data-testid="stFileUploaderDropzone"][role="presentation"]'
let itemPage = "" // the parameters of the item that was open last
const mend = () => {
  for (const area of document.querySelectorAll(FILES)) area.setAttribute("role", "group")
  if (location.pathname.endsWith("/")) itemPage = location.search
}

// A press counts for the button where it began, also when something appears above and moves it meanwhile:
// a browser then sends the click to what lies around both places.
const STILL_PX = 4
let press
const clicked = (event) => { if (event.composedPath().includes(press?.button)) press = undefined }
const begin = (event) => {
  const button = event.composedPath().find((one) => one.localName === "button")
  press = event.isPrimary && event.pointerType === "mouse" && event.button === 0 && button
    ? { button, x: event.clientX, y: event.clientY } : undefined
}
const end = (event) => {
  const ended = press
  if (!ended || Math.hypot(event.clientX - ended.x, event.clientY - ended.y) > STILL_PX) return
  setTimeout(() => { // the browser's own click comes before this
    if (press !== ended) return
    press = undefined
    if (ended.button.isConnected) ended.button.click()
  })
}
window.addEventListener("pointerdown", begin, true)
window.addEventListener("click", clicked, true)
window.addEventListener("pointerup", end, true)

// A link may be opened in a new tab. Streamlit 1.67 gives the entries of the navigation no parameters, and an address
// to a link to the item page that leads back to the page where the link stands. Set when it is about to be used.
const ENTRIES = '[data-testid="stTopNavLink"], [data-testid="stTopNavDropdownLink"], [data-testid="stSidebarNavLink"]'
const ENV = "env"
const environmentOf = (parameters) => new URLSearchParams(parameters).get(ENV)
const address = (event) => {
  const link = event.target.closest?.("a")
  if (link?.matches('[data-testid="stPageLink-NavLink"][href^="?"]')) link.setAttribute("href", `./${link.getAttribute("href")}`)
  if (!link?.matches(ENTRIES)) return
  const here = environmentOf(location.search)
  const isItem = link.pathname.endsWith("/")
  if (link.pathname === location.pathname) link.search = location.search
  else if (isItem && environmentOf(itemPage) === here) link.search = itemPage
  else link.search = here === null ? "" : new URLSearchParams({ [ENV]: here })
}
window.addEventListener("pointerover", address, true)
window.addEventListener("focusin", address, true)

export default function () {
  mend()
  const watch = new MutationObserver(mend)
  watch.observe(document.body, { childList: true, subtree: true })
  return () => watch.disconnect()
}
