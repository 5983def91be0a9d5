import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import nginx from 'highlight.js/lib/languages/nginx'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { sanitize } from './sanitize.js'

const LANGUAGES = {
  bash,
  diff,
  dockerfile,
  http,
  ini,
  json,
  nginx,
  python,
  sql,
  typescript,
  xml,
  yaml,
}
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language)
// The grammar of TypeScript includes that of JavaScript.
hljs.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' })

/** Maximum length in characters of a highlighted code block; highlighting a longer block would freeze the page. */
const MAX_LENGTH = 20_000

export function highlight(block: HTMLElement): void {
  const language = /\blanguage-(\S+)/.exec(block.className)?.[1]?.toLowerCase()
  const code = block.textContent ?? ''
  if (language === undefined || hljs.getLanguage(language) === undefined || code.length > MAX_LENGTH) return
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true })
  block.replaceChildren(sanitize(value, { elements: ['span'], attributes: ['class'] }))
}
