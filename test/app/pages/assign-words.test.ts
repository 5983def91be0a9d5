import t from 'tap'
import {
  addDays,
  audienceText,
  reachText,
  recurrenceText,
  requirementText,
  scheduleText,
  urgentAddress,
  urgentText,
} from '../../../web/src/pages/vergeben/assign-words.js'

const spaced = (text: string) => text.replaceAll('\u00a0', ' ')

t.test('the dates of an assignment are explained in one sentence', async (t) => {
  const [starts, due] = ['2026-12-01', '2026-12-31']
  const joining = { joining: true } as const
  const yearly = { every_months: 12, window_end: '03-31' }
  for (const [dates, sentence] of [
    [{ starts, due, recurrence: null }, 'Einmal bis 31.12.2026.'],
    [{ starts, due: { days_after_start: 30 }, recurrence: null }, 'Einmal bis 31.12.2026, 30 Tage nach dem Beginn.'],
    [
      { starts: joining, due: { days_after_start: 1 }, recurrence: { every_months: 24 } },
      'Zum ersten Mal bis 1 Tag nach dem Tag, an dem jemand dazukommt, danach immer 24 Monate nach dem Erledigen.',
    ],
    [{ starts, due, recurrence: yearly }, 'Zum ersten Mal bis 31.12.2026, danach jedes Jahr bis 31. März.'],
    [
      { starts, due, recurrence: { ...yearly, every_months: 36, opens_days_before: 14 } },
      'Zum ersten Mal bis 31.12.2026, danach alle 3 Jahre bis 31. März. Sie öffnet sich jeweils 14 Tage vorher.',
    ],
    [
      { starts, due, recurrence: { every_months: 6, window_end: '02-29' } },
      'Zum ersten Mal bis 31.12.2026, danach alle 6 Monate, zum Beispiel bis 29. Februar.',
    ],
  ] as const) {
    t.equal(spaced(scheduleText(dates)), sentence)
  }
  t.equal(spaced(recurrenceText({ ...yearly, opens_days_before: 30 })), 'jedes Jahr bis 31. März')
  t.equal(addDays('2028-02-28', 2), '2028-03-01')
})

t.test('audience and parts are named', async (t) => {
  const teams = [{ id: 1, name: 'Lager' }]
  const of = (audience: object, named = teams, rights = { change: true, see_state: true, decide: false }) =>
    audienceText({ audience: { everybody: false, team_ids: [], user_ids: [], ...audience }, teams: named, rights })
  t.equal(of({ everybody: true }), 'Alle')
  t.equal(of({ user_ids: [9] }), 'Lager und 1 Person')
  const five = ['A', 'B', 'C', 'D', 'E'].map((name, id) => ({ id, name }))
  t.equal(of({}, five), 'A, B, C und 2 weitere Teams')
  t.equal(of({}, []), 'Niemand')
  t.equal(of({}, [], { change: false, see_state: true, decide: false }), 'Mitglieder deiner Teams')
  const deck = { kind: 'deck', title: '\u202eGit', share_percent: null } as const
  t.equal(requirementText(deck), 'Deck „\u2068\u202eGit\u2069“: jede Karte einmal lernen')
  t.match(requirementText({ ...deck, share_percent: 80 }), '80 % der Karten mit „Gut“ oder besser')
})

t.test('the form says how many persons get an assignment, and names the first', async (t) => {
  for (const [persons, names, text] of [
    [0, [], 'Nach heutigem Stand bekommt das niemand.'],
    [1, ['Ada'], 'Nach heutigem Stand bekommt das 1 Person: Ada.'],
    [2, ['Ada', 'Bo'], 'Nach heutigem Stand bekommen das 2 Personen: Ada und Bo.'],
    [3, ['Ada', 'Bo', 'Cem'], 'Nach heutigem Stand bekommen das 3 Personen: Ada, Bo und Cem.'],
    [4, ['Ada', 'Bo', 'Cem'], 'Nach heutigem Stand bekommen das 4 Personen: Ada, Bo, Cem und 1 weitere.'],
    [
      1_204,
      ['Ada', '\u202eCem'],
      'Nach heutigem Stand bekommen das 1.204 Personen: Ada, \u2068\u202eCem\u2069 und 1.202 weitere.',
    ],
  ] as const) {
    t.equal(spaced(reachText({ persons, names })), text)
  }
})

t.test('the card of a team names what is urgent and links to it', async (t) => {
  const one = [{ id: 7 }]
  for (const [numbers, assignments, text, address] of [
    [{ overdue: 2, due_this_week: 3 }, one, '2 überfällig, 3 fällig diese Woche', 'dringend'],
    [{ overdue: 1_200, due_this_week: 0 }, one, '1.200 überfällig', '7?stand=ueberfaellig'],
    [{ overdue: 0, due_this_week: 1 }, one, '1 fällig diese Woche', '7?stand=woche'],
    [{ overdue: 2, due_this_week: 0 }, [...one, { id: 8 }], '2 überfällig', 'dringend'],
  ] as const) {
    t.equal(urgentText(numbers), text)
    t.equal(urgentAddress({ ...numbers, assignments: [...assignments] }), `aufgaben/vergeben/${address}`)
  }
})
