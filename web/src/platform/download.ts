/** Lets the browser save a text as a file. */
export function saveText(name: string, type: string, text: string): void {
  saveFile(name, new Blob([text], { type }))
}

/** The same of anything. */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has been taken over by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
