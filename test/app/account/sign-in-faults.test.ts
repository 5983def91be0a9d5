import t from 'tap'
import { SIGN_IN_FAULTS, type SignInFaultCode } from '../../../src/domain/sign-in/faults.js'
import { SENTENCES, sentenceForCode } from '../../../web/src/account/sign-in-faults.js'

/** Do not compile when a code of the service has no sentence, or a sentence no code. */
const worded: Record<SignInFaultCode, string> = SENTENCES
const known: Record<keyof typeof SENTENCES, string> = SIGN_IN_FAULTS

t.test('every refusal of a sign-in by the provider has its German sentence', async (t) => {
  t.strictSame(Object.keys(worded).sort(), Object.keys(known).sort())
  const sentences = Object.keys(SIGN_IN_FAULTS).map(sentenceForCode)
  t.equal(new Set(sentences).size, sentences.length, 'each its own')
  for (const sentence of sentences) t.match(sentence, /^\p{Lu}.* .*\.$/u)
})

t.test('a code that is none, as a link may bring it, is worded as well', async (t) => {
  for (const code of ['', 'nichts', 'toString', '__proto__']) t.match(sentenceForCode(code), /hat nicht geklappt/)
})
