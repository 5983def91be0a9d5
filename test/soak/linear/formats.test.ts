import t from 'tap'
import { planUpdatesInSteps, type StoredAccount } from '../../../src/domain/accounts/user-changes.js'
import { readCsvInSteps } from '../../../src/domain/accounts/user-csv.js'
import { validateChangesInSteps } from '../../../src/domain/accounts/user-list.js'
import { parseDeck } from '../../../src/domain/content/format/parse-deck.js'
import { readGift } from '../../../src/domain/gift/index.js'
import { readStyleSheet, stylesIn } from '../../../src/domain/markup/style-sheet.js'
import { readMoodle } from '../../../src/domain/moodle/index.js'
import { runSteps } from '../../../src/domain/run-steps.js'
import { isLinear } from '../../support/linear.js'
import { LIMITS } from '../../support/read-questions.js'

const CLOZE = [
  '<quiz><question type="cloze"><questiontext format="html"><text>',
  '</text></questiontext></question></quiz>',
]

t.test('Moodle XML is read in linear time', async (t) => {
  const cloze = (gaps: string) => readMoodle(CLOZE.join(gaps), LIMITS)
  t.ok(
    isLinear((times) => cloze(`<![CDATA[{1:SA:=${'<&amp;'.repeat(times)}}]]>`), 100_000),
    'entities',
  )
  t.ok(
    isLinear((times) => readMoodle(`<quiz>${'<question>'.repeat(times)}`, LIMITS), 300_000),
    'open elements',
  )
  t.ok(
    isLinear((times) => cloze('{1:SA:'.repeat(times)), 10_000),
    'open gaps',
  )
  t.ok(
    isLinear((times) => cloze(`{1:SA:${'~'.repeat(times)}}`), 200_000),
    'empty answers',
  )
})

t.test('GIFT is read in linear time', async (t) => {
  const explained = (times: number) => `F{=${'b'.repeat(times)} ~c ####${'b'.repeat(2 * times)}}`
  t.ok(
    isLinear((times) => readGift(explained(times), LIMITS), 30_000),
    'a long answer in the explanation',
  )
  for (const piece of ['a{', '~%', '=', '// [id:']) {
    t.ok(
      isLinear((times) => readGift(`${piece.repeat(times)}\nF{=a}`, LIMITS), 250_000),
      piece,
    )
  }
})

t.test('decks are read in linear time', async (t) => {
  const deck = (cards: number) =>
    `---\nname: Git\n---\n${Array.from({ length: cards }, (_, at) => `## F\n<!-- id: k-${at}; level: l -->\nMehr\n\n### Antwort\nJa.\n`).join('')}`
  t.ok(isLinear((cards) => parseDeck('decks/git.md', new TextEncoder().encode(deck(cards))), 10_000))
})

t.test('lists of users are read in linear time', async (t) => {
  for (const line of ['"\n', 'a"b\n', '"a"b\n', ';\n', '"";"a\n', 'x\n']) {
    t.ok(
      isLinear(
        (length) => runSteps(readCsvInSteps(Buffer.from(`username\n${line.repeat(length / line.length)}`))),
        2 ** 20,
      ),
      JSON.stringify(line),
    )
  }
})

t.test('changes of users are planned in linear time', async (t) => {
  const columns = 'Benutzername;Vorname;Personalnummer;Teams'
  const rowOf = (index: number) => `u${index};Erika;${index};Werkstatt|Lager`
  const plan = (length: number) => {
    const text = [columns, ...Array.from({ length }, (_, index) => rowOf(index))].join('\n')
    const { users } = runSteps(validateChangesInSteps(runSteps(readCsvInSteps(Buffer.from(text), true)).rows))
    const accounts = users.map((user, id): StoredAccount => {
      const rest = { is_admin: false, is_author: false, is_auditor: false, must_change_password: false }
      const names = { username: user.username as string, display_name: 'Neu', email: null }
      const days = { auditor_until: null, disabled_on: null }
      // Each number belongs to the next person of the list.
      const personnel_number = String((id + 1) % length)
      return { id, ...names, ...rest, ...days, personnel_number, external_id: null, teams: [], fixed_teams: [] }
    })
    return runSteps(planUpdatesInSteps(users, accounts)).updates.length
  }
  t.equal(plan(10), 10)
  t.ok(isLinear(plan, 10_000))
})

t.test('style sheets are read in linear time', async (t) => {
  const pieces = ['a{', '}', '/*', 'a{}', 'a,', ';', '<style>', 'a{display:none}', '@a{b{}}', '.a .b{display:block}']
  for (const piece of [...pieces, 'a b,']) {
    t.ok(
      isLinear((length) => {
        const css = piece.repeat(length / piece.length)
        readStyleSheet(css)
        stylesIn(css)
      }, 2 ** 18),
      piece,
    )
  }
})
