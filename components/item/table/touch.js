const HALF_BOX_PX = 6
const ticks = (window.__recipientTicks ??= { others: new WeakSet(), isInstalled: false })
const near = (value, middle) => Math.min(Math.max(value, middle - HALF_BOX_PX), middle + HALF_BOX_PX)
const headerPx = () => Math.round(2.1875 * parseFloat(getComputedStyle(document.documentElement).fontSize))
const CANVAS = '[data-testid="data-grid-canvas"]'
const TABLE = ".st-key-recipients_table"
const onPress = (event) => {
  if (!ticks.size) return
  if (event.target.closest?.('[data-testid^="stDataFrameColumn"]')) {
    ticks.others.add(document.querySelector(`${TABLE} ${CANVAS}`) ?? {})
    return
  }
  if (!event.target.matches?.(`${TABLE} :is(.dvn-scroller, ${CANVAS})`)) return
  const table = event.target.closest(TABLE)
  const canvas = table.querySelector(CANVAS)
  if (ticks.others.has(canvas)) return
  const { tickPx, rowPx } = ticks.size
  const box = canvas.getBoundingClientRect()
  const [x, y] = [event.clientX - box.left, event.clientY - box.top]
  const isHeader = y < headerPx()
  if (event.type === "pointerdown") ticks.pressed = { isHeader, x }
  if (isHeader || ticks.pressed?.isHeader) {
    if (x < tickPx + 8 || Math.abs(x - ticks.pressed.x) > 3) ticks.others.add(canvas)
    return
  }
  if (x < 0 || x >= tickPx) return
  if (event.type === "pointerup") document.dispatchEvent(new Event("edit-under-way"))
  const first = headerPx() - (table.querySelector(".dvn-scroller")?.scrollTop ?? 0)
  const middle = first + (Math.floor((y - first) / rowPx) + 0.5) * rowPx
  Object.defineProperty(event, "clientX", { value: box.left + near(x, tickPx / 2) })
  Object.defineProperty(event, "clientY", { value: box.top + near(y, middle) })
}
if (!ticks.isInstalled) {
  ticks.isInstalled = true
  for (const kind of ["pointerdown", "pointerup"]) window.addEventListener(kind, onPress, true)
}
export default function ({ data }) {
  ticks.size = data ?? undefined
  return () => { ticks.size = undefined }
}
