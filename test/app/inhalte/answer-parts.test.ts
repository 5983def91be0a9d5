import t from 'tap'
import { showGaps } from '../../../src/domain/questions/exercise.js'
import { gapWords, orderWords } from '../../../web/src/pages/inhalte/schreiben/answer-parts.js'
import { withoutGaps } from '../../../web/src/pages/inhalte/schreiben/without-gaps.js'

t.test('describes the order that an answer contains', async (t) => {
  t.match(orderWords('1. zuerst\n2. danach'), { text: '2 Punkte gefunden.', isRight: true })
  t.match(orderWords('1. allein'), { isRight: false })
  t.match(orderWords('- zuerst\n- danach'), { isRight: false })
})

t.test('describes the gaps that an answer contains', async (t) => {
  t.match(gapWords('In {{72|zweiundsiebzig}} Stunden an {{die Behörde}}'), {
    text: '2 Lücken gefunden: 72, die Behörde.',
    isRight: true,
  })
  t.match(gapWords('In {{ }} Stunden'), { isRight: false })
})

t.test('shows gaps in the preview as the service shows them to learners', async (t) => {
  for (const answer of ['In {{72|zweiundsiebzig}} Stunden', '{{ | b | c }} {{}} {{ }} {{{x}}}', 'keine']) {
    t.equal(withoutGaps(answer), showGaps(answer, 'gaps'), answer)
  }
  t.equal(withoutGaps('In {{72|zweiundsiebzig}} Stunden'), 'In 72 Stunden')
  t.equal(showGaps('{{ name }}', 'choice'), '{{ name }}', 'braces of other cards are text')
})
