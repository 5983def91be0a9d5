import t from 'tap'
import { eachText } from '../../../src/domain/content/card-texts.js'
import { GUARD_MS } from '../../../web/src/platform/guard.js'
import type { StudyCard } from '../../../web/src/session/card.js'
import { isHardOverused } from '../../../web/src/session/hard-reminder.js'
import {
  beginSession,
  changeNote,
  currentCard,
  dropCards,
  isOver,
  mergePage,
  needsDates,
  needsPage,
  nextCard,
  type Page,
  progressOf,
  rate,
  reveal,
  type Session,
  suspend,
  undo,
  undoRefused,
  withSteps,
} from '../../../web/src/session/session.js'
import { summarize } from '../../../web/src/session/summary.js'
import type { Rating } from '../../../web/src/words/ratings.js'
import fc from '../../support/property.js'

const TODAY = '2026-11-21'
const NO_CARDS: ReadonlySet<number> = new Set()
const DATES = { again: TODAY, hard: '2026-11-22', medium: '2026-11-24', easy: '2026-11-30' }

function cardOf(card_id: number, progress: StudyCard['progress'] = null): StudyCard {
  const deck = { slug: 'git', name: 'Git', lang: 'de' }
  const texts = { ...eachText(() => ''), question: `F${card_id}`, answer: 'A' }
  return { ...texts, card_id, deck, note: null, progress, next_review: DATES }
}

function pageOf(ids: number[], total = ids.length): Page {
  return { cards: ids.map((id) => cardOf(id)), counts: { due: total, new: 0 }, today: TODAY }
}

const idsOf = ({ queue }: Session) => queue.map(({ card }) => card.card_id)

function sessionOf(...ids: number[]) {
  let now = 10_000
  let session = beginSession(pageOf(ids), [], 0)
  const tick = () => (now += 1_000)
  return {
    get session() {
      return session
    },
    rate(...ratings: Rating[]) {
      for (const rating of ratings) {
        session = reveal(session, tick())
        session = rate(session, rating, `r${now}`, tick())
      }
    },
    undo: () => (session = undo(session, tick())),
    suspend: () => (session = suspend(session, tick())),
    merge(page: Page, asked: { changes: number; unconfirmed?: number[] }) {
      const unconfirmed = new Set(asked.unconfirmed)
      session = mergePage(session, page, { changes: asked.changes, unconfirmed }, tick())
    },
  }
}

t.test('shows the question, the answer and the next card', async (t) => {
  const s = sessionOf(1, 2)
  t.equal(rate(s.session, 'medium', 'x', 9_000), s.session, 'a card cannot be rated before its answer is shown')
  s.rate('medium')
  t.equal(currentCard(s.session)?.card_id, 2)
  t.equal(nextCard(s.session), undefined)
  t.equal(s.session.side, 'question')
  t.match(s.session.steps, [{ kind: 'rated', rating: 'medium', duration_ms: 12_000, id: 'r11000' }])
  s.rate('easy')
  t.ok(isOver(s.session))
  t.strictSame(progressOf(s.session), { done: 2, remaining: 0, again: 0 })
  t.strictSame(summarize(s.session), { cards: 2, minutes: 1, known: 1 })
})

t.test('a forgotten card returns at the end, without dates', async (t) => {
  const s = sessionOf(1, 2, 3)
  s.rate('again')
  t.strictSame(idsOf(s.session), [2, 3, 1])
  t.equal(s.session.queue[2]?.card.next_review, null)
  t.strictSame(progressOf(s.session), { done: 0, remaining: 3, again: 1 })
  s.rate('again', 'medium', 'again')
  t.strictSame(idsOf(s.session), [2, 1])
  s.rate('hard', 'medium')
  t.ok(isOver(s.session))
  t.strictSame(summarize(s.session), { cards: 3, minutes: 1, known: 1 / 3 })

  const alone = sessionOf(7)
  alone.rate('again')
  t.strictSame(idsOf(alone.session), [7], 'at once if it is the last card')
  t.strictSame(summarize(sessionOf().session), { cards: 0, minutes: 0, known: null })
})

t.test('ignores input right after a change, but not later', async (t) => {
  const begun = beginSession(pageOf([1, 2]), [], 0)
  t.equal(reveal(begun, GUARD_MS - 1), begun)
  const answer = reveal(begun, GUARD_MS)
  t.not(answer, begun)
  t.equal(reveal(answer, 900), answer, 'the answer is already shown')
  for (const late of [rate(answer, 'easy', 'x', 399), suspend(answer, 399)]) t.equal(late, answer)
  const rated = rate(answer, 'easy', 'x', 400)
  t.equal(undo(rated, 599), rated)
  t.strictSame(idsOf(undo(rated, 600)), [1, 2])
})

t.test('an undo brings a card back with the note that was stored since', async (t) => {
  const s = sessionOf(1, 2)
  s.rate('medium')
  const changed = changeNote(s.session, 1, 'Eselsbrücke')
  t.equal(currentCard(changed)?.note, null)
  const undone = undo(changed, 100_000)
  t.match(currentCard(undone), { card_id: 1, note: 'Eselsbrücke' })
  t.equal(nextCard(undone)?.note, null)
})

t.test('undoes any number of steps, also at the end', async (t) => {
  const s = sessionOf(1, 2, 3)
  s.rate('again', 'medium')
  s.suspend()
  s.rate('easy')
  t.ok(isOver(s.session))
  s.undo()
  t.match([s.session.side, idsOf(s.session)], ['answer', [1]])
  s.undo()
  t.match([s.session.side, idsOf(s.session)], ['question', [3, 1]], 'a suspended card was not rated')
  s.undo()
  s.undo()
  t.strictSame(idsOf(s.session), [1, 2, 3])
  t.same(s.session.queue[0]?.card.next_review, DATES, 'as before the step')
  t.equal(s.undo(), s.session, 'no step is left to undo')

  s.rate('medium')
  const dropped = undoRefused(undo(s.session, 900_000), 1, 901_000)
  t.strictSame(idsOf(dropped), [2, 3], 'a rating whose undo failed counts')
  t.equal(undoRefused(s.session, 1, 902_000), s.session, 'unless it was rated again')
  const elsewhere = dropCards(dropped, [2], 903_000)
  t.match([idsOf(elsewhere), elsewhere.changedAt], [[3], 903_000], 'rated in another tab')
})

t.test('applies unsent ratings to a page of the queue', async (t) => {
  const waiting = [
    { card_id: 1, rating: 'again' },
    { card_id: 2, rating: 'medium' },
    { card_id: 3, rating: 'again' },
    { card_id: 1, rating: 'again' },
    { card_id: 9, rating: 'easy' },
  ] as const
  t.strictSame(idsOf(beginSession(pageOf([1, 2, 3, 4]), waiting, 0)), [4, 3, 1])
  const again = { last_rating: 'again', last_review: TODAY, reps: 1, lapses: 1 } as const
  const cards = [cardOf(1, again), cardOf(2, { ...again, last_review: '2026-11-20' })]
  t.strictSame(
    idsOf(beginSession({ cards, counts: { due: 2, new: 0 }, today: TODAY }, [], 0)),
    [2, 1],
    'in the order of the service, with cards forgotten today last',
  )
})

t.test('a further page adds new cards and repeats none', async (t) => {
  const s = sessionOf(1, 2, 3)
  s.rate('again', 'medium')
  s.merge(pageOf([1, 2, 3, 4, 5]), { changes: 0 })
  t.strictSame(idsOf(s.session), [3, 4, 5, 1], 'the page was requested before the ratings')
  t.equal(s.session.queue[3]?.card.next_review, null)
  s.merge(pageOf([3, 4, 5, 1], 6), { changes: 2, unconfirmed: [1] })
  t.equal(s.session.queue[3]?.card.next_review, null, 'the service does not know the rating')
  t.equal(progressOf(s.session).remaining, 6)
  s.merge(pageOf([3, 5, 1]), { changes: 2 })
  t.strictSame(idsOf(s.session), [3, 5, 1], 'card 4 was rated on another device')
  t.same(s.session.queue[2]?.card.next_review, DATES, 'now the service knows the rating')
  s.merge(pageOf([5]), { changes: 2 })
  t.strictSame(idsOf(s.session), [3, 5], 'the displayed card stays')
})

t.test('a page requested before an undo does not remove the card', async (t) => {
  const s = sessionOf(1, 2)
  s.rate('medium')
  const { changes } = s.session
  s.undo()
  s.rate('again')
  s.undo()
  s.merge(pageOf([2]), { changes })
  t.strictSame(idsOf(s.session), [1, 2])
})

t.test('requests more cards in advance', async (t) => {
  const long = beginSession(pageOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 40), [], 0)
  t.equal(needsPage(long), false)
  t.equal(needsPage(rate(reveal(long, 300), 'easy', 'x', 600)), true)
  t.equal(needsPage(beginSession(pageOf([1]), [], 0)), false, 'the service has no more')

  const s = sessionOf(1, 2, 3, 4, 5)
  s.rate('again')
  t.equal(needsDates(s.session, NO_CARDS), false, 'the dates are not needed yet')
  s.rate('medium', 'medium')
  t.equal(needsDates(s.session, new Set([1])), false, 'the service does not know them yet')
  t.equal(needsDates(s.session, NO_CARDS), true)
})

t.test('restores the steps to undo after a reload', async (t) => {
  const s = sessionOf(1, 2)
  s.rate('medium')
  const again = withSteps(beginSession(pageOf([2]), [], 0), s.session.steps)
  t.strictSame(idsOf(undo(again, 900)), [1, 2])
})

t.test('reminds the learner after too many „Schwer“', async (t) => {
  const DAY = 24 * 3_600_000
  const s = sessionOf(...Array.from({ length: 20 }, (_, at) => at))
  s.rate('hard', 'hard', 'hard', 'hard')
  t.equal(isHardOverused(s.session, undefined, 0), false)
  s.rate('medium', 'medium', 'medium')
  t.equal(isHardOverused(s.session, undefined, 0), false)
  s.rate('hard')
  t.equal(isHardOverused(s.session, undefined, 0), true, 'five of eight')
  t.equal(isHardOverused(s.session, 100, 100 + 3 * DAY - 1), false, 'no second reminder so soon')
  t.equal(isHardOverused(s.session, 100, 100 + 3 * DAY), true)
  s.rate('medium')
  t.equal(isHardOverused(s.session, undefined, 0), false, 'only directly after a rating „Schwer“')
})

t.test('no card is lost or duplicated by any sequence of actions', async (_t) => {
  const action = fc.constantFrom('again', 'hard', 'medium', 'easy', 'undo', 'undo', 'suspend')
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(action, { maxLength: 60 }), (count, actions) => {
      const ids = Array.from({ length: count }, (_, at) => at + 1)
      const s = sessionOf(...ids)
      for (const one of actions) {
        if (one === 'undo') s.undo()
        else if (one === 'suspend') s.suspend()
        else s.rate(one as Rating)
        const { done, remaining } = progressOf(s.session)
        const waiting = idsOf(s.session)
        if (new Set(waiting).size !== waiting.length || done + remaining !== count) return false
        const again = s.session.queue.map(({ isAgain }) => isAgain).slice(1)
        if (again.indexOf(true) !== -1 && again.slice(again.indexOf(true)).includes(false)) return false
      }
      while (s.session.steps.length > 0) s.undo()
      return idsOf(s.session).join() === ids.join()
    }),
  )
})
