import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { ROOT } from './support/constants.js'

/** Matches German messages with straight quotation marks; frequent words distinguish messages from SQL. */
const SUBJECTS = /\b(?:Feld|Felder|Parameter|Spalte|Option|Befehl|Diese|Pfad|Adresse|Es gibt)\b.*"|"[^"]*" geht nicht/s

async function findTexts(folder: string): Promise<{ file: string; text: string }[]> {
  const files = await readdir(path.join(ROOT, folder), { recursive: true })
  const texts: { file: string; text: string }[] = []
  for (const name of files.filter((file) => file.endsWith('.ts'))) {
    const file = path.posix.join(folder, name)
    const visit = (node: ts.Node): void => {
      if (ts.isStringLiteral(node) || ts.isTemplateLiteral(node)) texts.push({ file, text: node.getText() })
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(file, await readFile(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true))
  }
  return texts
}

t.test('German messages use German quotation marks', async (t) => {
  const texts = (await Promise.all(['src', 'plugins', 'routes'].map(findTexts))).flat()
  t.ok(texts.length > 1_000, 'the sources have been read')
  const straight = texts.filter(({ text }) => SUBJECTS.test(text)).map(({ file, text }) => `${file}: ${text}`)
  t.strictSame(straight, [])
})
