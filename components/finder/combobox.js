// A combobox with a listbox, to the WAI-ARIA pattern: the server finds, this file shows and listens.
// Whatever comes from the server is text: it is set as textContent, never as HTML.

const PAUSE_MS = 120
const LONGEST_QUERY = 200
const WHOLE_NUMBER = /^\s*\d{13}\s*$/
const SEVERAL = /[\n\t,;]/
const NUMBERS = /^\s*\S*\d\S*(\s+\S*\d\S*)+\s*$/
const SENTENCE = /(\S+\s+){4}\S/
const AT_ONCE_MS = 10_000 // a busy machine draws late
// Streamlit 1.67 sends a click and a change of this field that come together as one run of the field alone.
const AFTER_CLICK_MS = 600
const isList = (text) => SEVERAL.test(text) || NUMBERS.test(text) || SENTENCE.test(text)
const memory = new WeakMap()
const left = (window.__findByName ??= {})

const made = (tag, attributes, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}
const named = ({ name, note, number, mark }) => {
  const text = made("span", { class: "text" })
  if (name) text.append(made("span", { class: "name" }, name))
  if (note) text.append(made("span", {}, name ? ` · ${note}` : note))
  const beside = mark ? [made("span", { class: "mark" }, mark)] : []
  return [text, ...beside, ...(number ? [made("span", { class: "number" }, number)] : [])]
}
const called = ({ name, number }) => [name, number].filter(Boolean).join(" ")

export default function ({ data, parentElement: root, setStateValue }) {
  const at = (selector) => root.querySelector(selector)
  const input = at("input"), list = at("[role=listbox]"), chips = at(".chips"), asks = at(".asks")
  const panel = at(".panel"), hint = at("#hint"), status = at("[role=status]"), add = at(".add")
  const one = at("#one"), clear = at(".clear"), box = at(".box")
  const line = at(".line"), decide = at(".decide"), said = at(".said"), drop = at(".drop")
  const isNew = !memory.has(root)
  const m = memory.get(root) ?? { active: -1, timer: 0, isOpen: false, isTyped: false, isAsking: true, waits: "", raw: "" }
  memory.set(root, m)

  // A field of one choice shows the name of what is chosen: that is no text to look for.
  const typed = () => (data.isSingle && !m.isTyped ? "" : input.value)
  const isAnswered = () => data.query === typed() || typed().length > LONGEST_QUERY
  const matches = () => (data.query === typed() ? data.options : [])
  const options = () => {
    const found = matches()
    const asNumber = { id: typed().trim(), number: "", note: data.asNumber, isNumber: true }
    return found.length && data.asNumber && typed().trim() ? [...found, asNumber] : found
  }
  const say = (words) => { if (status.textContent !== words) status.textContent = words }
  const ask = () => {
    clearTimeout(m.timer)
    if (typed().length <= LONGEST_QUERY && data.query !== typed()) setStateValue("query", typed())
  }
  m.ask = ask // a timer may end after the next drawing
  // An act is state until the server has taken it in: a trigger is lost when the next click cuts its run off.
  const sent = (left[data.key] ??= { acts: [], serial: 0 })
  sent.acts = sent.acts.filter((one) => one.serial > data.done)
  const send = (act, value) => {
    sent.serial = Math.max(Date.now(), sent.serial + 1)
    sent.acts.push({ serial: sent.serial, about: data.about, act, value })
    setStateValue("acts", [...sent.acts])
  }
  const empty = () => {
    clearTimeout(m.timer)
    input.value = sent.text = sent.waits = ""
    Object.assign(m, { active: -1, isOpen: false, isTyped: false, waits: "" })
    setStateValue("query", "")
    drawOne(data.chosen[0])
    show()
  }
  const choose = (option) => {
    empty()
    if (data.isSingle) drawOne(option)
    send(option.group ? "grouped" : option.isNumber ? "used" : "picked", option.id)
  }
  const enter = (text) => { empty(); send("entered", text) }
  const remove = (chip) => {
    if (data.isSingle) { empty(); drawOne() }
    say(`${called(chip)} removed`)
    send(chip.group ? "ungrouped" : "removed", chip.id)
    input.focus()
  }

  // Enter and Add take what is marked, what the text names without a doubt, or the text itself when nothing fits.
  const take = (way, isSeen) => {
    const marked = options()[m.active], found = matches()
    if (marked && m.isOpen) return choose(marked)
    if (!input.value.trim() && m.isTyped && data.isSingle && data.chosen.length) return remove(data.chosen[0])
    if (!typed().trim()) return
    if (!isAnswered()) { m.waits = way; return ask() }
    const sure = found.find((option) => !option.group && option.id === data.taken)
    if (sure) return choose(sure)
    if (found.length === 1 && isSeen && way === "enter") return choose(found[0])
    if (!found.length || way === "add") return enter(input.value)
    m.isOpen = true
    m.active = found.length === 1 ? 0 : -1
    show("Choose one with the arrow keys, or type more.")
  }

  const show = (words = "") => {
    const found = options()
    list.hidden = !(m.isOpen && found.length)
    input.setAttribute("aria-expanded", String(!list.hidden))
    m.active = list.hidden ? -1 : Math.min(m.active, found.length - 1)
    list.replaceChildren(...found.map((option, position) => {
      const line = made("li", { id: `option-${position}`, role: "option", "aria-selected": String(position === m.active) },
        ...named(option))
      line.onclick = () => choose(option)
      return line
    }))
    if (m.active < 0) input.removeAttribute("aria-activedescendant")
    else {
      input.setAttribute("aria-activedescendant", `option-${m.active}`)
      list.children[m.active].scrollIntoView({ block: "nearest" })
    }
    const isNone = isAnswered() && m.isOpen && typed().trim() && !found.length
    const none = data.isSingle && !data.asNumber ? "No match. Try fewer letters, or press Enter for the nearest."
      : "No match. Press Enter to see the nearest, or to enter a number or a text."
    hint.textContent = words || (isNone ? data.moreWords || none : list.hidden ? "" : data.moreWords)
    hint.hidden = !hint.textContent
    panel.hidden = list.hidden && hint.hidden
    if (!list.hidden) say(`${matches().length} found ${data.moreWords}. ${words}`)
    else if (hint.textContent) say(hint.textContent)
    showAsks()
  }
  // Questions lie over the page, so they close when the person goes elsewhere; the line below brings them back.
  const showAsks = () => {
    asks.hidden = !data.asked.length || (!data.isSingle && !(m.isAsking && panel.hidden))
  }

  const drawOne = (choice) => {
    if (!data.isSingle) return
    if (!m.isTyped) input.value = choice ? choice.name || choice.number : ""
    const isNamed = !m.isTyped && Boolean(choice?.name)
    const parts = isNamed ? [made("span", { class: "wide" }, choice.number), made("span", { class: "narrow" }, choice.note)] : []
    one.replaceChildren(...parts)
    one.hidden = !isNamed
    clear.hidden = m.isTyped || !choice
    if (choice) clear.setAttribute("aria-label", `Remove ${called(choice)}`)
  }
  const focusChip = (position) => {
    const buttons = [...chips.querySelectorAll("button")]
    ;(position >= 0 && position < buttons.length ? buttons[position] : input).focus()
  }
  const drawChips = () => {
    const drawn = (data.isSingle ? [] : data.chosen).map((chip, position) => {
      const button = made("button", { type: "button", class: "remove", "aria-label": `Remove ${called(chip)}` }, "\u00d7")
      button.disabled = data.isOff
      button.onclick = () => remove(chip)
      button.onkeydown = (event) => {
        if (event.key === "ArrowLeft") focusChip(Math.max(position - 1, 0))
        else if (event.key === "ArrowRight") focusChip(position + 1)
        else if ((event.key === "Backspace" || event.key === "Delete") && !event.repeat) remove(chip)
        else return
        event.preventDefault()
      }
      return made("li", { class: "chip" }, ...named(chip), button)
    })
    if (data.more) drawn.unshift(made("li", { class: "chip more" }, `${data.more} more`))
    chips.replaceChildren(...drawn)
    chips.hidden = !drawn.length
    if (m.last !== data.chosen.at(-1)?.id) box.scrollTop = box.scrollHeight
    m.last = data.chosen.at(-1)?.id
  }
  const drawAsks = () => {
    const answer = (words, act, value) => {
      const button = made("button", { type: "button" }, ...words)
      button.disabled = data.isOff
      button.onclick = () => { input.focus(); send(act, value) }
      return button
    }
    const drawn = data.asked.map(({ text, shown, alike, before, after, use }, position) => {
      const words = made("span", { class: "words", id: `ask-${position}` },
        before && `${before} `, made("span", { class: "name" }, shown), after && ` ${after}`)
      const likely = alike.map((one) => answer(named(one), "named", [text, one.id]))
      const asId = use ? [answer([use], "used", text)] : []
      const drop = answer(["\u00d7"], "dropped", text)
      drop.setAttribute("aria-label", `Drop ${shown}`)
      drop.className = "remove"
      for (const button of asId) button.setAttribute("aria-describedby", `ask-${position}`)
      return made("li", { class: "ask" }, words, ...likely, ...asId, drop)
    })
    const others = data.askedInAll - data.asked.length
    if (data.askedInAll > 1) {
      const words = others > 0 ? [`and ${others} more texts`] : []
      drawn.push(made("li", { class: "ask" }, ...words, answer([`Drop all ${data.askedInAll}`], "dropped all", "")))
    }
    asks.replaceChildren(...drawn)
    const texts = data.asked.map(({ text }) => text).join("\n")
    const focused = document.activeElement
    if (m.texts !== texts && texts) {
      m.isAsking = isHere() || focused === document.body || !focused
      say(`${data.askedInAll} to decide: ${data.asked.map(({ shown }) => shown).join(", ")}`)
    }
    m.texts = texts
  }
  const drawLine = () => {
    line.hidden = data.isSingle
    decide.hidden = !data.askedInAll
    decide.textContent = `${data.askedInAll} to decide`
    said.textContent = [data.ignored && `Ignored: ${data.ignored}`, data.note].filter(Boolean).join(" · ")
    said.title = said.textContent
    drop.hidden = !data.ignored
    decide.disabled = drop.disabled = data.isOff
  }

  const move = (event) => {
    if (data.isSingle && event.key.startsWith("Arrow")) ask()
    const found = options(), last = found.length - 1, isDown = event.key === "ArrowDown"
    if (event.key === "Home" || event.key === "End") {
      if (m.active < 0) return
      m.active = event.key === "Home" ? 0 : last
    } else {
      m.isOpen = true
      if (m.active < 0) m.active = isDown ? 0 : last
      else m.active = (m.active + (isDown ? 1 : -1) + found.length) % found.length
      if (!found.length) m.active = -1
    }
    event.preventDefault()
    show()
  }
  const close = () => { m.isOpen = false; m.active = -1; show() }
  const isHere = () => Boolean(root.getRootNode().activeElement)

  // Streamlit 1.67 builds the field anew when something appears above it: text and focus come back.
  if (isNew) {
    const { text = "", waits = "", at: leftAt = -Infinity, isTaken } = sent
    const isAtOnce = performance.now() - leftAt < AT_ONCE_MS
    const hadFocus = isAtOnce && isTaken && document.activeElement === document.body
    const isKept = hadFocus || (isAtOnce && (waits || !data.isSingle || !data.chosen.length))
    m.isTyped = Boolean(isKept && text)
    input.value = isKept ? text : data.isSingle ? "" : data.query
    if (isKept) Object.assign(m, { isOpen: Boolean(hadFocus && text), waits })
    if (hadFocus) setTimeout(() => input.focus())
  }
  // Half a text was meant for the item that was open: it does not go along to another one.
  const hasFocus = root.getRootNode().activeElement === input
  const isLeft = sent.about && sent.about !== data.about && (data.isSingle ? data.isOff : !hasFocus)
  sent.about = data.about
  if (isLeft && input.value) empty()

  asks.classList.toggle("over", !data.isSingle)
  box.classList.toggle("many", !data.isSingle)
  at("label").textContent = data.label
  input.placeholder = data.placeholder
  input.disabled = add.disabled = clear.disabled = data.isOff
  add.hidden = data.isSingle

  input.oninput = (event) => {
    m.isTyped = true
    drawOne(data.chosen[0])
    const isAtOnce = !data.isSingle && event.inputType === "insertText" && event.data === input.value && input.value.length > 1
    if (isAtOnce && (isList(m.raw) || WHOLE_NUMBER.test(input.value))) {
      return enter(m.raw)
    }
    Object.assign(m, { isOpen: true, active: -1, waits: "" })
    clearTimeout(m.timer)
    m.timer = setTimeout(() => m.ask(), PAUSE_MS)
    show()
  }
  input.onbeforeinput = (event) => { m.raw = event.data ?? "" }
  input.onpaste = (event) => {
    const text = event.clipboardData.getData("text")
    const isNumber = /\d/.test(text) && !/\s/.test(text.trim())
    if (data.isSingle || input.value || !(isList(text.trim()) || isNumber)) return
    event.preventDefault()
    enter(text)
  }
  input.onkeydown = (event) => {
    if (event.isComposing) return
    if (["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return move(event)
    if (event.key === "Enter") {
      event.preventDefault()
      if (!event.repeat) take(event.ctrlKey || event.metaKey ? "add" : "enter", m.isOpen)
    } else if (event.key === "Escape") {
      if (m.isOpen) close()
      else if (!data.isSingle && !asks.hidden) { m.isAsking = false; show() }
      else if (data.isSingle ? m.isTyped : input.value) empty()
    } else if (data.isSingle) {
      return
    } else if (event.key === "Backspace" && !input.value && !event.repeat && data.chosen.length) {
      remove(data.chosen.at(-1))
    } else if (event.key === "ArrowLeft" && input.selectionEnd === 0 && data.chosen.length) {
      event.preventDefault()
      focusChip(data.chosen.length - 1)
    }
  }
  input.onblur = () => {
    Object.assign(sent, { text: typed(), waits: m.waits, at: performance.now(), isTaken: true })
    setTimeout(() => { sent.isTaken = !input.isConnected }) // it went away itself, or the person went elsewhere
    if (m.waits) return // Enter came before: it is carried out when the answer is there
    if (data.isSingle && data.chosen.length) m.isTyped = false
    drawOne(data.chosen[0])
    close()
    clearTimeout(m.timer)
    m.timer = setTimeout(() => m.ask(), AFTER_CLICK_MS)
  }
  input.onfocus = () => { if (data.isSingle && !m.isTyped) input.select() }
  input.onclick = () => {
    if (m.isOpen || !(data.isSingle || (matches().length && !typed() && asks.hidden))) return
    if (data.isSingle && !m.isTyped) input.select()
    m.isOpen = true
    ask()
    show()
  }
  clear.onclick = () => remove(data.chosen[0])
  add.onclick = () => { take("add", m.isOpen); input.focus() }
  box.onmousedown = (event) => {
    if (event.target === input || event.target.closest("button") || event.offsetX > box.clientWidth) return
    event.preventDefault()
    input.focus()
  }
  panel.onmousedown = asks.onmousedown = (event) => { if (!event.target.closest("button")) event.preventDefault() }
  decide.onclick = () => { input.focus(); m.isAsking = true; show() }
  drop.onclick = () => { input.focus(); send("cleared", "") }
  m.leave = (event) => {
    if (data.isSingle || !root.isConnected || root.contains(event.relatedTarget)) return
    m.isAsking = false
    showAsks()
  }
  if (isNew) root.addEventListener("focusout", (event) => m.leave(event))

  // Another choice is shown in place of half a text. What stays under the hand, or was entered: a text that was
  // typed after that choice was made here, and one whose choice before it goes.
  const isNext = m.done !== data.done && (hasFocus || m.waits)
  if (m.chosen !== data.chosen[0]?.id) m.isTyped &&= isNew || isNext || (hasFocus && !data.chosen.length)
  m.chosen = data.chosen[0]?.id
  m.done = data.done
  drawOne(data.chosen[0])
  drawChips()
  drawAsks()
  drawLine()
  show()
  if (m.waits && isAnswered()) {
    const way = m.waits
    m.waits = ""
    take(way, false)
    if (m.isOpen && root.getRootNode().activeElement !== input) {
      m.isTyped = false
      close()
      drawOne(data.chosen[0])
      show("Several fit, so none was chosen.")
    }
  }
}
