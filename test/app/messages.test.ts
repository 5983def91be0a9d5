// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are sources with templates
import path from 'node:path'
import t from 'tap'
import { ROOT } from '../support/constants.js'

type Translation = string | Record<string, string>
type Catalogue = Record<string, Record<string, Translation>>
interface Source {
  translateSource(source: string, file: string, translate: (message: string) => Translation | undefined): string
}
/** Names of the details by error code, and names beside each kind of details */
type Declared = Record<'codes' | 'kinds', Map<string, Set<string>>>
interface Catalogues {
  checkCatalogue(
    language: string,
    catalogue: Catalogue,
    messages: Map<string, Set<string>>,
    options: { isComplete: boolean },
  ): string[]
  checkRefusals(language: string, catalogue: Catalogue, declared: Declared, options: { isComplete: boolean }): string[]
  updateCatalogue(language: string, catalogue: Catalogue, messages: Map<string, Set<string>>): Catalogue
}

const load = (file: string) => import(path.join(ROOT, 'web/build/messages', file))
const { translateSource }: Source = await load('source.mjs')
const { checkCatalogue, checkRefusals, updateCatalogue }: Catalogues = await load('catalogues.mjs')
const { codesOf }: { codesOf(texts: string[]): Declared } = await load('codes.mjs')

/** Returns the messages of a source. */
function messagesOf(source: string, file = 'pages/quiz/a.svelte'): string[] {
  const messages: string[] = []
  translateSource(source, file, (message) => {
    messages.push(message)
    return undefined
  })
  return messages
}

t.test('a source without translations stays as it is', async (t) => {
  const source = '<script lang="ts">\n  const a = `Teil ${1}`\n</script>\n<p class="x">Karte {a}</p>\n'
  t.equal(
    translateSource(source, 'a.svelte', () => undefined),
    source,
  )
})

t.test('finds texts in markup, attributes and scripts', async (t) => {
  const cases: [string, string[]][] = [
    ['<p>Noch keine Karten</p>', ['Noch keine Karten']],
    ['<p>\n  Das Deck\n  ist neu.\n</p>', ['Das Deck ist neu.']],
    ['<p>Hallo, {user.name}!</p>', ['Hallo, {name}!']],
    ['<p>Unter <a href="konto">Konto</a> steht es.</p>', ['Unter <0>Konto</0> steht es.']],
    ['<p><Icon /> Sichern</p>', ['Sichern']],
    ['<p>{n === 1 ? "wartet" : "warten"}</p>', ['wartet', 'warten']],
    ['<img alt="Bild" class="Gross" src="Bild.png">', ['Bild']],
    ['<Field label="name" name="Name" hint={`Bis ${n} Zeichen`} />', ['name', 'Bis {n} Zeichen']],
    ['<script>const a = countOf(n, "Karte", "Karten")</script>', ['Karte || Karten']],
    ['<script>function a() { throw new Fault("Das ging nicht.") }</script>', ['Das ging nicht.']],
    ['<script>class A { a = "Noch nichts" }</script>', ['Noch nichts']],
    ['<script>const a = [/* text */ "neu", "neu"]</script>', ['neu']],
    ['<script>const a = /* text */ `, Fassung ${n}`</script>', [', Fassung {n}']],
    ['<script>const a = /* value */ ["Name", "E-Mail"]</script>', []],
    ['<script>if (key === "Eingabe") element.addEventListener("Eingabe", act)</script>', []],
    ['<script>import a from "./Karte.js"; const b = { headers: { accept: "text/csv, Karte" } }</script>', []],
  ]
  for (const [source, messages] of cases) t.strictSame(messagesOf(source), messages, source)
})

t.test('finds texts in a module and leaves its types', async (t) => {
  const source = "type A = 'Karte | Deck'\nexport const a: A = ('Karte' satisfies string) as A\n"
  t.strictSame(messagesOf(source, 'words/a.ts'), ['Karte'])
  t.equal(
    translateSource(source, 'words/a.ts', () => "Reader's card"),
    source.replace("('Karte'", "('Reader\\'s card'"),
  )
})

t.test('puts a translation in place, with its placeholders and elements in their new order', async (t) => {
  const translate = (source: string, translation: Translation) => translateSource(source, 'a.svelte', () => translation)
  t.equal(
    translate('<p>\n  Lies <b>{title}</b> bis {day}.\n</p>', 'Until {day}, read <0>{title}</0> & {more}'),
    '<p>\n  Until {day}, read <b>{title}</b> &amp; &#123;more}\n</p>',
  )
  t.equal(
    translate('<script>const a = `Teil ${at + 1} von ${all}`</script>', '`{all}` ${x}: {at}'),
    '<script>const a = `\\`${all}\\` \\${x}: ${at + 1}`</script>',
  )
  t.equal(translate('<p>&nbsp;von {a} </p>', 'by {a}'), '<p>&nbsp;by {a} </p>')
  t.equal(translate('<i title="Teil {at}"></i>', '"{at}"'), '<i title="&quot;{at}&quot;"></i>')
  t.equal(
    translate('<script>countOf(n, "Karte", "Karten")</script>', { other: 'kart', few: 'karty', one: 'karta' }),
    "<script>countOf(n, 'karta', 'karty', 'kart')</script>",
  )
})

t.test('a catalogue that is not complete has faults', async (t) => {
  const messages = new Map([
    ['Hallo, {name}', new Set(['pages/heute/a.svelte'])],
    ['Karte || Karten', new Set(['parts/a.svelte', 'pages/quiz/a.svelte'])],
  ])
  const full: Catalogue = {
    app: { 'Karte || Karten': { one: 'card', other: 'cards' } },
    'pages/heute': { 'Hallo, {name}': 'Hello {name}' },
  }
  const check = (catalogue: Catalogue, isComplete = true) =>
    checkCatalogue('en', catalogue, messages, { isComplete }).join('\n')
  const withGreeting = (greeting: string) => ({ ...full, 'pages/heute': { 'Hallo, {name}': greeting } })
  t.equal(check(full), '')
  t.match(check({ app: full.app ?? {} }), /lacks "Hallo, \{name\}"/)
  t.match(check({ ...full, 'pages/quiz': { Alt: 'Old' } }), /"Alt" in pages\/quiz is not used/)
  t.match(check(withGreeting('Hello')), /needs the placeholders \{name\}, but has \(none\)/)
  t.match(check(withGreeting('Hello {names}')), /needs the placeholders/)
  t.match(check(withGreeting('')), /is not translated/)
  t.equal(check(withGreeting(''), false), '')
  t.match(check({ ...full, app: { 'Karte || Karten': { one: 'card' } } }), /needs the forms one, other/)
})

t.test('the sentences of error codes that do not fit the service are faults', async (t) => {
  const declared = {
    codes: new Map([
      ['deck_gone', new Set<string>()],
      ['few', new Set(['left'])],
      ['foreign', new Set<string>()],
    ]),
    kinds: new Map([['picture', new Set(['type'])]]),
  }
  const refusals = { deck_gone: 'Gone', few: '{left} left for “{label}”', foreign: 'Foreign', 'few maximum': '{left}' }
  const findings = { 'foreign picture': 'A picture: {type}' }
  const check = (texts: Record<string, string>, isComplete = true) =>
    checkRefusals('en', { refusals: { ...refusals, ...texts }, findings }, declared, { isComplete }).join('\n')
  t.equal(check({}), '')
  t.match(check({ deck_gone: '' }), /lacks a sentence for the error code deck_gone/)
  t.equal(check({ deck_gone: '' }, false), '')
  t.match(check({ old_code: 'Old' }), /has no error code "old_code"/)
  t.match(check({ 'foreign film': 'A film' }), /has no error code "foreign film"/)
  t.match(check({ few: '{rest} left' }), /\{rest\} of "few" is none of its details: \{label\} \{left\}/)
  t.match(check({ 'few picture': '{type}, {film}' }), /\{film\} of "few picture" is none of its details/)
})

t.test('updates a catalogue: adds and removes texts, and moves those that several rooms use', async (t) => {
  const messages = new Map([
    ['Neu', new Set(['pages/heute/a.svelte', 'parts/b.svelte'])],
    ['Alt', new Set(['pages/heute/a.svelte'])],
    ['Tag || Tage', new Set(['parts/b.svelte'])],
  ])
  const catalogue = { 'pages/heute': { Neu: 'New', Alt: 'Old', Weg: 'Gone' } }
  t.strictSame(updateCatalogue('pl', catalogue, messages), {
    app: { Neu: 'New' },
    'pages/heute': { Alt: 'Old' },
    parts: { 'Tag || Tage': { one: '', few: '', many: '', other: '' } },
  })
})

t.test('finds the error codes of the service', async (t) => {
  const classes = `
    class Refusal { constructor(kind: string, code: string, message: string) {} }
    class Invalid extends Refusal { constructor(message: string, code = 'invalid_input') { super('invalid', code, message) } }
    class Field extends Invalid { constructor(field: string, problem: string, { code }: { code?: string } = {}) { super(field, code) } }
    class Full extends Refusal { constructor(isOwn: boolean) { super('too_large', isOwn ? 'own_full' : 'full', 'Voll') } }
    class Named extends Field {}`
  const uses = `
    const A = new Refusal('not_found', 'deck_not_found', 'Fehlt')
    const B = new Invalid(\`Fehlt \${name}\`, 'no_file')
    const C = new Named('held_on', 'fehlt', { code: 'held_too_early' })
    const named = (code: string, end: string) => ({ code, message: end })
    function d() { return named('original_missing', 'fehlt') ?? { code: 'taken', message: 'vergeben' } }
    const other = [new Date('a', 'b'), { code: 'a_code', reason: 'none' }]
    const E = new Invalid('Zu lang', undefined, { details: { maximum: 3 } })
    function e(details: object, code: string) { throw new Field('a', 'fehlt', { code, details: { slug } }) }
    function f() {
      const details = { earlier: 2 }
      faultAt(2, 'row_twice', 'Steht schon da', details)
    }
    const G = { code: 'few', message: 'Nur', details: { kind: isOne ? 'one' : 'none', left } }`
  const functions = 'export function faultAt(line: number, code: string, message: string, details?: object) {}'
  const codes = ['deck_not_found', 'full', 'held_too_early', 'invalid_input', 'no_file', 'original_missing', 'own_full']
  const { codes: found, kinds } = codesOf([uses, classes, functions])
  t.strictSame([...found.keys()].sort(), [...codes, 'taken', 'few', 'row_twice'].sort())
  const detailsOf = (code: string) => [...(found.get(code) ?? [])]
  t.strictSame(detailsOf('row_twice'), ['earlier', 'slug'], 'a variable, and what the file gives with any code')
  t.strictSame(detailsOf('invalid_input'), ['maximum', 'slug'], 'the default of the class')
  t.strictSame(detailsOf('few'), ['kind', 'left', 'slug'])
  t.strictSame(
    ['one', 'none'].map((kind) => [...(kinds.get(kind) ?? [])]),
    [
      ['kind', 'left'],
      ['kind', 'left'],
    ],
  )
})
