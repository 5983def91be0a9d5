import type { ResponseBody } from '../../api/types.js'

export type { GivenAnswer } from '../../storage/answer.js'

export type ListedTest = ResponseBody<'/api/tests'>['tests'][number]
/** What both the list and the page of a test have */
export type TestSummary = Omit<ListedTest, 'preferred'>
/** A test with a page of the user's attempts, newest first */
export type OwnTest = ResponseBody<'/api/tests/{slug}'>
export type Test = OwnTest['test']
export type OwnAttempt = Test['my_attempts'][number]
export type Attempt = ResponseBody<'/api/tests/attempts/{id}'>['attempt']
export type Question = Attempt['questions'][number]
export type Form = Question['form']
export type Review = ResponseBody<'/api/tests/attempts/{id}/review'>['review']
export type ReviewedQuestion = NonNullable<Review['questions']>[number]
