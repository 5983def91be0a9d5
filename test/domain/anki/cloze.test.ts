import t from 'tap'
import { clozeOnly, isOcclusion, renderClozes } from '../../../src/domain/anki/read/cloze.js'

const front = (field: string, number = 1) => renderClozes(field, number, 'front')
const back = (field: string, number = 1) => renderClozes(field, number, 'back')

t.test('hides the gaps of one number on the front and shows them on the back', async (t) => {
  const field = 'a {{c1::b}} c {{c2::d::wer?}} e {{c1::f}}'
  t.equal(front(field), 'a […] c d e […]')
  t.equal(back(field), 'a <b>b</b> c d e <b>f</b>')
  t.equal(front(field, 2), 'a b c [wer?] e f')
  t.equal(front(field, 3), '', 'no gap has this number')
  t.equal(front('{{c1,2::a}} {{c2::b}}', 2), '[…] […]')
})

t.test('nested gaps', async (t) => {
  const field = '{{c1::a {{c2::b::zwei}} c::eins}} d'
  t.equal(front(field, 1), '[eins] d')
  t.equal(back(field, 1), '<b>a b c</b> d')
  t.equal(front(field, 2), 'a [zwei] c d')
  t.equal(clozeOnly(field, 2), 'b')
})

t.test('unclosed gaps stay text', async (t) => {
  t.equal(front('{{c2::x {{c1::a}}'), '{{c2::x […]')
  t.equal(front('{{c1::a}} }} {{c1:b}} {{x}}'), '[…] }} {{c1:b}} {{x}}')
  const deep = `${'{{c1::'.repeat(10_000)}x${'}}'.repeat(10_000)}`
  t.equal(front(deep, 1).match(/\[…\]/g)?.length, 1)
})

t.test('detects image occlusion', async (t) => {
  t.ok(isOcclusion('{{c1::image-occlusion:rect:left=.1}}'))
  t.ok(isOcclusion('<img src="a.png">[#!occlusions [[rect0::223,448,60,32]] #]'))
  t.notOk(isOcclusion('{{c1::image}}'))
})
