/** Of every account that is made for a measurement. */
export const PASSWORD = 'nur-zum-messen'
