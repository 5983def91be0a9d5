const MAX_LENGTH = 200

/** Returns the fault as the end of a German sentence; undefined if the name is valid. */
export function checkCompanyName(text: string): string | undefined {
  const isLine = text.trim() !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text)
  return isLine && text.length <= MAX_LENGTH ? undefined : `muss 1 bis ${MAX_LENGTH} Zeichen in einer Zeile haben`
}
