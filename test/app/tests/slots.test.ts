import t from 'tap'
import {
  isAnswered,
  isComplete,
  isSameAnswer,
  openSlot,
  reconcile,
  type Slot,
} from '../../../web/src/pages/tests/attempt/slots.js'
import fc from '../../support/property.js'

const text = (text: string) => ({ text })
const kept = (seq: number, answer: { text: string }, refusal?: { status: number; message: string }) => ({
  user: 1,
  attempt: 2,
  slot: 0,
  seq,
  answer,
  at: 0,
  ...(refusal && { refusal }),
})

t.test('opens with the answer that is waiting on this device', async (t) => {
  t.strictSame(openSlot({ seq: 0, answer: null }, undefined), { answer: null, seq: 0, state: 'empty' })
  t.strictSame(openSlot({ seq: 2, answer: text('a') }, undefined), { answer: text('a'), seq: 2, state: 'saved' })
  t.strictSame(openSlot({ seq: 2, answer: text('a') }, kept(3, text('b'))), {
    answer: text('b'),
    seq: 3,
    state: 'waiting',
  })
})

t.test('recognises that the service has the answer although its response was lost', async (t) => {
  const slot = openSlot({ seq: 3, answer: text('b') }, kept(3, text('b')))
  t.strictSame(slot, { answer: text('b'), seq: 3, state: 'saved' })
})

t.test('shows a newer answer of the service and keeps the own one', async (t) => {
  for (const refusal of [undefined, { status: 409, message: '' }]) {
    const slot = openSlot({ seq: 3, answer: text('theirs') }, kept(3, text('mine'), refusal))
    t.strictSame(slot, { answer: text('theirs'), seq: 3, state: 'newer', mine: text('mine') })
  }
})

t.test('keeps a refused text with the reason, and resends an answer that was refused for another user', async (t) => {
  const refused = openSlot({ seq: 0, answer: null }, kept(1, text('1.000'), { status: 400, message: 'mehrdeutig' }))
  t.strictSame(refused, { answer: text('1.000'), seq: 1, state: 'refused', message: 'mehrdeutig' })
  t.equal(openSlot({ seq: 0, answer: null }, kept(1, text('a'), { status: 404, message: '' })).state, 'waiting')
})

t.test('typed text stays when the known answer changes', async (t) => {
  const typed: Slot = { answer: text('ab'), seq: 2, state: 'typed' }
  t.equal(reconcile(typed, { seq: 2, answer: text('a') }), typed)
  t.match(reconcile(typed, { seq: 3, answer: text('x') }), { state: 'newer', mine: text('ab') })
})

t.test('never loses a text and never shows an older answer again', async () => {
  const answer = fc.string({ maxLength: 3 }).map(text)
  const slot = fc.record({
    answer,
    seq: fc.integer({ min: 1, max: 5 }),
    state: fc.constantFrom('typed', 'waiting', 'refused', 'saved', 'newer'),
  }) as fc.Arbitrary<Slot>
  fc.assert(
    fc.property(slot, fc.record({ seq: fc.integer({ min: 0, max: 6 }), answer }), (before, known) => {
      const after = reconcile(before, known)
      if (after.seq < Math.min(before.seq, known.seq)) return false
      const isOwn = before.state === 'typed' || before.state === 'waiting' || before.state === 'refused'
      return !isOwn || isSameAnswer(after.answer, before.answer) || isSameAnswer(after.mine ?? null, before.answer)
    }),
  )
})

t.test('compares answers without the order of options and gaps', async (t) => {
  t.ok(isSameAnswer({ option_ids: ['a', 'b'] }, { option_ids: ['b', 'a'] }))
  t.ok(isSameAnswer({ gaps: { a: '1', b: '2' } }, { gaps: { b: '2', a: '1' } }))
  t.notOk(isSameAnswer({ item_ids: ['a', 'b'] }, { item_ids: ['b', 'a'] }))
  t.notOk(isSameAnswer({ text: 'a' }, null))
})

t.test('counts a question as answered when each of its gaps is filled', async (t) => {
  const question = { gaps: [{ id: 'a' }, { id: 'b' }] }
  t.notOk(isComplete(question, null))
  t.notOk(isComplete(question, { gaps: { a: '72', b: ' ' } }))
  t.ok(isComplete(question, { gaps: { a: '72', b: 'x' } }))
  t.notOk(isAnswered({ option_ids: [] }))
  t.notOk(isAnswered({ text: '  ' }))
  t.ok(isAnswered({ item_ids: ['a'] }))
})
