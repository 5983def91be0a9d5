import type { Answer } from '../../api/types.js'

export type { GivenAnswer } from '../../storage/answer.js'

export type TestSummary = Answer<'/api/tests'>['tests'][number]
/** A test with a page of the user's attempts, newest first */
export type OwnTest = Answer<'/api/tests/{slug}'>
export type Test = OwnTest['test']
export type OwnAttempt = Test['my_attempts'][number]
export type Attempt = Answer<'/api/tests/attempts/{id}'>['attempt']
export type Question = Attempt['questions'][number]
export type Form = Question['form']
export type Outcome = Answer<'/api/tests/attempts/{id}/submit', 'post'>['attempt']
export type Review = Answer<'/api/tests/attempts/{id}/review'>['review']
export type ReviewedQuestion = NonNullable<Review['questions']>[number]
