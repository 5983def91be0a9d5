export const PASSWORD = 'nur-zum-messen'
