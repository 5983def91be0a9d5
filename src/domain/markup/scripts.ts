const SUBSCRIPT = new Map(zip('0123456789+-=()aehijklmnoprstuvxβγρφχ', '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ'))
const SUPERSCRIPT = new Map(zip('0123456789+-=()abcdefghijklmnoprstuvwxyz', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ'))

/**
 * Converts a text to Unicode superscript or subscript. Returns undefined if the text has more than 40 code units, or
 * contains a character that is neither a space nor in the table.
 * @example toScript('2', 'sup') // '²'
 */
export function toScript(text: string, place: 'sub' | 'sup'): string | undefined {
  if (text.length > 40) return undefined
  const letters = place === 'sub' ? SUBSCRIPT : SUPERSCRIPT
  let written = ''
  for (const character of text.replaceAll('−', '-')) {
    const letter = character === ' ' ? ' ' : letters.get(character)
    if (letter === undefined) return undefined
    written += letter
  }
  return written
}

function zip(keys: string, values: string): [string, string][] {
  const letters = [...values]
  return [...keys].map((key, index) => [key, letters[index] as string])
}
