import t from 'tap'
import { fuzzService, HTTP_URL, HTTPS_URL } from '../support/fuzz/service.js'
import { SEED } from '../support/seed.js'

/**
 * Operations whose requests may all be refused. Those without a comment need a password, key, signature or valid list,
 * which random requests do not contain.
 */
const HARD = [
  ...['login', 'changePassword', 'confirmByPassword', 'createPasskey', 'logInByPasskey'],
  ...['backChannelLogout', 'createAccounts'],
  // Need a request that the browser sends from one of the service's pages.
  ...['beginLink', 'createIdentity'],
  // Needs exactly one of two fields, content of the folder, and a source written in the browser.
  'adoptContent',
  // Needs the id of a report and a state other than its current one.
  'settleReport',
  // Need a deck or card that was written in the browser.
  ...['changeDeck', 'moveCard'],
  // Need an open or ended attempt of the caller, sections, or a deck with questions.
  ...['saveAnswer', 'saveTest', 'getAttemptReview', 'reportQuestion', 'publishTest', 'previewTest', 'exportTest'],
  'exportQuestions',
  // Need content of the right kind, an occurrence with a personal part and a date for it, or a later due date.
  ...['createAssignment', 'confirmPersonal', 'extendOccurrence'],
  // Needs a timestamp.
  'acceptCorrection',
  // Need the assignee, the responsible person or a team lead as the caller.
  ...['confirmSheet', 'exemptOccurrence', 'recogniseProof', 'grantAttempt', 'listOccurrences', 'getSignersPdf'],
  ...['countUrgent', 'exportOccurrences', 'reopenOccurrence'],
  // Need the present version of the original.
  ...['checkDeck', 'checkSheet', 'checkTest'],
  // Need the id of a webhook or user and of a delivery or token of it.
  ...['sendDeliveryAgain', 'markTokenOfUser'],
  // Need a mail whose delivery is unknown, or a mail server.
  ...['resendMail', 'sendTestMail'],
  // Need a mail server and the token in a mail.
  ...['requestAddress', 'confirmAddress'],
  // Needs the token of a calendar feed.
  'getCalendar',
  // Need the verification code of a certificate.
  ...['verifyProof', 'getProofPdf', 'revokeProof', 'correctProof'],
]

t.test('random requests match the OpenAPI document, and each operation can succeed', async (t) => {
  const mustSucceed = (id: string) => !HARD.includes(id)
  const report = await fuzzService(t, { publicUrl: HTTP_URL, seed: SEED, requests: 6_000, mustSucceed })
  const unmet = report.neverSucceeded.filter(mustSucceed)
  t.strictSame(unmet, [], `operations that never succeeded: ${unmet.join() || 'none'}`)
})

t.test('random requests match the OpenAPI document with an https address', (t) =>
  fuzzService(t, { publicUrl: HTTPS_URL, seed: SEED, requests: 2_000 }),
)
