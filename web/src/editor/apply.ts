import type { Edit, Selected } from './commands.js'

export function selectedIn({ value, selectionStart: start, selectionEnd: end }: HTMLTextAreaElement): Selected {
  return { value, start, end }
}

/** Applies an edit so that Ctrl+Z of the browser undoes it, if the browser supports that. */
export function applyEdit(field: HTMLTextAreaElement, { from, to, insert, start, end }: Edit): void {
  field.focus()
  if (from !== to || insert !== '') {
    field.setSelectionRange(from, to)
    // Deprecated, but the only call that keeps the native undo history. `setRangeText` clears it.
    const isDone = document.execCommand(insert === '' ? 'delete' : 'insertText', false, insert)
    if (!isDone) replaceWithoutUndo(field, from, to, insert)
  }
  field.setSelectionRange(start, end)
}

/**
 * Replaces the first occurrence of a text, such as the placeholder of an upload, and keeps the selection in place.
 * Returns false if the field does not contain the text.
 */
export function replaceText(field: HTMLTextAreaElement, before: string, after: string): boolean {
  const from = field.value.indexOf(before)
  if (from === -1) return false
  const isFocused = document.activeElement === field
  const moved = (at: number) => (at <= from ? at : Math.max(from, at + after.length - before.length))
  const [start, end] = [moved(field.selectionStart), moved(field.selectionEnd)]
  if (isFocused) applyEdit(field, { from, to: from + before.length, insert: after, start, end })
  else replaceWithoutUndo(field, from, from + before.length, after)
  return true
}

function replaceWithoutUndo(field: HTMLTextAreaElement, from: number, to: number, insert: string): void {
  field.setRangeText(insert, from, to, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: insert }))
}
