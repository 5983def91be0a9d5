import { isForPage } from './keys.js'

const FIELDS = 'input, textarea, select'
const CONTROLS = 'a, button, summary, input, textarea, select, [tabindex="0"], [role="menu"]'

export function focusFirstField(form: HTMLElement): void {
  const fields = [...form.querySelectorAll<HTMLInputElement>(FIELDS)].filter(
    (field) => !field.disabled && !field.hidden && !field.readOnly,
  )
  const field = fields.find(({ required, value }) => required && value === '') ?? fields[0]
  field?.focus()
}

/** Focuses an element and hides its focus ring until the next key press or the loss of the focus. */
function focusQuietly(element: HTMLElement): void {
  const over = new AbortController()
  const end = () => {
    delete element.dataset.quiet
    over.abort()
  }
  element.dataset.quiet = ''
  element.focus({ preventScroll: true })
  element.addEventListener('blur', end, { signal: over.signal })
  addEventListener('keydown', end, { capture: true, signal: over.signal })
}

/**
 * Makes a link the default control of its page: the link gets the focus if no element has it, and Space or Enter
 * follows the link unless another control has the focus.
 */
export function defaultLink(link: HTMLElement): () => void {
  if (document.activeElement === document.body) focusQuietly(link)
  function onKeyDown(event: KeyboardEvent): void {
    if ((event.key !== ' ' && event.key !== 'Enter') || event.shiftKey || !isForPage(event)) return
    const control = event.target instanceof Element ? event.target.closest(CONTROLS) : null
    // The browser handles the keys of every other control, and Enter if the link has the focus.
    if (control !== null && (control !== link || event.key === 'Enter')) return
    event.preventDefault()
    link.click()
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}
