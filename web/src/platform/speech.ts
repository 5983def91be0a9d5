/** Markdown marks that a voice would read aloud */
const MARKS = /[*_`#>|~]+/g
const LINKS = /!?\[([^\]]*)\]\([^)]*\)/g

export const canSpeak = (): boolean => 'speechSynthesis' in globalThis

/** Reads a text aloud. If a text is already being read, only stops the voice. */
export function speak(source: string, lang: string): void {
  const { speechSynthesis } = globalThis
  const isSpeaking = speechSynthesis.speaking
  speechSynthesis.cancel()
  if (isSpeaking) return
  const words = new SpeechSynthesisUtterance(source.replace(LINKS, '$1').replace(MARKS, ' '))
  words.lang = lang
  speechSynthesis.speak(words)
}

export function stopSpeaking(): void {
  if (canSpeak()) globalThis.speechSynthesis.cancel()
}
