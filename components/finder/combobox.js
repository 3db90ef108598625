// A combobox with a listbox, after the WAI-ARIA pattern. The server searches, and this file draws the field.
// Everything from the server is set as textContent, never as HTML.

const PAUSE_MS = 120
const LONGEST_QUERY = 200
const WHOLE_NUMBER = /^\s*\d{13}\s*$/
const SEVERAL = /[\n\t,;]/
const NUMBERS = /^\s*\S*\d\S*(\s+\S*\d\S*)+\s*$/
const SENTENCE = /(\S+\s+){4}\S/
const AT_ONCE_MS = 10_000 // drawing the field again can take some seconds on a busy machine
// Streamlit 1.67 reruns only this field if its change comes together with a click, so the change waits.
const AFTER_CLICK_MS = 600
const isList = (text) => SEVERAL.test(text) || NUMBERS.test(text) || SENTENCE.test(text)
const memory = new WeakMap()
const outboxes = (window.__findByName ??= {})

const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}
const nameParts = ({ name, note, number, mark }) => {
  const text = make("span", { class: "text" })
  if (name) text.append(make("span", { class: "name" }, name))
  if (note) text.append(make("span", {}, name ? ` · ${note}` : note))
  const beside = mark ? [make("span", { class: "mark" }, mark)] : []
  return [text, ...beside, ...(number ? [make("span", { class: "number" }, number)] : [])]
}
const fullName = ({ name, number }) => [name, number].filter(Boolean).join(" ")

export default function ({ data, parentElement: root, setStateValue }) {
  const at = (selector) => root.querySelector(selector)
  const input = at("input"), list = at("[role=listbox]"), chips = at(".chips"), questions = at(".questions")
  const panel = at(".panel"), hint = at("#hint"), status = at("[role=status]"), add = at(".add")
  const one = at("#one"), clear = at(".clear"), box = at(".box")
  const line = at(".line"), decide = at(".decide"), remark = at(".remark"), drop = at(".drop")
  const isNew = !memory.has(root)
  const m = memory.get(root) ?? { active: -1, timer: 0, isOpen: false, isTyped: false, isAsking: true, pending: "", raw: "" }
  memory.set(root, m)

  // A field for one choice shows the chosen name, which is not a text to search for.
  const typed = () => (data.isSingle && !m.isTyped ? "" : input.value)
  const isAnswered = () => data.query === typed() || typed().length > LONGEST_QUERY
  const matches = () => (data.query === typed() ? data.options : [])
  const options = () => {
    const found = matches()
    const asNumber = { id: typed().trim(), number: "", note: data.asNumber }
    return found.length && data.asNumber && typed().trim() ? [...found, asNumber] : found
  }
  const say = (words) => { if (status.textContent !== words) status.textContent = words }
  const ask = () => {
    clearTimeout(m.timer)
    if (typed().length <= LONGEST_QUERY && data.query !== typed()) setStateValue("query", typed())
  }
  m.ask = ask // an old timer can call this after the field was drawn again
  // Acts are sent as state until the server has processed them, because a click can end a run and lose its triggers.
  const outbox = (outboxes[data.key] ??= { acts: [], serial: 0 })
  outbox.acts = outbox.acts.filter((one) => one.serial > data.done)
  const send = (act, text = "", number = "") => {
    outbox.serial = Math.max(Date.now(), outbox.serial + 1)
    outbox.acts.push({ serial: outbox.serial, about: data.about, act, text, number })
    setStateValue("acts", [...outbox.acts])
  }
  const empty = () => {
    clearTimeout(m.timer)
    input.value = outbox.text = outbox.pending = ""
    Object.assign(m, { active: -1, isOpen: false, isTyped: false, pending: "" })
    setStateValue("query", "")
    drawOne(data.chosen[0])
    show()
  }
  const choose = (option) => {
    empty()
    if (data.isSingle) drawOne(option)
    send(option.group ? "grouped" : "picked", option.id)
  }
  const enter = (text) => { empty(); send("entered", text) }
  const remove = (chip) => {
    if (data.isSingle) { empty(); drawOne() }
    say(`${fullName(chip)} removed`)
    send(chip.group ? "ungrouped" : "removed", chip.id)
    input.focus()
  }

  // Enter and Add choose the active option. Without one, they choose the only match that the text can mean.
  // If nothing matches, they enter the text itself.
  const take = (way, isSeen) => {
    const active = options()[m.active], found = matches()
    if (active && m.isOpen) return choose(active)
    if (!input.value.trim() && m.isTyped && data.isSingle && data.chosen.length) return remove(data.chosen[0])
    if (!typed().trim()) return
    if (!isAnswered()) { m.pending = way; return ask() }
    const unique = found.find((option) => !option.group && option.id === data.unique)
    if (unique) return choose(unique)
    if (found.length === 1 && isSeen && way === "enter") return choose(found[0])
    if (!found.length || way === "add") return enter(input.value)
    m.isOpen = true
    m.active = found.length === 1 ? 0 : -1
    show("Choose one of these, or type more letters.")
  }

  const show = (words = "") => {
    const found = options()
    list.hidden = !(m.isOpen && found.length)
    input.setAttribute("aria-expanded", String(!list.hidden))
    m.active = list.hidden ? -1 : Math.min(m.active, found.length - 1)
    list.replaceChildren(...found.map((option, position) => {
      const line = make("li", { id: `option-${position}`, role: "option", "aria-selected": String(position === m.active) },
        ...nameParts(option))
      line.onclick = () => choose(option)
      return line
    }))
    if (m.active < 0) input.removeAttribute("aria-activedescendant")
    else {
      input.setAttribute("aria-activedescendant", `option-${m.active}`)
      list.children[m.active].scrollIntoView({ block: "nearest" })
    }
    const isNone = isAnswered() && m.isOpen && typed().trim() && !found.length
    const none = "No match. Press Enter to see the nearest names, or to enter a number."
    hint.textContent = words || (isNone ? data.moreWords || none : list.hidden ? "" : data.moreWords)
    hint.hidden = !hint.textContent
    panel.hidden = list.hidden && hint.hidden
    if (!list.hidden) say(`${matches().length} found ${data.moreWords}. ${words}`)
    else if (hint.textContent) say(hint.textContent)
    showQuestions()
  }
  // Questions cover the page, so they close when the focus leaves. The button "to decide" opens them again.
  const showQuestions = () => {
    questions.hidden = !data.questions.length || (!data.isSingle && !(m.isAsking && panel.hidden))
  }

  const drawOne = (choice) => {
    if (!data.isSingle) return
    if (!m.isTyped) input.value = choice ? choice.name || choice.number : ""
    one.textContent = !m.isTyped && choice?.name ? choice.number : ""
    one.hidden = !one.textContent
    clear.hidden = m.isTyped || !choice
    if (choice) clear.setAttribute("aria-label", `Remove ${fullName(choice)}`)
  }
  const drawChips = () => {
    const drawn = (data.isSingle ? [] : data.chosen).map((chip) => {
      const button = make("button", { type: "button", class: "remove", "aria-label": `Remove ${fullName(chip)}` }, "\u00d7")
      button.disabled = data.isOff
      button.onclick = () => remove(chip)
      return make("li", { class: "chip" }, ...nameParts(chip), button)
    })
    if (data.more) drawn.unshift(make("li", { class: "chip more" }, `${data.more} more`))
    chips.replaceChildren(...drawn)
    chips.hidden = !drawn.length
    if (m.last !== data.chosen.at(-1)?.id) box.scrollTop = box.scrollHeight
    m.last = data.chosen.at(-1)?.id
  }
  const drawQuestions = () => {
    const answer = (words, act, text, number) => {
      const button = make("button", { type: "button" }, ...words)
      button.disabled = data.isOff
      button.onclick = () => { input.focus(); send(act, text, number) }
      return button
    }
    const drawn = data.questions.map(({ text, shown, alike, before, after, use }, position) => {
      const words = make("span", { class: "words", id: `question-${position}` },
        before && `${before} `, make("span", { class: "name" }, shown), after && ` ${after}`)
      const likely = alike.map((one) => answer(nameParts(one), "named", text, one.id))
      const asId = use ? [answer([use], "named", text, text)] : []
      const drop = answer(["\u00d7"], "dropped", text)
      drop.setAttribute("aria-label", `Drop ${shown}`)
      drop.className = "remove"
      for (const button of asId) button.setAttribute("aria-describedby", `question-${position}`)
      return make("li", { class: "question" }, words, ...likely, ...asId, drop)
    })
    const others = data.questionCount - data.questions.length
    if (data.questionCount > 1) {
      const words = others > 0 ? [`and ${others} more texts`] : []
      drawn.push(make("li", { class: "question" }, ...words, answer([`Drop all ${data.questionCount}`], "dropped all")))
    }
    questions.replaceChildren(...drawn)
    const texts = data.questions.map(({ text }) => text).join("\n")
    const focused = document.activeElement
    if (m.texts !== texts && texts) {
      m.isAsking = isHere() || focused === document.body || !focused
      say(`${data.questionCount} to decide: ${data.questions.map(({ shown }) => shown).join(", ")}`)
    }
    m.texts = texts
  }
  const drawLine = () => {
    line.hidden = data.isSingle
    decide.hidden = !data.questionCount
    decide.textContent = `${data.questionCount} to decide`
    remark.textContent = [data.ignored && `Ignored: ${data.ignored}`, data.note].filter(Boolean).join(" · ")
    remark.title = remark.textContent
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

  // When something appears above the field, Streamlit 1.67 creates the field anew. Restore its text and focus.
  if (isNew) {
    const { text = "", pending = "", at: blurredAt = -Infinity, isRemoved } = outbox
    const isAtOnce = performance.now() - blurredAt < AT_ONCE_MS
    const hadFocus = isAtOnce && isRemoved && document.activeElement === document.body
    const isRestored = hadFocus || (isAtOnce && (pending || !data.isSingle || !data.chosen.length))
    m.isTyped = Boolean(isRestored && text)
    input.value = isRestored ? text : data.isSingle ? "" : data.query
    if (isRestored) Object.assign(m, { isOpen: Boolean(hadFocus && text), pending })
    if (hadFocus) setTimeout(() => input.focus())
  }
  // Drop unfinished text when another item is opened.
  const hasFocus = root.getRootNode().activeElement === input
  const isOtherSubject = outbox.about && outbox.about !== data.about && (data.isSingle ? data.isOff : !hasFocus)
  outbox.about = data.about
  if (isOtherSubject && input.value) empty()

  questions.classList.toggle("over", !data.isSingle)
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
    Object.assign(m, { isOpen: true, active: -1, pending: "" })
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
      else if (!data.isSingle && !questions.hidden) { m.isAsking = false; show() }
      else if (data.isSingle ? m.isTyped : input.value) empty()
    } else if (data.isSingle) {
      return
    } else if (event.key === "Backspace" && !input.value && !event.repeat && data.chosen.length) {
      remove(data.chosen.at(-1))
    }
  }
  input.onblur = () => {
    Object.assign(outbox, { text: typed(), pending: m.pending, at: performance.now(), isRemoved: true })
    setTimeout(() => { outbox.isRemoved = !input.isConnected }) // false if the person moved to another field
    if (m.pending) return // Enter was pressed: it takes effect when the matches arrive
    if (data.isSingle && data.chosen.length) m.isTyped = false
    drawOne(data.chosen[0])
    close()
    clearTimeout(m.timer)
    m.timer = setTimeout(() => m.ask(), AFTER_CLICK_MS)
  }
  input.onfocus = () => { if (data.isSingle && !m.isTyped) input.select() }
  input.onclick = () => {
    if (m.isOpen || !(data.isSingle || (matches().length && !typed() && questions.hidden))) return
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
  panel.onmousedown = questions.onmousedown = (event) => { if (!event.target.closest("button")) event.preventDefault() }
  drop.onclick = () => { input.focus(); send("cleared") }
  decide.onclick = () => { input.focus(); m.isAsking = true; show() }
  m.leave = (event) => {
    if (data.isSingle || !root.isConnected || root.contains(event.relatedTarget)) return
    m.isAsking = false
    showQuestions()
  }
  if (isNew) root.addEventListener("focusout", (event) => m.leave(event))

  // A new choice replaces unfinished text. Exceptions: the person made the choice in this field and then typed, or
  // typed while the server removed the previous choice.
  const isNext = m.done !== data.done && (hasFocus || m.pending)
  if (m.chosen !== data.chosen[0]?.id) m.isTyped &&= isNew || isNext || (hasFocus && !data.chosen.length)
  m.chosen = data.chosen[0]?.id
  m.done = data.done
  drawOne(data.chosen[0])
  drawChips()
  drawQuestions()
  drawLine()
  show()
  if (m.pending && isAnswered()) {
    const way = m.pending
    m.pending = ""
    take(way, false)
    if (m.isOpen && root.getRootNode().activeElement !== input) {
      m.isTyped = false
      close()
      drawOne(data.chosen[0])
      show("Several names match, so none was chosen.")
    }
  }
}
