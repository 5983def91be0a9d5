/** Password of every account created for a measurement */
export const PASSWORD = 'nur-zum-messen'
