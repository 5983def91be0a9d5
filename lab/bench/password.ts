/** Password of the accounts that the benchmarks create */
export const PASSWORD = 'nur-zum-messen'
