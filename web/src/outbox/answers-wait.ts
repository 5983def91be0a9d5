/** Local storage key that is set once this device may hold unsent answers of a test */
export const ANSWERS_WAIT = 'training.answers'
