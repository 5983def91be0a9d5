import t from 'tap'
import { commandOf, type KeyContext, type KeyPress } from '../../../web/src/session/keys.js'

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  repeat: false,
  ...more,
})
const at = (view: KeyContext['view'], more: Partial<KeyContext> = {}): KeyContext => ({
  view,
  focus: 'page',
  singleKeys: true,
  isTyping: false,
  ...more,
})

t.test('the command of a key depends on the shown side', async (t) => {
  for (const [key, view, command] of [
    [' ', 'question', 'reveal'],
    ['Enter', 'question', 'reveal'],
    [' ', 'answer', 'medium'],
    ['Enter', 'answer', 'medium'],
    ['1', 'answer', 'again'],
    ['2', 'answer', 'hard'],
    ['3', 'answer', 'medium'],
    ['4', 'answer', 'easy'],
    ['1', 'question', 'ignored'],
    ['5', 'answer', undefined],
    ['u', 'question', 'undo'],
    ['U', 'answer', 'undo'],
    ['a', 'answer', 'suspend'],
    ['i', 'question', 'info'],
    ['m', 'question', 'report'],
    ['e', 'answer', 'edit'],
    ['Tab', 'end', undefined],
    ['ArrowDown', 'end', undefined],
    ['u', 'end', 'undo'],
    ['x', 'end', 'leave'],
    ['Escape', 'end', 'leave'],
    [' ', 'end', 'leave'],
    ['Escape', 'answer', undefined],
    ['?', 'end', undefined],
  ] as const) {
    t.equal(commandOf(press(key), at(view)), command, `${key} at the ${view}`)
  }
})

t.test('counts a held key once', async (t) => {
  t.equal(commandOf(press(' ', { repeat: true }), at('question')), 'ignored')
  t.equal(commandOf(press('3', { repeat: true }), at('answer')), 'ignored')
  t.equal(commandOf(press('Enter', { repeat: true }), at('answer', { focus: 'control' })), 'ignored')
  t.equal(commandOf(press('Tab', { repeat: true }), at('answer')), undefined)
})

t.test('leaves keys to fields, controls and the browser', async (t) => {
  for (const key of [' ', 'Enter', '3', 'u']) {
    t.equal(commandOf(press(key), at('answer', { focus: 'field' })), undefined)
    t.equal(commandOf(press(key, { altKey: true }), at('answer')), undefined)
  }
  t.equal(commandOf(press('Enter'), at('answer', { focus: 'control' })), undefined)
  t.equal(commandOf(press('3'), at('answer', { focus: 'control' })), 'medium')
  t.equal(commandOf(press('a', { ctrlKey: true }), at('answer')), undefined)
  for (const modifier of ['ctrlKey', 'metaKey']) {
    t.equal(commandOf(press('z', { [modifier]: true }), at('end')), 'undo')
  }
})

t.test('single keys can be switched off, except for non-characters', async (t) => {
  const off = { singleKeys: false }
  for (const key of ['1', '4', 'u', 'a', 'i', 'm']) t.equal(commandOf(press(key), at('answer', off)), undefined)
  t.equal(commandOf(press(' '), at('question', off)), 'reveal')
  t.equal(commandOf(press('Enter'), at('answer', off)), 'medium')
  t.equal(commandOf(press('z', { ctrlKey: true }), at('answer', off)), 'undo')
  t.equal(commandOf(press('x'), at('end', off)), undefined)
})

t.test('letters are no shortcuts while the learner types, except the one that ends typing', async (t) => {
  const isTyping = true
  for (const key of ['a', 'b', 'u', 'n', 'm'])
    t.equal(commandOf(press(key), at('question', { isTyping })), undefined, key)
  t.equal(commandOf(press('t'), at('question', { isTyping })), 'type')
  t.equal(commandOf(press(' '), at('question', { isTyping })), 'reveal')
  t.equal(commandOf(press('a'), at('answer', { isTyping })), 'suspend')
})
