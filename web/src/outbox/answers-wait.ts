/** Key in local storage that exists once answers of a test may wait on this device */
export const ANSWERS_WAIT = 'training.answers'
