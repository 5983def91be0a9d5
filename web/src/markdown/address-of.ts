/**
 * Where a link of the content leads in the app: it names another file as authors see them, `git-notfall.md`,
 * `../linux/systemd.md#dienste` or `../../decks/git.md`. Undefined for everything else.
 */
export function addressOf(href: string, anchor: string): string | undefined {
  const match = /^(?:[\w%.-]+\/)*(?<name>[\w%.-]+)\.md(?:#(?<part>.*))?$/.exec(href)
  if (match?.groups === undefined) return undefined
  const { name = '', part } = match.groups
  if (/(^|\/)decks\//.test(href)) return `decks/${name}`
  return `spickzettel/${name}${part ? `#${anchor}${part}` : ''}`
}
