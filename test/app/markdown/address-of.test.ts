import t from 'tap'
import { addressOf } from '../../../web/src/markdown/address-of.js'

const CASES: [href: string, address: string | undefined][] = [
  ['git-notfall.md', 'spickzettel/git-notfall'],
  ['./git-notfall.md', 'spickzettel/git-notfall'],
  ['../linux/systemd.md#dienste', 'spickzettel/systemd#abschnitt-dienste'],
  ['../../decks/git.md', 'decks/git'],
  ['decks/git.md#anfang', 'decks/git'],
  ['%C3%BCbersicht.md', 'spickzettel/%C3%BCbersicht'],
  ['https://example.org/lies.md', undefined],
  ['//example.org/lies.md', undefined],
  ['/etc/motd.md', undefined],
  ['bild.png', undefined],
  ['javascript:alert(1)//.md', undefined],
  ['', undefined],
]

t.test('converts links to content files to addresses of the app', async (t) => {
  for (const [href, address] of CASES) t.equal(addressOf(href, 'abschnitt-'), address, href)
})
