import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const PATH = /^(?:content|db|deploy|docs|lab|plugins|routes|scripts|src|test|web)\/[\w./-]+$/

/** Paths that the documents mention but that do not exist yet */
const MADE_LATER = new Set(['test/versions', 'test/versions/', 'lab/bench/results/'])

/** Returns a fault for each path that a document names, as code or as a link, and that does not exist. */
export function checkPaths() {
  const documents = execFileSync('git', ['ls-files', '*.md', ':!content'], { encoding: 'utf8' }).trim().split('\n')
  return documents.flatMap((document) => {
    const text = readFileSync(document, 'utf8')
    const spans = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, span]) => span).filter((span) => PATH.test(span))
    const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]+`/g, '')
    const links = Array.from(prose.matchAll(/\]\((?!\w+:)([^)#\s]+)[^)\s]*\)/g), ([, link]) =>
      path.join(path.dirname(document), link),
    )
    return [...new Set([...spans, ...links])]
      .filter((name) => !MADE_LATER.has(name) && !existsSync(name))
      .map((name) => `${document}: ${name} does not exist`)
  })
}

/** Returns a fault for each decision without the parts of the template, and for a list that differs from the pages. */
export function checkDecisions() {
  const folder = 'docs/decisions'
  const faults = []
  const lines = []
  for (const page of readdirSync(folder).filter((name) => name !== 'README.md')) {
    const text = readFileSync(`${folder}/${page}`, 'utf8')
    for (const part of ['Context', 'Decision', 'Consequences']) {
      if (!text.includes(`\n**${part}.**`)) faults.push(`${folder}/${page}: no part "${part}"`)
    }
    const [, title] = /^# (.+)\n/.exec(text) ?? []
    lines.push(`- [${page.slice(0, 4)}](${page}) ${title}`)
  }
  const list = readFileSync(`${folder}/README.md`, 'utf8').match(/^- .*/gm) ?? []
  const wrong = [...lines, undefined].findIndex((line, index) => line !== list[index])
  if (wrong !== -1) faults.push(`${folder}/README.md: expected the line "${lines[wrong]}", found "${list[wrong]}"`)
  return faults
}

/** Returns a fault for each document of the app whose translation names other columns, settings or headings. */
export function checkTranslations() {
  return ['fragen', 'datenschutz'].flatMap((name) => {
    const [german, english] = [`docs/${name}.md`, `docs/${name}.en.md`].map((file) => {
      const text = readFileSync(file, 'utf8')
      const levels = [...text.matchAll(/^(#+|\|) /gm)].map(([, level]) => level)
      return JSON.stringify([levels, [...text.matchAll(/`([\w=]+)`/g)].map(([, word]) => word).sort()])
    })
    return german === english
      ? []
      : [`docs/${name}.en.md: differs from docs/${name}.md in headings, rows or names in code`]
  })
}

/** Returns a fault for each kind of personal data whose purpose, access, retention or export is not stated. */
export function checkPrivacy() {
  const [, parts] = readFileSync('docs/datenschutz.md', 'utf8').split('## Die Bestandteile')
  const sections = parts.split('\n## ')[0].split('\n### ').slice(1)
  const faults = sections.length > 0 ? [] : ['docs/datenschutz.md: no sections found']
  for (const section of sections) {
    for (const label of ['Zweck', 'Sieht', 'Gelöscht', 'Exportiert']) {
      if (section.includes(`\n- **${label}**: `)) continue
      faults.push(`docs/datenschutz.md: no "${label}" below "${section.split('\n')[0]}"`)
    }
  }
  return faults
}
