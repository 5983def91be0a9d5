import { deleteOldAnswers } from './delete-answers.js'
import { deleteExpiredCertificates } from './delete-certificates.js'
import { fitParameters } from './fit-parameters.js'
import type { Job, JobName } from './job.js'
import { planMail } from './plan-mail.js'
import { planOccurrences } from './plan-occurrences.js'
import { deleteSentMails, sendMails } from './send-mail.js'

export const JOBS: Record<JobName, Job> = {
  'plan-occurrences': { name: 'plan-occurrences', every: 'night', run: planOccurrences },
  fit: { name: 'fit', every: 'night', run: fitParameters },
  answers: { name: 'answers', every: 'night', run: deleteOldAnswers },
  proofs: { name: 'proofs', every: 'night', isForAllUsers: true, run: deleteExpiredCertificates },
  mails: { name: 'mails', every: 'night', isForAllUsers: true, run: deleteSentMails },
  'plan-mail': { name: 'plan-mail', every: 10, run: planMail },
  'send-mail': { name: 'send-mail', every: 1, run: sendMails },
}
