import ts from 'typescript'
import { readSources } from './sources.mjs'

/** Matches German messages with straight quotation marks; frequent words distinguish messages from SQL. */
const STRAIGHT = /\b(?:Feld|Felder|Parameter|Spalte|Option|Befehl|Diese|Pfad|Adresse|Es gibt)\b.*"|"[^"]*" geht nicht/s

/** Returns a fault for each German message with straight instead of German quotation marks. */
export function checkMessages() {
  const faults = []
  for (const { file, text } of readSources(['src', 'plugins', 'routes'], /\.ts$/)) {
    if (!text.includes('"')) continue
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
    const visit = (node) => {
      if ((ts.isStringLiteral(node) || ts.isTemplateLiteral(node)) && STRAIGHT.test(node.getText(source)))
        faults.push(`${file}: straight quotation marks in ${node.getText(source)}`)
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return faults
}
