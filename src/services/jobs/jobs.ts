import type { Job } from './job.js'

/** All jobs by name. A job is loaded when it first runs, because the command line needs only the names. */
export const JOBS = defineJobs({
  'plan-occurrences': {
    every: 'night',
    run: async (context) => (await import('./plan-occurrences.js')).planOccurrences(context),
  },
  webhooks: {
    every: 'night',
    isForAllUsers: true,
    run: async (context) => (await import('./announce.js')).announceNightly(context),
  },
  fit: { every: 'night', run: async (context) => (await import('./fit-parameters.js')).fitParameters(context) },
  answers: { every: 'night', run: async (context) => (await import('./delete-answers.js')).deleteOldAnswers(context) },
  proofs: {
    every: 'night',
    isForAllUsers: true,
    run: async (context) => (await import('./delete-certificates.js')).deleteExpiredCertificates(context),
  },
  mails: {
    every: 'night',
    isForAllUsers: true,
    run: async (context) => (await import('./send-mail.js')).deleteSentMails(context),
  },
  words: {
    every: 'night',
    isForAllUsers: true,
    run: async (context) => (await import('./delete-words.js')).deleteWords(context),
  },
  'disabled-accounts': {
    every: 10,
    isForAllUsers: true,
    run: async (context) => (await import('./announce.js')).announcePlannedDeactivations(context),
  },
  'plan-mail': { every: 10, run: async (context) => (await import('./plan-mail.js')).planMail(context) },
  'send-mail': { every: 1, run: async (context) => (await import('./send-mail.js')).sendMails(context) },
})

function defineJobs<Name extends string>(jobs: Record<Name, Omit<Job, 'name'>>): Record<Name, Job> {
  const named = Object.entries<Omit<Job, 'name'>>(jobs).map(([name, job]) => [name, { ...job, name }])
  return Object.fromEntries(named) as Record<Name, Job>
}
