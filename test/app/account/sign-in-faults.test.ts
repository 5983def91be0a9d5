import t from 'tap'
import { SIGN_IN_FAULTS, type SignInFaultCode } from '../../../src/domain/sign-in/faults.js'
import { SENTENCES, sentenceForCode } from '../../../web/src/account/sign-in-faults.js'

/** The two assignments compile only if every code has a message and every message has a code. */
const worded: Record<SignInFaultCode, string> = SENTENCES
const known: Record<keyof typeof SENTENCES, string> = SIGN_IN_FAULTS

t.test('has a German message for every refusal of a sign-in', async (t) => {
  t.strictSame(Object.keys(worded).sort(), Object.keys(known).sort())
  const sentences = Object.keys(SIGN_IN_FAULTS).map(sentenceForCode)
  t.equal(new Set(sentences).size, sentences.length, 'the messages are distinct')
  for (const sentence of sentences) t.match(sentence, /^\p{Lu}.* .*\.$/u)
})

t.test('has a message for an unknown code, as a link may contain', async (t) => {
  for (const code of ['', 'nichts', 'toString', '__proto__']) t.match(sentenceForCode(code), /hat nicht geklappt/)
})
