import t from 'tap'
import { findAppLanguage, pickVariant, readerLanguages } from '../../src/domain/text/language.js'
import fc from '../support/property.js'

const languages = (accepted: string | undefined, setting: 'de' | 'en' | null = null) =>
  readerLanguages({ setting, accepted })

t.test('lists the setting of the account, then the languages of the browser', async (t) => {
  for (const [accepted, expected] of [
    [undefined, []],
    ['', []],
    ['*', []],
    ['tr', ['tr']],
    ['en-GB,en;q=0.8', ['en-GB', 'en']],
    ['de;q=0.5, en;q=0.9 ,tr', ['tr', 'en', 'de']],
    ['en ; q=0.5, tr;q=0, fr;q=0.500', ['en', 'fr']],
    ['de, tr', ['de', 'tr']],
    ['nonsense!, e, en;q=2, en;q=x, tr;v=1, pt-BR', ['pt-BR']],
  ] as const) {
    t.strictSame(languages(accepted), expected, String(accepted))
  }
  t.strictSame(languages('de, tr', 'en'), ['en', 'de', 'tr'])
  t.strictSame(languages(Array.from({ length: 30 }, (_, index) => `aa-a${index}`).join()).length, 20)
})

t.test('reads any header', async (t) => {
  const part = fc.constantFrom('de', 'EN', '-', ';', 'q=', '0.5', ',', ' ', '*')
  fc.assert(fc.property(fc.string({ unit: part }), (header) => languages(header).every((tag) => /^[a-z]/i.test(tag))))
  t.pass('holds for any text')
})

t.test('the app speaks the language of the setting, else the best of the browser', async (t) => {
  for (const [accepted, setting, expected] of [
    [undefined, null, undefined],
    ['tr', null, undefined],
    ['tr, en-GB;q=0.8, de;q=0.5', null, 'en'],
    ['DE-at', null, 'de'],
    ['de', 'en', 'en'],
    [undefined, 'en', 'en'],
  ] as const) {
    t.equal(findAppLanguage({ setting, accepted }), expected, `${accepted} ${setting}`)
  }
})

t.test('picks the variant of the best language, else the original', async (t) => {
  const pick = (group: string[], wanted: string[]) => {
    const [original = '', ...variants] = group
    return pickVariant([{ lang: original }, ...variants.map((lang) => ({ lang }))], wanted).lang
  }
  t.equal(pick(['de', 'en', 'tr'], ['tr', 'en', 'de']), 'tr')
  t.equal(pick(['de', 'en'], ['tr', 'en', 'de']), 'en')
  t.equal(pick(['de', 'en'], ['tr', 'de', 'en']), 'de')
  t.equal(pick(['de', 'en'], ['tr']), 'de', 'the original')
  t.equal(pick(['de', 'en-US', 'en-GB'], ['en-gb']), 'en-GB', 'the same tag')
  t.equal(pick(['de', 'en-US', 'en-GB'], ['en']), 'en-US', 'the same primary subtag')
  t.equal(pick(['de', 'en-US', 'en'], ['en']), 'en')
  t.equal(pick(['de', 'en'], ['en-AU', 'de']), 'en')
  t.equal(pick(['en', 'de'], ['en-AU', 'de']), 'en')
  t.equal(pick(['de'], []), 'de')
})
