/**
 * Converts a link between content files, such as `git-notfall.md`, `../linux/systemd.md#dienste` or
 * `../../decks/git.md`, to an address of the app. `anchor` is the prefix of heading ids. Returns undefined for other
 * links.
 * @example addressOf('../linux/systemd.md#dienste', 'abschnitt-') // 'spickzettel/systemd#abschnitt-dienste'
 */
export function addressOf(href: string, anchor: string): string | undefined {
  const match = /^(?:[\w%.-]+\/)*(?<name>[\w%.-]+)\.md(?:#(?<part>.*))?$/.exec(href)
  if (match?.groups === undefined) return undefined
  const { name = '', part } = match.groups
  if (/(^|\/)decks\//.test(href)) return `decks/${name}`
  return `spickzettel/${name}${part ? `#${anchor}${part}` : ''}`
}
