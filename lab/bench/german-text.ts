import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { ROOT } from './processes.js'

/** Average number of nouns per compound; compounds imitate the rare words of natural text. */
const NOUNS_A_COMPOUND = 12
const NOUN = /^\p{Lu}\p{Ll}{2,}$/u

/** A function that returns paragraphs of whole German sentences with about `length` characters or more */
export type GermanWriter = (length: number) => string

/**
 * Returns a writer of German text: a Markov chain over pairs of words of the shipped content, so that word frequencies
 * are natural.
 * @param random returns numbers from 0 (inclusive) to 1 (exclusive)
 */
export async function createGermanWriter(random: () => number): Promise<GermanWriter> {
  const sentences = (await readProse(path.join(ROOT, 'content'))).flatMap(splitSentences)
  const followers = new Map<string, string[]>()
  const nouns: string[] = []
  for (const words of sentences) {
    for (const [index, word] of [...words, ''].entries()) {
      const key = `${words[index - 2] ?? ''} ${words[index - 1] ?? ''}`
      const known = followers.get(key)
      if (known === undefined) followers.set(key, [word])
      else known.push(word)
      if (NOUN.test(word)) nouns.push(word)
    }
  }
  const draw = (from: readonly string[]) => from[Math.floor(from.length * random())] ?? ''

  function sentence(): string {
    const words: string[] = []
    for (;;) {
      const word = draw(followers.get(`${words.at(-2) ?? ''} ${words.at(-1) ?? ''}`) ?? [''])
      if (word === '') break
      words.push(word)
    }
    return words.map((word) => (NOUN.test(word) && random() < 1 / NOUNS_A_COMPOUND ? compound(word) : word)).join(' ')
  }

  function compound(first: string): string {
    return `${first}${/(ung|keit|heit|ion|tät)$/.test(first) ? 's' : ''}${draw(nouns).toLowerCase()}`
  }

  return (length) => {
    let text = ''
    while (text.length < length) text += `${sentence()}${random() < 0.3 ? '\n\n' : ' '}`
    return text.trimEnd()
  }
}

async function readProse(folder: string): Promise<string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.md')).sort()
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')))
  return texts.flatMap((text) =>
    text
      .replace(/^---\n[\s\S]*?\n---\n/, '')
      .replace(/^```[\s\S]*?^```/gm, '')
      .split('\n')
      .map((line) => line.replace(/^[#>\-*\d. ]+/, '').replaceAll(/[|*`]/g, ' '))
      .filter((line) => /\p{L}{3} .*\p{L}{3} /u.test(line)),
  )
}

function splitSentences(line: string): string[][] {
  return line
    .split(/(?<=[.!?:;]) +/)
    .map((sentence) => sentence.split(/\s+/).filter((word) => word !== ''))
    .filter((words) => words.length > 2)
}
