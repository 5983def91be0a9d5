import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Owner } from './process.js'

/** Creates a content folder with these files (text by path). Deletes the folder when the test ends. */
export async function writeContentFolder(t: Owner, files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-training-content-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await changeFiles(folder, files)
  return folder
}

export async function changeFiles(folder: string, files: Record<string, string | null>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    if (text === null) {
      await rm(file)
      continue
    }
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

export interface CardText {
  id: string
  question?: string
  answer?: string
  level?: string
  aliases?: string[]
}

export function deckFile(name: string, cards: CardText[], frontMatter: Record<string, unknown> = {}): string {
  const head = Object.entries({ name, ...frontMatter }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const body = cards.map(({ id, question, answer, level, aliases }) => {
    const more = aliases ? `; aliases: [${aliases.join(', ')}]` : ''
    return [
      `## ${question ?? `Frage ${id}?`}`,
      `<!-- id: ${id}; level: ${level ?? 'grundlagen'}${more} -->`,
      '',
      '### Antwort',
      answer ?? `Antwort ${id}.`,
      '',
    ].join('\n')
  })
  return `---\n${head.join('\n')}\n---\n${body.join('\n')}`
}
