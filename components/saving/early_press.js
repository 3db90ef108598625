// Presses of buttons, by key. One that comes while its button is off waits until it is on, or something else is done.
const presses = (window.__presses ??= {
  shortcuts: {}, fields: {}, buttons: {}, tell: {}, waits: "", isInstalled: false, editedAt: undefined,
})
const SENT_AFTER_MS = 150 // Streamlit 1.67 sends an edit of a table so long after it was made
const DRAWN_WITHIN_MS = 5000
const isAnEditUnderWay = () => presses.editedAt !== undefined && performance.now() - presses.editedAt < DRAWN_WITHIN_MS
const letGo = (key) => {
  if (presses.waits !== key) return
  if (isAnEditUnderWay()) { setTimeout(letGo, 200, key); return }
  presses.waits = ""
  button(key)?.click()
}
const button = (key) => document.querySelector(`.st-key-${key} button`)
const press = (key) => {
  const found = button(key)
  presses.waits = ""
  if (!found) return
  if (!found.disabled) { found.click(); return }
  if (!(key in presses.buttons)) return
  if (presses.buttons[key]) { presses.tell[key]("press"); return }
  presses.waits = key
  presses.tell[key]("miss")
}
const named = (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined
  return presses.shortcuts[`${event.shiftKey ? "Shift+" : ""}${event.key.toUpperCase()}`]
}
const entered = (event) => event.key === "Enter" && !event.isComposing &&
  Object.entries(presses.fields).find(([field]) => event.target.closest?.(`.st-key-${field}`))?.[1]
const within = (event) => Object.keys(presses.buttons).find((key) => event.target.closest?.(`.st-key-${key}`))
if (!presses.isInstalled) {
  presses.isInstalled = true
  document.addEventListener("keydown", (event) => {
    if (["Control", "Meta", "Shift", "Alt"].includes(event.key)) return
    const shortcut = named(event), key = shortcut || entered(event)
    if (!key) { presses.waits = ""; return }
    if (shortcut) event.preventDefault()
    if (event.repeat) return
    if (!shortcut) { setTimeout(() => press(key), 0); return }
    document.activeElement?.blur()
    press(key)
  })
  for (const kind of ["pointerdown", "paste", "input", "drop"]) {
    document.addEventListener(kind, (event) => { if (!within(event)) presses.waits = "" }, true)
  }
  document.addEventListener("edit-under-way", () => { presses.editedAt = performance.now() })
  document.addEventListener("click", (event) => { // what is ticked when Save is pressed is what is saved
    const key = within(event)
    if (!key || !presses.buttons[key] || !isAnEditUnderWay()) return
    event.preventDefault()
    event.stopImmediatePropagation()
    presses.waits = key
    letGo(key)
  }, true)
  document.addEventListener("pointerup", (event) => {
    const key = event.button === 0 && within(event)
    if (key && button(key)?.disabled) press(key)
  }, true)
}
export default function ({ data, setTriggerValue }) {
  Object.assign(presses.shortcuts, data.shortcuts)
  Object.assign(presses.fields, data.fields)
  const [field] = Object.keys(data.fields)
  const input = field && document.querySelector(`.st-key-${field} input`)
  if (input && presses.focused !== input) { presses.focused = input; input.focus() }
  const mark = () => { // Streamlit may draw a button later than this, or anew
    for (const [shortcut, key] of Object.entries(data.shortcuts)) {
      const found = button(key), keys = `Control+${shortcut} Meta+${shortcut}`
      if (found && found.getAttribute("aria-keyshortcuts") !== keys) found.setAttribute("aria-keyshortcuts", keys)
    }
  }
  const drawn = new MutationObserver(mark)
  mark()
  drawn.observe(document.body, { childList: true, subtree: true })
  if (performance.now() - presses.editedAt > SENT_AFTER_MS) presses.editedAt = undefined
  for (const [key, isOn] of Object.entries(data.buttons)) {
    if (!data.isPatient) { delete presses.buttons[key]; continue }
    presses.buttons[key] = isOn
    presses.tell[key] = (what) => setTriggerValue(what, true)
    if (!isOn || presses.waits !== key) continue
    if (isAnEditUnderWay()) letGo(key)
    else { presses.waits = ""; setTriggerValue("press", true) }
  }
  return () => {
    drawn.disconnect()
    for (const shortcut of Object.keys(data.shortcuts)) delete presses.shortcuts[shortcut]
    for (const field of Object.keys(data.fields)) delete presses.fields[field]
    for (const key of Object.keys(data.buttons)) delete presses.buttons[key]
  }
}
