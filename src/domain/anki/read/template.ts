export type TemplateNode =
  | { type: 'text'; html: string }
  | { type: 'field'; name: string; filters: string[] }
  | { type: 'section'; field: string; isInverted: boolean; children: TemplateNode[] }

/** A malformed template; the message is German. */
class BrokenTemplate extends Error {}

const MAX_DEPTH = 100

/**
 * Parses a template with `{{Feld}}`, `{{filter:Feld}}`, `{{#Feld}}…{{/Feld}}` and `{{^Feld}}…{{/Feld}}`.
 * @throws BrokenTemplate if a tag or section is not closed, a closing tag does not match, or sections are nested more
 *   than 100 deep
 * @example parseTemplate('{{text:Front}}') // [{ type: 'field', name: 'Front', filters: ['text'] }]
 */
export function parseTemplate(source: string): TemplateNode[] {
  const template = replaceOldDelimiters(source)
  const root: TemplateNode[] = []
  const open: { field: string; children: TemplateNode[] }[] = []
  let done = 0
  for (let at = nextMark(template, 0); at >= 0; at = nextMark(template, done)) {
    const children = open.at(-1)?.children ?? root
    if (at > done) children.push({ type: 'text', html: template.slice(done, at) })
    if (template.startsWith('<!--', at)) {
      const end = template.indexOf('-->', at)
      done = end < 0 ? template.length : end + 3
      continue
    }
    const end = template.indexOf('}}', at)
    if (end < 0) throw new BrokenTemplate('einem {{ fehlt sein }}')
    const tag = template
      .slice(at + 2, end)
      .replace(/^\{+/, '')
      .trim()
    done = end + 2
    // Triple braces are equivalent to double ones.
    if (template[done] === '}' && template[at + 2] === '{') done++
    addTag(tag, children, open)
  }
  if (open.length > 0) throw new BrokenTemplate(`„{{#${open.at(-1)?.field}}}“ wird nicht beendet`)
  if (done < template.length) root.push({ type: 'text', html: template.slice(done) })
  return root
}

function addTag(tag: string, children: TemplateNode[], open: { field: string; children: TemplateNode[] }[]): void {
  const name = tag.slice(1).trim()
  if (tag.startsWith('#') || tag.startsWith('^')) {
    if (open.length >= MAX_DEPTH) throw new BrokenTemplate('die Bedingungen sind zu tief verschachtelt')
    const section: TemplateNode = { type: 'section', field: name, isInverted: tag.startsWith('^'), children: [] }
    children.push(section)
    open.push({ field: name, children: section.children })
  } else if (tag.startsWith('/')) {
    const closed = open.pop()
    if (closed?.field !== name) throw new BrokenTemplate(`„{{/${name}}}“ beendet nichts`)
  } else if (!tag.startsWith('!')) {
    const parts = tag.split(':')
    const field = parts.pop() as string
    children.push({ type: 'field', name: field.trim(), filters: parts.map((part) => part.trim()).reverse() })
  }
}

const MARK = /\{\{|<!--/g

function nextMark(template: string, from: number): number {
  MARK.lastIndex = from
  return MARK.exec(template)?.index ?? -1
}

/** Replaces the delimiters `<% %>` with braces in very old templates, which begin with `{{=<% %>=}}`. */
function replaceOldDelimiters(template: string): string {
  const switched = /^\s*\{\{=<% %>=\}\}/.exec(template)?.[0]
  if (switched === undefined) return template
  return template.slice(switched.length).replaceAll('<%', '{{').replaceAll('%>', '}}')
}
