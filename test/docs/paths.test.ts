import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { ROOT } from '../support/constants.js'

const PATH = /^(?:content|db|deploy|docs|lab|plugins|routes|scripts|src|test|web)\/[\w./-]+$/

/** Paths that the documents mention but that do not exist yet */
const MADE_LATER = new Set(['test/versions', 'test/versions/', 'lab/bench/results/'])

const tracked = execFileSync('git', ['ls-files', '*.md', ':!content'], { cwd: ROOT, encoding: 'utf8' })
const documents = tracked.trim().split('\n')

t.test('every path named in a document exists', async (t) => {
  let count = 0
  for (const document of documents) {
    const text = readFileSync(path.join(ROOT, document), 'utf8')
    const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span).filter((span) => PATH.test(span))
    const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]+`/g, '')
    const links = [...prose.matchAll(/\]\((?!\w+:)([^)#\s]+)[^)\s]*\)/g)].map(([, link = '']) =>
      path.join(path.dirname(document), link),
    )
    const named = new Set([...spans, ...links].filter((name) => !MADE_LATER.has(name)))
    count += named.size
    t.strictSame(
      [...named].filter((name) => !existsSync(path.join(ROOT, name))),
      [],
      document,
    )
  }
  t.ok(count > 100)
})

t.test('the list of decisions is complete, and each page follows the template', async (t) => {
  const folder = path.join(ROOT, 'docs', 'decisions')
  const list = readFileSync(path.join(folder, 'README.md'), 'utf8')
  const pages = readdirSync(folder).filter((name) => name !== 'README.md')
  const lines = pages.map((page) => {
    const text = readFileSync(path.join(folder, page), 'utf8')
    for (const part of ['Context', 'Decision', 'Consequences']) t.match(text, `\n**${part}.**`, `${page}: ${part}`)
    t.ok(text.trimEnd().split('\n').length <= 25, `${page}: at most 25 lines`)
    const [, title] = /^# (.+)\n/.exec(text) ?? []
    return `- [${page.slice(0, 4)}](${page}) ${title}`
  })
  t.strictSame(list.match(/^- .*/gm), lines)
})
