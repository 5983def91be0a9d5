import type { Edit, TextSelection } from './commands.js'

export function selectedIn({ value, selectionStart: start, selectionEnd: end }: HTMLTextAreaElement): TextSelection {
  return { value, start, end }
}

/** Applies an edit that the user can undo with Ctrl+Z, if the browser supports this. */
export function applyEdit(field: HTMLTextAreaElement, { from, to, insert, start, end }: Edit): void {
  field.focus()
  if (from !== to || insert !== '') {
    field.setSelectionRange(from, to)
    // `execCommand` is deprecated, but the alternative `setRangeText` clears the native undo history.
    const isDone = document.execCommand(insert === '' ? 'delete' : 'insertText', false, insert)
    if (!isDone) replaceWithoutUndo(field, from, to, insert)
  }
  field.setSelectionRange(start, end)
}

/**
 * Replaces the first occurrence of a text, such as the placeholder of an upload. Keeps the selection in place if the
 * field has the focus. Returns false if the field does not contain the text.
 */
export function replaceText(field: HTMLTextAreaElement, before: string, after: string): boolean {
  const from = field.value.indexOf(before)
  if (from === -1) return false
  replaceAt(field, from, before, after)
  return true
}

/**
 * Replaces the text that starts at `from` when its replacement is known. Follows the text while the user edits other
 * places, and replaces nothing if the text itself has changed.
 */
export async function replaceLater(
  field: HTMLTextAreaElement,
  from: number,
  before: string,
  replacement: Promise<string>,
): Promise<void> {
  let { value } = field
  const follow = () => {
    const isUnmoved = field.value.startsWith(value.slice(0, from + before.length))
    if (!isUnmoved) from += field.value.length - value.length
    value = field.value
  }
  field.addEventListener('input', follow)
  try {
    const after = await replacement
    if (field.value.startsWith(before, from)) replaceAt(field, from, before, after)
  } finally {
    field.removeEventListener('input', follow)
  }
}

function replaceAt(field: HTMLTextAreaElement, from: number, before: string, after: string): void {
  const isFocused = document.activeElement === field
  const moved = (at: number) => (at <= from ? at : Math.max(from, at + after.length - before.length))
  const [start, end] = [moved(field.selectionStart), moved(field.selectionEnd)]
  if (isFocused) applyEdit(field, { from, to: from + before.length, insert: after, start, end })
  else replaceWithoutUndo(field, from, from + before.length, after)
}

function replaceWithoutUndo(field: HTMLTextAreaElement, from: number, to: number, insert: string): void {
  field.setRangeText(insert, from, to, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: insert }))
}
